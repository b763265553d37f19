"""The rows of the tables in a web page, told apart by their class."""

from html.parser import HTMLParser
from pathlib import PurePosixPath


class _Rows(HTMLParser):
    """Collects the cells of rows; a picture stands for the name of its file, so `S.gif` is `S`."""

    def __init__(self, classes: set[str]) -> None:
        super().__init__()
        self.classes = classes
        self.rows: list[list[str]] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "tr":
            self.inside = given.get("class") in self.classes
            if self.inside:
                self.rows.append([])
        elif self.inside and tag == "td":
            self.rows[-1].append("")
        elif self.inside and tag == "img":
            self._add(PurePosixPath(given.get("src") or "").stem)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("tr", "table"):
            self.inside = False

    def handle_data(self, data: str) -> None:
        self._add(data)

    def _add(self, text: str) -> None:
        if self.inside and self.rows[-1]:
            self.rows[-1][-1] += text


def rows_of(page: str, *classes: str) -> list[list[str]]:
    """The cells of every row that has one of these classes, without the space around them.

    >>> rows_of('<tr><td>NS<tr class=a><td>4<img src="S.gif">x</td><td>&nbsp;</td></tr>', "a")
    [['4Sx', '']]
    """
    reader = _Rows(set(classes))
    reader.feed(page)
    reader.close()
    return [[cell.strip() for cell in row] for row in reader.rows]
