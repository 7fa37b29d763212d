"""A table at a glance, as HTML: its facts and its columns."""

from collections.abc import Iterator, Mapping

import pyarrow.compute as pc

from puredelta._util.printable_text import printable
from puredelta._util.size_text import size_text
from puredelta.log.reader import TableReader
from puredelta.notebook.html_table import (
    HtmlCell,
    HtmlTable,
    facts_table,
    full_text_cell,
    render_html,
    text_cell,
)
from puredelta.schema.datatypes import StructField, simple_string
from puredelta.table.expressions.generation_clauses import generation_clauses


def table_html(label: str, reader: TableReader) -> str:
    """Return a table's facts and schema as two HTML tables.

    Args:
        label: what the table is called.
        reader: the version.
    """
    facts = [(term, full_text_cell(text)) for term, text in _facts(reader) if text]
    return render_html("puredelta-table", printable(label), facts_table(facts), _columns(reader))


def _facts(reader: TableReader) -> Iterator[tuple[str, str]]:
    """Yield terms and what they are; empty where the table has none."""
    facts, snapshot = reader.detail(), reader.snapshot
    yield "Description", facts["description"] or ""
    yield "Location", facts["location"]
    yield "Version", str(snapshot.version)
    yield "Last modified", _without_fraction(facts["lastModified"])
    yield "Rows", _rows(reader)
    yield "Files", f"{snapshot.num_files:,} ({size_text(snapshot.size_in_bytes)})"
    yield "Partitioned by", ", ".join(snapshot.partition_columns)
    yield "Clustered by", ", ".join(facts["clusteringColumns"] or ())
    yield "Features", ", ".join(facts["tableFeatures"])
    yield "Protocol", f"reader {facts['minReaderVersion']}, writer {facts['minWriterVersion']}"


def _without_fraction(text: str) -> str:
    """Write a time of `TableReader.detail`, which is in UTC, for people."""
    return f"{text[:19].replace('T', ' ')} UTC"


def _columns(reader: TableReader) -> HtmlTable:
    """Return the columns; what no column has is left out."""
    generated = generation_clauses(reader.schema)
    has_comments = any(field.metadata.get("comment") for field in reader.schema)
    heads = [
        "Column",
        "Type",
        "Null",
        *(["Generated"] if generated else []),
        *(["Comment"] if has_comments else []),
    ]
    rows = [_column(field, generated, has_comments=has_comments) for field in reader.schema]
    return HtmlTable([HtmlCell(name) for name in heads], rows)


def _column(
    field: StructField, generated: Mapping[str, str], *, has_comments: bool
) -> list[HtmlCell]:
    cells = [
        text_cell(field.name),
        text_cell(simple_string(field.data_type)),
        HtmlCell("yes" if field.nullable else "no"),
    ]
    if generated:
        cells.append(full_text_cell(generated.get(field.name, "")))
    if has_comments:
        cells.append(full_text_cell(str(field.metadata.get("comment", ""))))
    return cells


def _rows(reader: TableReader) -> str:
    """Return the number of rows, from statistics; `unknown` where a file has none."""
    files = reader.files()
    if files["num_records"].null_count:
        return "unknown"
    # The sum of no file is null. Statistics count the rows that deletion vectors delete as well.
    records = pc.sum(files["num_records"]).as_py() or 0
    deleted = pc.sum(files["num_deleted"]).as_py() or 0
    return f"{records - deleted:,}"
