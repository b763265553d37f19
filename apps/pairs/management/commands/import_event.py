"""`manage.py import_event FILE…`: real events out of files."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils.translation import gettext, ngettext

from apps.pairs.models import Event
from apps.pairs.services import imports
from apps.pairs.services.imports import Imported, all_in_words, check_size, preview_of, rule_in_words
from bridge.comparison import Method
from bridge.errors import BridgeError


class Command(BaseCommand):
    """Each file is an event of its own; one that fails does not stop the others."""

    help = "Make events of USEBIO or PBN files, score them, and print where our figures and theirs differ."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path)
        parser.add_argument(
            "--deals", type=Path, metavar="PBN", help="the cards of an event that came without them"
        )
        parser.add_argument("--dry-run", action="store_true", help="store nothing")
        parser.add_argument("--json", action="store_true", help="end with one line of JSON")
        parser.add_argument("--publish", action="store_true", help="show the events to everybody at once")
        parser.add_argument(
            "--accept-board-conditions",
            action="store_true",
            help="you have checked the boards whose dealer or vulnerability is not that of their number;"
            " without this they keep an event from being published",
        )
        parser.add_argument(
            "--no-masterpoints", action="store_true", help="the events award no master points"
        )
        parser.add_argument("--encoding", help="the encoding of the letters, when the file does not say it")
        parser.add_argument(
            "--scoring",
            type=Method,
            choices=list(Method),
            metavar="METHOD",
            help=f"how the event is scored, when the file does not say: {', '.join(Method)}",
        )

    def handle(self, **options: Any) -> None:
        answers: list[dict[str, Any]] = []
        for path in options["files"]:
            try:
                answers.append(self._import(path, options))
            except BridgeError as error:
                answers.append(self._refused(path, " ".join(all_in_words(error))))
            except OSError as error:
                answers.append(self._refused(path, error.strerror or str(error)))
        failed = sum("error" in answer for answer in answers)
        if options["json"]:
            total = {
                "rows": sum(answer.get("rows", 0) for answer in answers),
                "differences": [each for answer in answers for each in answer.get("differences", [])],
                "failed": failed,
                "files": answers,
            }
            self.stdout.write(json.dumps(total, ensure_ascii=False))
        if failed:
            raise CommandError(
                ngettext("%(number)s file was not imported.", "%(number)s files were not imported.", failed)
                % {"number": failed}
            )

    def _import(self, path: Path, options: dict[str, Any]) -> dict[str, Any]:
        data = _content(path)
        record = imports.read_event(data, encoding=options["encoding"], method=options["scoring"])
        if options["deals"]:
            record = imports.add_hands(record, _content(options["deals"]), encoding=options["encoding"])
        with transaction.atomic():
            imported = imports.import_record(
                record=record,
                filename=path.name,
                digest=imports.digest_of(data),
                by=None,
                awards_masterpoints=not options["no_masterpoints"],
                publish=options["publish"],
                conditions_checked=options["accept_board_conditions"],
            )
            answer = self._report(path, imported, dry=options["dry_run"])
            transaction.set_rollback(options["dry_run"])
        return answer

    def _report(self, path: Path, imported: Imported, *, dry: bool) -> dict[str, Any]:
        event, source = imported.event, imported.event.source
        self.stdout.write(f"{path}: {event.title}")
        address = "" if dry and imported.created else event.get_absolute_url()
        if imported.created:
            self._describe(event)
            self.stdout.write(gettext("Nothing was stored.") if dry else gettext("Stored: %s") % address)
        else:
            self.stdout.write(gettext("Already there: %s") % address)
        return {
            "file": str(path),
            "title": event.title,
            "created": imported.created and not dry,
            "address": address,
            "rows": source["rows"],
            "rule": rule_in_words(source),
            "differences": source["differences"],
        }

    def _describe(self, event: Event) -> None:
        preview, rows = preview_of(event), event.source["rows"]
        self.stdout.write(
            ngettext("%(number)s result read.", "%(number)s results read.", rows) % {"number": rows}
        )
        self.stdout.write(preview.rule)
        for warning in preview.warnings:
            self.stdout.write(f"! {warning}")
        for doubt in preview.doubts:
            self.stdout.write(f"? {_place(doubt)}: {doubt['what']}")
        for difference in preview.differences:
            self.stdout.write(f"≠ {_difference(difference)}")
        number = len(preview.differences)
        self.stdout.write(
            ngettext("%(number)s difference.", "%(number)s differences.", number) % {"number": number}
            if number
            else gettext("No difference.")
        )

    def _refused(self, path: Path, reason: str) -> dict[str, Any]:
        self.stderr.write(f"{path}: {reason}")
        return {"file": str(path), "error": reason, "rows": 0, "differences": []}


def _content(path: Path) -> bytes:
    check_size(path.stat().st_size)
    return path.read_bytes()


def _difference(difference: dict[str, Any]) -> str:
    figures = gettext("%(what)s %(published)s in the file, %(ours)s by our sums") % difference
    return f"{_place(difference)}: {figures}"


def _place(found: dict[str, Any]) -> str:
    where = [
        gettext("session %s") % found["session"] if found["session"] else "",
        gettext("board %s") % found["board"] if found["board"] else "",
        gettext("pair %s") % found["pair"] if found["pair"] else "",
        gettext("line %s") % found["line"] if found["line"] else "",
    ]
    return ", ".join(filter(None, where))
