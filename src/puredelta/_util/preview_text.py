"""How the preview of a change looks: a head, and lines of a term and what it is."""

from collections.abc import Iterable


def preview_text(head: str, lines: Iterable[tuple[str, str]]) -> str:
    """Return a preview as text.

    >>> print(preview_text("VACUUM of t", [("deletes", "2 files")]))
    VACUUM of t
      deletes: 2 files
    """
    return "\n".join([head, *(f"  {term}: {text}" for term, text in lines)])
