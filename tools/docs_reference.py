"""A hook of mkdocs: fills the marked places of reference pages with what the code says."""

import re
from datetime import timedelta
from typing import Any

from puredelta.errors.render import catalogue
from puredelta.table.protocol.properties import PROPERTIES

MARK = re.compile(r"<!-- generated: (\w+) -->")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the marks of a page; mkdocs calls it for every page."""
    return MARK.sub(lambda mark: MAKERS[mark[1]](), markdown)


def errors() -> str:
    """List every condition with its SQLSTATE and text."""
    rows = (
        (f"`{name}`", entry.sql_state, " ".join(entry.message.split()))
        for name, entry in sorted(catalogue().items())
        if entry.message
    )
    return table(("Condition", "SQLSTATE", "Text"), rows)


def properties() -> str:
    """List every table property with its default and meaning."""
    rows = (
        (f"`{key}`", shown(known.default), known.help, "" if known.settable else "no")
        for key, known in sorted(PROPERTIES.items())
    )
    return table(("Property", "Default", "Meaning", "Yours to set"), rows)


def table(headers: tuple[str, ...], rows: Any) -> str:
    """Lay rows out as Markdown."""
    lines = [headers, tuple("---" for _ in headers), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def shown(value: object) -> str:
    """Show a default as a user would write it."""
    if value is None or value == ():
        return ""
    if isinstance(value, timedelta):
        return f"`interval {int(value.total_seconds() // 3600)} hours`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


MAKERS = {"errors": errors, "properties": properties}
