"""Reads tables of HTML as a browser does: cells with their texts, titles and classes."""

from html.parser import HTMLParser
from typing import NamedTuple


class Cell(NamedTuple):
    """What a browser makes of a cell."""

    text: str
    title: str | None
    kind: str | None


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[Cell]] = []
        self.tags: set[str] = set()
        self.texts: list[str] = []
        self._attributes: dict[str, str | None] = {}

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self._attributes, self.texts = dict(attrs), []

    def handle_data(self, data):
        self.texts.append(data)

    def handle_endtag(self, tag):
        if tag in {"td", "th"}:
            given = self._attributes
            cell = Cell("".join(self.texts), given.get("title"), given.get("class"))
            self.rows[-1].append(cell)


def rows_of(html: str) -> list[list[Cell]]:
    """Return the rows of all tables, heads included."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.rows


def texts_of(html: str) -> list[list[str]]:
    """Return the rows of all tables as texts."""
    return [[cell.text for cell in row] for row in rows_of(html)]


def tags_of(html: str) -> set[str]:
    """Return the names of all elements."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.tags
