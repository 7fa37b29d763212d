"""Tables and rows as HTML, for notebooks."""

from collections.abc import Iterable, Mapping
from html import escape

import pyarrow as pa
import pyarrow.compute as pc

from puredelta._util.size_text import size_text
from puredelta.commands.table_ref import TableRef
from puredelta.log.reader import TableReader
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import StructField, simple_string
from puredelta.table.expressions.generation_clauses import generation_clauses


def table_html(table: TableRef, snapshot: Snapshot) -> str:
    """Return a table's facts and schema as two HTML tables.

    Args:
        table: which table.
        snapshot: the version.
    """
    reader = TableReader(table.log(), snapshot)
    facts = reader.detail()
    rows = {
        "Location": table.root,
        "Version": str(snapshot.version),
        "Last modified": facts["lastModified"],
        "Rows": _rows(reader),
        "Files": f"{snapshot.num_files:,} ({size_text(snapshot.size_in_bytes)})",
        "Partitioned by": ", ".join(snapshot.partition_columns) or "-",
        "Features": ", ".join(facts["tableFeatures"]) or "-",
        "Protocol": f"reader {facts['minReaderVersion']}, writer {facts['minWriterVersion']}",
    }
    if facts["description"]:
        rows["Description"] = facts["description"]
    return (
        f'<div class="puredelta-table"><strong>{escape(table.label)}</strong>'
        f"{_facts(rows)}{_columns(snapshot)}</div>"
    )


def rows_html(rows: pa.Table, limit: int) -> str:
    """Return the first rows of an Arrow table as an HTML table.

    Args:
        rows: the rows; their column `stats`, JSON of any length, is left out.
        limit: how many to show.
    """
    table = rows.slice(0, limit)
    names = [name for name in table.column_names if name != "stats"]
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    lines = [
        "".join(f"<td>{escape(_shown(row[name]))}</td>" for name in names)
        for row in table.select(names).to_pylist(maps_as_pydicts="lossy")
    ]
    left = f"{table.num_rows:,} of {rows.num_rows:,} rows"
    body = _table(f"<tr>{line}</tr>" for line in (head, *lines))
    return f'<div class="puredelta-rows">{body}<small>{left}</small></div>'


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={_shown(item)}" for key, item in value.items())
    # A bool is an int in Python, and would be shown as a number.
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "" if value is None else str(value)


def _facts(rows: Mapping[str, str]) -> str:
    lines = (f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in rows.items())
    return _table(lines)


def _columns(snapshot: Snapshot) -> str:
    """Return the columns; how they are generated is included where some are."""
    generated = generation_clauses(snapshot.schema)
    heads = ["Column", "Type", "Null", *(["Generated"] if generated else []), "Comment"]
    head = f"<tr>{''.join(f'<th>{name}</th>' for name in heads)}</tr>"
    lines = (_column(field, generated) for field in snapshot.schema)
    return _table([head, *lines])


def _column(field: StructField, generated: Mapping[str, str]) -> str:
    cells = [
        field.name,
        simple_string(field.data_type),
        "yes" if field.nullable else "no",
        *([generated.get(field.name, "")] if generated else []),
        str(field.metadata.get("comment", "")),
    ]
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"


def _table(lines: Iterable[str]) -> str:
    return f"<table>{''.join(lines)}</table>"


def _rows(reader: TableReader) -> str:
    """Return the number of rows, from statistics; `unknown` where a file has none."""
    files = reader.files()
    if files["num_records"].null_count:
        return "unknown"
    # The sum of no file is null. Statistics count the rows that deletion vectors delete as well.
    records = pc.sum(files["num_records"]).as_py() or 0
    deleted = pc.sum(files["num_deleted"]).as_py() or 0
    return f"{records - deleted:,}"
