"""Tables as HTML: every table that a notebook shows of ours is made here, by a Jinja template.

The template escapes all texts. Its style works in a light and in a dark theme, since it sets no
colours, and lines break so that a table fits the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from puredelta._util.printable_text import printable

if TYPE_CHECKING:
    import jinja2

_LONGEST_PATH = 44
_LONGEST_TEXT = 200

# After a sign that divides names, before a capital within a word, and in words that no line has
# room for.
_HEAD_BREAK = re.compile(r"(?<=_)(?=\S)|(?<=[a-z])(?=[A-Z])|(?<=\S{24})(?=\S)")
_TEXT_BREAK = re.compile(
    r"(?<=[/=-])(?=\w)|(?<=\.)(?=[a-z])|(?<=\w{12})(?<=[a-z])(?=[A-Z])"
    r"|(?<=[^\s/=-]{24})(?=\S)"
)


class HtmlCell(NamedTuple):
    """What is in a cell.

    Attributes:
        text: what is shown.
        title: the full or exact value, shown under the mouse; None where the text is that.
        is_number: the text is aligned to the right.
        keeps_line: the text stays on one line, as those of numbers do.
    """

    text: str
    title: str | None = None
    is_number: bool = False
    keeps_line: bool = False


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A table, ready to be shown.

    Attributes:
        columns: the heads; none where each row is a term and what it is.
        rows: as many cells a row as there are heads.
    """

    columns: Sequence[HtmlCell]
    rows: Sequence[Sequence[HtmlCell]]


def path_cell(path: str) -> HtmlCell:
    """Return a path as a cell: a long one loses its middle, and keeps it in the title.

    >>> path_cell("a.parquet")
    HtmlCell(text='a.parquet', title=None, is_number=False, keeps_line=False)
    """
    shown = printable(path)
    if len(shown) <= _LONGEST_PATH:
        return HtmlCell(shown)
    # Names of files differ at their beginning and tell their kind at their end.
    end = _LONGEST_PATH // 2
    return HtmlCell(f"{shown[: _LONGEST_PATH - end - 1]}…{shown[-end:]}", shown)


def text_cell(text: str, whole: str | None = None) -> HtmlCell:
    """Return a text as a cell: a long one loses its end, and keeps it in the title.

    Args:
        text: the text.
        whole: what is in the title, where that is more than the text.
    """
    shown = printable(text)
    title = shown if whole is None else printable(whole)
    if len(shown) > _LONGEST_TEXT:
        shown = f"{shown[: _LONGEST_TEXT - 1]}…"
    return HtmlCell(shown, None if title == shown else title)


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


def head_parts(name: str) -> list[str]:
    """Divide the name of a column where a line may break.

    >>> head_parts("operationMetrics"), head_parts("num_files")
    (['operation', 'Metrics'], ['num_', 'files'])
    """
    return _HEAD_BREAK.split(name)


def text_parts(text: str) -> list[str]:
    """Divide a text where a line may break besides at spaces: paths are long words.

    >>> text_parts("p=1/part-0.parquet")
    ['p=', '1/', 'part-', '0.', 'parquet']
    """
    return _TEXT_BREAK.split(text)


@cache
def _template() -> jinja2.Template:
    # Only notebooks show HTML, and the command line starts faster without.
    import jinja2  # noqa: PLC0415
    import markupsafe  # noqa: PLC0415

    can_break = markupsafe.Markup("<wbr>")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("puredelta", "notebook"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    # Joining escapes the parts.
    environment.filters["head"] = lambda name: can_break.join(head_parts(name))
    environment.filters["text"] = lambda text: can_break.join(text_parts(text))
    return environment.get_template("table.html.jinja")
