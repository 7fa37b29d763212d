"""Dry runs and results of statements as HTML: a head, and lines of a term and what it is."""

from collections.abc import Iterable, Sequence

from puredelta._util.printable_text import printable
from puredelta.notebook.html_table import (
    HtmlCell,
    HtmlTable,
    facts_table,
    full_text_cell,
    render_html,
)


def preview_html(
    head: str, lines: Iterable[tuple[str, str]], kind: str = "puredelta-dry-run"
) -> str:
    """Return a preview or a result as HTML for notebooks.

    Args:
        head: what it is of.
        lines: a term and what it is.
        kind: what is shown, as a class of CSS.
    """
    facts = [(term, full_text_cell(text)) for term, text in lines]
    return render_html(kind, printable(head), *([facts_table(facts)] if facts else []))


def sentences_html(
    kind: str,
    head: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    note: str | None = None,
) -> str:
    """Return rows of texts as HTML for notebooks; without rows, there is no table.

    Args:
        kind: what is shown, as a class of CSS.
        head: what it is of.
        columns: the heads of the columns.
        rows: a text a column.
        note: the small line below.
    """
    cells = [[full_text_cell(text) for text in row] for row in rows]
    table = HtmlTable([HtmlCell(name) for name in columns], cells)
    return render_html(kind, printable(head), *([table] if cells else []), note=note)
