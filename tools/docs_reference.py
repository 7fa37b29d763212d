"""A hook of mkdocs: fills the marked places of reference pages with what the code says."""

import re
from datetime import timedelta
from typing import Any

from puredelta.table.protocol.features import FEATURES, Support
from puredelta.table.protocol.properties import PROPERTIES
from puredelta.table.protocol.protocol_report import MEANINGS

MARK = re.compile(r"<!-- generated: (\w+) -->")
TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
CELL = re.compile(r"<td([^>]*)>(.*?)</td>", re.DOTALL)
HEADER = re.compile(r"<th[^>]*>(.*?)</th>", re.DOTALL)
TAG = re.compile(r"<[^>]+>")
# A cell with more text than this cannot stand beside others on a telephone.
LONG_CELL = 50


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the marks of a page; mkdocs calls it for every page."""
    return MARK.sub(lambda mark: MAKERS[mark[1]](), markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Name the header in each cell of tables with long cells: narrow screens show lists."""
    return TABLE.sub(lambda found: labelled(found[0]), html)


def labelled(table: str) -> str:
    """Mark a table that docs/assets/extra.css shows as a list where the screen is narrow."""
    if not any(len(TAG.sub("", cell[1])) > LONG_CELL for cell in CELL.findall(table)):
        return table
    headers = [TAG.sub("", header) for header in HEADER.findall(table)]

    def with_labels(row: re.Match[str]) -> str:
        labels = iter(headers)
        return CELL.sub(
            lambda cell: f'<td{cell[1]} data-label="{next(labels)}">{cell[2]}</td>', row[0]
        )

    return ROW.sub(with_labels, table).replace("<table>", "<table data-narrow>", 1)


def properties() -> str:
    """List every table property with its default and meaning."""
    rows = (
        (f"`{key}`", shown(known.default), known.help, "" if known.settable else "no")
        for key, known in sorted(PROPERTIES.items())
    )
    return table(("Property", "Default", "Meaning", "Yours to set"), rows)


def features() -> str:
    """List every table feature, and whether it is read and written."""
    rows = (
        (
            f"`{name}`",
            "readers and writers" if feature.reader else "writers",
            _reach(feature.reading),
            _reach(feature.writing if feature.reading is not Support.NEVER else Support.NEVER),
            MEANINGS.get(name) or MEANINGS.get(name.removesuffix("-preview"), ""),
        )
        for name, feature in sorted(FEATURES.items())
    )
    return table(("Feature", "Concerns", "Read", "Written", "Meaning"), rows)


def _reach(support: Support) -> str:
    return {Support.ALWAYS: "yes", Support.NEVER: "no"}.get(support, support.value)


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


MAKERS = {"features": features, "properties": properties}
