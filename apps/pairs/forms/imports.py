"""What a director fills in to import an event and to publish it."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from apps.pairs.models import Event
from apps.pairs.services.imports import add_hands, all_in_words, check_size, digest_of, in_words, read_event
from apps.results.models import Field
from apps.users.forms import LineField
from bridge.comparison import Method
from bridge.errors import BridgeError
from bridge.formats.records import EventRecord

ENCODINGS = [
    ("", _("as the file says")),
    ("utf-8", _("UTF-8")),
    ("cp1252", _("Western European (Windows-1252)")),
    ("iso-8859-1", _("Western European (ISO-8859-1)")),
    ("cp1250", _("Central European (Windows-1250)")),
    ("iso-8859-2", _("Central European (ISO-8859-2)")),
    ("cp1251", _("Cyrillic (Windows-1251)")),
    ("gb18030", _("Chinese (GB 18030)")),
    ("big5", _("Chinese (Big5)")),
    ("shift_jis", _("Japanese (Shift JIS)")),
]


class ImportForm(forms.Form):
    """A file with an event. A form that is valid holds the record that was read."""

    file = forms.FileField(label=_("Results"), help_text=_("USEBIO XML, or PBN with score tables."))
    deals = forms.FileField(
        label=_("Hand records"),
        required=False,
        help_text=_("PBN with the cards, if the results came without them."),
    )
    encoding = forms.ChoiceField(label=_("Encoding of the letters"), choices=ENCODINGS, required=False)
    scoring = forms.ChoiceField(
        label=_("Scoring"),
        choices=[("", _("as the file says")), *Field.Method.choices],
        required=False,
        help_text=_("Counts only when the file does not say."),
    )
    awards_masterpoints = forms.BooleanField(label=_("Awards master points"), required=False, initial=True)

    record: EventRecord
    digest: str

    def clean_file(self) -> "UploadedFile[Any]":
        return self._within_limit("file")

    def clean_deals(self) -> "UploadedFile[Any] | None":
        return self._within_limit("deals") if self.cleaned_data["deals"] else None

    def _within_limit(self, name: str) -> "UploadedFile[Any]":
        uploaded: UploadedFile[Any] = self.cleaned_data[name]
        try:
            check_size(uploaded.size or 0)
        except BridgeError as error:
            raise forms.ValidationError(in_words(error)) from None
        return uploaded

    def clean(self) -> dict[str, Any]:
        """Read the event; what is wrong with a file stands beside it."""
        given = self.cleaned_data
        if "file" not in given or "deals" not in given:
            return given
        data, encoding, reading = given["file"].read(), given.get("encoding") or None, "file"
        method = Method(given["scoring"]) if given.get("scoring") else None
        try:
            self.record = read_event(data, encoding=encoding, method=method)
            if given["deals"]:
                reading = "deals"
                self.record = add_hands(self.record, given["deals"].read(), encoding=encoding)
        except BridgeError as error:
            self.add_error(reading, all_in_words(error))
        self.digest = digest_of(data)
        return given


class DetailsForm(forms.ModelForm[Event]):
    """What a director may set right before an imported event is published, and must look at when it is unusual."""

    conditions_checked = forms.BooleanField(
        label=_("I have checked dealer and vulnerability of these boards")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        boards = self.instance.source.get("unusual_boards")
        if not boards or self.instance.source.get("conditions_checked"):
            del self.fields["conditions_checked"]
        else:
            said = _("Not those of their numbers: boards %(boards)s.")
            self.fields["conditions_checked"].help_text = said % {"boards": ", ".join(map(str, boards))}

    class Meta:
        model = Event
        fields = ["title", "played_on", "organisation"]
        field_classes = {"title": LineField, "organisation": LineField}
        widgets = {"played_on": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")}
