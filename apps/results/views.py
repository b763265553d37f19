"""A director's page for one result: what is wrong with it, what a correction would do, what was corrected before."""

from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from apps.results.forms import CorrectionForm, in_words
from apps.results.models import Result
from apps.results.selectors import changes_of_result, last_change_of, results_with_names
from apps.results.services import Effect, correct_results, effects_of
from apps.results.signals import correction_asked
from apps.users.views import directors_only, signed_in
from bridge.comparison import Method
from bridge.errors import BridgeError


@directors_only
def correct(request: HttpRequest, result_id: int) -> HttpResponse:
    """The form, then what it would do, then it is done: only what was looked at is saved."""
    result, director = get_object_or_404(results_with_names([result_id])), signed_in(request)
    correction_asked.send(sender=Result, results=[result_id], user=director)
    form = CorrectionForm(request.POST if request.method == "POST" else None, result=result)
    effects: list[Effect] = []
    back = _back(request)
    if form.is_bound and form.is_valid():
        change = partial(correct_results, form.change(by=director), results=form.concerned, by=director)
        try:
            if request.POST.get("save") == form.fingerprint:
                change()
                _say_what_was_done(request, form)
                return redirect(back or request.get_full_path())
            effects = effects_of(change, results=form.concerned)
        except BridgeError as error:
            form.add_error(None, in_words(error))
    context = {
        "section": "events",
        "result": result,
        "form": form,
        "effects": effects,
        "changes": changes_of_result(result_id),
        "is_mp": result.field_board.field.method == Method.MP,
        "back": back,
    }
    return render(request, "results/correct.html", context, status=422 if form.errors else 200)


def _say_what_was_done(request: HttpRequest, form: CorrectionForm) -> None:
    if last_change_of(form.result.pk) == form.cleaned_data["seen"]:
        messages.info(request, _("Nothing was changed: the result is as it was."))
    else:
        messages.success(request, _("The result is corrected. Its board is scored again at once."))


def _back(request: HttpRequest) -> str:
    """The page of this site that the director came from."""
    next_page = request.GET.get("next", "")
    safe = url_has_allowed_host_and_scheme(next_page, {request.get_host()}, require_https=request.is_secure())
    return next_page if safe else ""
