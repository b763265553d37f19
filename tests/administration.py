"""The administration as a browser has it: what a page sends when nothing on it is touched."""

from html.parser import HTMLParser
from typing import Any

from django.test import Client
from django.urls import reverse


def page_of(client: Client, row: Any) -> tuple[str, dict[str, Any]]:
    """The address of a row's page, and what its form sends when nothing is edited."""
    address = reverse(f"admin:{row._meta.label_lower.replace('.', '_')}_change", args=[row.pk])
    return address, sent_by(client.get(address).text)


def sent_by(page: str) -> dict[str, Any]:
    """What the form of a page sends."""
    reader = _Fields()
    reader.feed(page)
    return {name: values if len(values) > 1 else values[0] for name, values in reader.sent.items()}


class _Fields(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, list[str]] = {}
        self.is_own = self.takes_many = False
        self.select = self.text = ""
        self.first: str | None = None  # option of a list of which one is sent in any case

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        had = {name: value or "" for name, value in attrs}
        match tag:
            case "form":
                self.is_own = had.get("id", "").endswith("_form")
            case "select":
                self.select, self.first = had["name"], None
                self.takes_many = "multiple" in had
            case "option" if "selected" in had:
                self._send(self.select, had.get("value", ""))
                self.takes_many = True
            case "option" if self.first is None:
                self.first = had.get("value", "")
            case "textarea":
                self.text = had["name"]
                self._send(self.text, "")
            case "input" if had.get("type") == "checkbox":
                if "checked" in had:
                    self._send(had["name"], had.get("value", "on"))
            case "input" if had.get("type") != "submit":
                self._send(had.get("name", ""), had.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        match tag:
            case "form":
                self.is_own = False
            case "textarea":
                self.text = ""
            case "select" if self.first is not None and not self.takes_many:
                self._send(self.select, self.first)

    def handle_data(self, data: str) -> None:
        if self.is_own and self.text:
            self.sent[self.text][-1] += data.removeprefix("\n")

    def _send(self, name: str, value: str) -> None:
        if self.is_own and name:
            self.sent.setdefault(name, []).append(value)
