"""What the administration calls apps, models and columns: in a translatable word each, and in Chinese when asked for it."""

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from django.apps import AppConfig, apps
from django.contrib import admin
from django.contrib.admin.utils import label_for_field
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django.utils import translation
from django.utils.functional import Promise

from tests.factories import make_user

OURS = [config for config in apps.get_app_configs() if config.name.startswith("apps.")]
SHOWN = list(admin.site._registry.values())
NAMING = ("names_in_the_administration", "columns_in_the_administration")
SAME = {
    "ID",
    "Model name",
    "Add link",
    "Change or view list link",
}  # the last three are Django's, for screen readers
HEADINGS = {"caption", "h1", "h2", "h3", "label", "legend", "th"}


@pytest.mark.parametrize("config", OURS, ids=lambda config: config.label)
def test_an_app_and_its_models_have_a_name_that_is_translated(config: AppConfig) -> None:
    assert isinstance(config.verbose_name, Promise)
    shown = [model for model in admin.site._registry if model._meta.app_config is config]
    names = [name for model in shown for name in (model._meta.verbose_name, model._meta.verbose_name_plural)]
    assert all(isinstance(name, Promise) for name in names)


def models_of(shown: admin.ModelAdmin[Model]) -> list[type[Model]]:
    return [shown.model, *(inline.model for inline in shown.inlines)]


@pytest.mark.parametrize("shown", SHOWN, ids=str)
def test_what_the_administration_shows_has_columns_that_are_translated(
    shown: admin.ModelAdmin[Model],
) -> None:
    columns = [
        column for model in models_of(shown) for column in (*model._meta.fields, *model._meta.many_to_many)
    ]
    plain = [column for column in columns if not isinstance(column.verbose_name, Promise)]
    assert [str(column) for column in plain if not column.primary_key] == []


def said_of(shown: admin.ModelAdmin[Model]) -> Iterator[str]:
    """All that the pages of one class say beside what stands in its rows."""
    for model in models_of(shown):
        yield from map(str, (model._meta.verbose_name, model._meta.verbose_name_plural))
        for column in (*model._meta.fields, *model._meta.many_to_many):
            choices = [name for _value, name in column.flatchoices]
            yield from map(str, (column.verbose_name, column.help_text, *choices))
    for named in (*shown.list_display, *(shown.actions or ())):
        yield str(label_for_field(named, shown.model, shown))
    for field in shown.form.base_fields.values():
        yield from map(str, (field.label, field.help_text))
    for name, _options in shown.fieldsets or ():
        yield str(name or "")


def english_left(english: list[str], chinese: list[str]) -> set[str]:
    """What has letters of English and reads the same in Chinese."""
    assert len(english) == len(chinese)
    same = {said for said, translated in zip(english, chinese, strict=True) if said == translated}
    return {said for said in same if any(letter.isascii() and letter.isalpha() for letter in said)} - SAME


@pytest.mark.parametrize("shown", SHOWN, ids=str)
def test_no_column_field_or_choice_is_english_in_chinese(shown: admin.ModelAdmin[Model]) -> None:
    with translation.override("en"):
        english = list(said_of(shown))
    with translation.override("zh-hans"):
        chinese = list(said_of(shown))
    assert english_left(english, chinese) == set()


class Headings(HTMLParser):
    """The texts of the headings and labels of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.inside, self.found = 0, list[str]()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in HEADINGS:
            self.inside += 1
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside -= tag in HEADINGS

    def handle_data(self, data: str) -> None:
        if self.inside and data.strip():
            self.found[-1] = f"{self.found[-1]} {data.strip()}".strip()


def headings(client: Client, address: str, language: str) -> list[str]:
    """None where this page is not for anybody."""
    with translation.override(language):
        answer = client.get(address, headers={"Accept-Language": language})
    return Headings(answer.text).found if answer.status_code == 200 else []


@pytest.mark.django_db
@pytest.mark.parametrize("shown", SHOWN, ids=str)
def test_the_list_and_the_form_have_chinese_headings(client: Client, shown: admin.ModelAdmin[Model]) -> None:
    root = make_user("管理员")
    root.is_staff = root.is_superuser = True
    root.save()
    client.force_login(root)
    for page in ("changelist", "add"):
        address = reverse(f"admin:{shown.opts.app_label}_{shown.opts.model_name}_{page}")
        english, chinese = [headings(client, address, language) for language in ("en", "zh-hans")]
        assert len(english) > 2 or page == "add"
        assert english_left(english, chinese) - {root.email} == set()


@pytest.mark.django_db
def test_the_administration_is_called_after_the_site(client: Client) -> None:
    page = client.get(reverse("admin:login")).text
    assert page.count("Datum administration") == 2  # the title of the window, and the head of the page
    assert "Django" not in page


@pytest.mark.django_db
def test_new_names_change_nothing_in_the_database() -> None:
    loader = MigrationLoader(connection)
    naming = [key for key in loader.disk_migrations if key[1].endswith(NAMING)]
    assert len(naming) == 12
    for key in naming:
        migration = loader.disk_migrations[key]
        with connection.schema_editor(collect_sql=True) as editor:
            migration.apply(loader.project_state(migration.dependencies), editor, collect_sql=True)
        assert [line for line in editor.collected_sql if not line.startswith("--")] == []
