"""Tables as HTML: every table that a notebook shows of ours is made here, by a Jinja template.

The template escapes all texts. Its style works in a light and in a dark theme, since it sets no
colours, and lines break so that a table fits the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from puredelta._util.printable_text import printable

if TYPE_CHECKING:
    import jinja2

_LONGEST = 64
_MARK = "…"


class HtmlCell(NamedTuple):
    """What is in a cell.

    Attributes:
        text: what is shown.
        title: the full or exact value, shown under the mouse; None where the text is that.
        is_number: the text is aligned to the right.
    """

    text: str
    title: str | None = None
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A table, ready to be shown.

    Attributes:
        columns: the heads; none where each row is a term and what it is.
        rows: as many cells a row as there are heads.
    """

    columns: Sequence[HtmlCell]
    rows: Sequence[Sequence[HtmlCell]]


def text_cell(text: str) -> HtmlCell:
    """Return a text as a cell: long texts lose their middle, and keep it in the title.

    >>> text_cell("name")
    HtmlCell(text='name', title=None, is_number=False)
    """
    shown = printable(text)
    if len(shown) <= _LONGEST:
        return HtmlCell(shown)
    # Names of files differ at their beginning and tell their kind at their end.
    end = _LONGEST // 2
    return HtmlCell(f"{shown[: _LONGEST - end - 1]}{_MARK}{shown[-end:]}", shown)


def full_text_cell(text: str) -> HtmlCell:
    """Return a text as a cell, whole however long it is: sentences, statements."""
    return HtmlCell(printable(text))


def facts_table(facts: Iterable[tuple[str, HtmlCell]]) -> HtmlTable:
    """Return terms and what they are as a table without heads.

    Args:
        facts: the term, and the cell with what it is.
    """
    return HtmlTable((), [(HtmlCell(printable(term)), cell) for term, cell in facts])


def render_html(kind: str, head: str | None, *tables: HtmlTable, note: str | None = None) -> str:
    """Return tables as HTML for a notebook.

    Args:
        kind: what is shown, as a class of CSS.
        head: the line above.
        tables: those to show, one below the other.
        note: the small line below.
    """
    return _template().render(kind=kind, head=head, tables=tables, note=note)


@cache
def _template() -> jinja2.Template:
    # Only notebooks show HTML, and the command line starts faster without.
    import jinja2  # noqa: PLC0415

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("puredelta", "notebook"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("table.html.jinja")
