"""The catalogue: what is extracted, kept, compiled and complained about."""

import gettext
import os
from pathlib import Path

import pytest

from devstack import translations

TEMPLATE = """{% load i18n %}{% translate "Standings" %}
{% blocktranslate count n=boards %}{{ n }} board{% plural %}{{ n }} boards{% endblocktranslate %}"""
MODULE = """
def name(title, _=None, ngettext_lazy=None, pgettext_lazy=None):
    return _("Hello, %(name)s"), pgettext_lazy("bridge", "Double"), pgettext_lazy("room", "Double"), _(title)


REFUSAL = gettext_noop("Only directors")
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small checkout with one module and one template."""
    for folder in ("apps", "platform", "templates"):
        (tmp_path / folder).mkdir()
    (tmp_path / "apps" / "names.py").write_text(MODULE)
    (tmp_path / "templates" / "page.html").write_text(TEMPLATE)
    monkeypatch.setattr(translations, "ROOT", tmp_path)
    monkeypatch.setattr(translations, "LOCALE", tmp_path / "platform" / "locale")
    catalogue = tmp_path / "platform" / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
    monkeypatch.setattr(translations, "CATALOGUE", catalogue)
    return catalogue


def translate(catalogue: Path, **words: str) -> None:
    text = catalogue.read_text()
    for source, translation in words.items():
        for kind in ("msgstr", "msgstr[0]"):
            before = f'"{source.replace("_", " ")}"\n{kind} ""'
            text = text.replace(before, before[:-1] + f'{translation}"')
    catalogue.write_text(text)


def test_sentences_of_code_and_templates_are_found_and_a_second_run_changes_nothing(tree: Path) -> None:
    assert translations.update() is True
    text = tree.read_text()
    for line in (
        'msgid "Standings"',
        'msgid "Hello, %(name)s"',
        'msgid_plural "%(n)s boards"',
        'msgctxt "room"',
        'msgid "Only directors"',
    ):
        assert line in text
    assert text.count('msgid "Double"') == 2
    assert "title" not in text
    assert translations.update() is False


def test_a_translation_is_kept_compiled_and_dropped_with_its_sentence(tree: Path, tmp_path: Path) -> None:
    translations.update()
    translate(tree, Standings="名次")
    translations.update()
    translations.compile_catalogues()
    with tree.with_suffix(".mo").open("rb") as file:
        assert gettext.GNUTranslations(file).gettext("Standings") == "名次"

    (tmp_path / "templates" / "page.html").write_text("{% load i18n %}")
    translations.update()
    assert "名次" not in tree.read_text()


def test_a_compiled_catalogue_is_written_again_only_when_its_source_is_newer(tree: Path) -> None:
    translations.update()
    translations.compile_catalogues()
    compiled = tree.with_suffix(".mo")
    first = compiled.stat()
    translations.compile_catalogues()
    assert compiled.stat().st_ino == first.st_ino
    os.utime(tree, ns=(first.st_mtime_ns + 10**9, first.st_mtime_ns + 10**9))
    translations.compile_catalogues()
    assert compiled.stat().st_mtime_ns != first.st_mtime_ns


def test_what_is_missing_stale_or_differs_in_its_placeholders_is_named(tree: Path, tmp_path: Path) -> None:
    translations.update()
    assert "Not translated: 'Standings'" in translations.faults()

    text = tree.read_text().replace(
        'msgid "Hello, %(name)s"\nmsgstr ""', 'msgid "Hello, %(name)s"\nmsgstr "你好"'
    )
    tree.write_text(text)
    assert "Other placeholders than the source: 'Hello, %(name)s'" in translations.faults()

    (tmp_path / "apps" / "more.py").write_text('title = _("Datum")\n')
    assert any("is not what the source says" in fault for fault in translations.faults())
