"""How the preview of a change looks: a head, and lines of a term and what it is."""

from collections.abc import Iterable
from html import escape


def preview_text(head: str, lines: Iterable[tuple[str, str]]) -> str:
    """Return a preview as text.

    >>> print(preview_text("VACUUM of t", [("deletes", "2 files")]))
    VACUUM of t
      deletes: 2 files
    """
    return "\n".join([head, *(f"  {term}: {text}" for term, text in lines)])


def preview_html(head: str, lines: Iterable[tuple[str, str]]) -> str:
    """Return a preview as HTML for notebooks."""
    rows = "".join(
        f"<tr><th>{escape(term)}</th><td>{escape(text)}</td></tr>" for term, text in lines
    )
    table = f"<strong>{escape(head)}</strong><table>{rows}</table>"
    return f'<div class="puredelta-dry-run">{table}</div>'
