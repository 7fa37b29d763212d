"""Steps that parity modules share: tables whose rows are numbered, and what they gave out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from tests.parity.recorder import Recorder

MAPPED = {"delta.columnMapping.mode": "name"}


def numbered_table(
    t: Recorder,
    *columns: str,
    start: int = 1,
    step: int = 1,
    default: bool = False,
    table: str = "t",
    nullable: bool = True,
    by: str | None = None,
    properties: Mapping[str, str] | None = None,
) -> None:
    """Make a table by the builder: the identity column `id`, and others.

    Args:
        t: The scenario.
        *columns: The others, as in SQL; `v STRING` where none are named.
        start: The first number.
        step: What the next one is above it.
        default: It is BY DEFAULT, not ALWAYS.
        table: Its name.
        nullable: May the column be null?
        by: The column that partitions it.
        properties: Its properties.
    """
    generator = t.tables.IdentityGenerator(start=start, step=step)
    kind = "generatedByDefaultAs" if default else "generatedAlwaysAs"
    made = t.tables.DeltaTable.create(t.spark).tableName(table)
    made = made.addColumn("id", "BIGINT", nullable=nullable, **{kind: generator})
    for column in columns or ("v STRING",):
        made = made.addColumn(*column.split(" ", 1))
    for key, value in (properties or {}).items():
        made = made.property(key, value)
    (made.partitionedBy(by) if by else made).execute()


def data(t: Recorder, query: str) -> DataFrame:
    """Rows of a query that one task writes, in its order."""
    return t.spark.sql(query).coalesce(1)


def put(t: Recorder, *values: str, table: str = "t") -> None:
    """Insert rows of one column `v`, each in a statement of its own, and show the table."""
    for value in values:
        t.sql(f"INSERT INTO {table} (v) VALUES ('{value}')")
    shown(t, table)


def shown(t: Recorder, table: str = "t") -> None:
    """Show the rows of a table, and where its numbers are."""
    t.sql(f"SELECT * FROM {table} ORDER BY 1, 2")
    t.rows(f"identity of {table}", lambda: identities(t, table))


def identities(t: Recorder, table: str = "t") -> list[str]:
    """Return what the log says of identity columns, and who is told that only marks moved."""
    told: list[str] = []
    tags: Any = None
    for commit in sorted((t.place(table) / "_delta_log").glob("*.json")):
        for line in commit.read_text().splitlines():
            action = json.loads(line)
            if "metaData" in action:
                told = _told(json.loads(action["metaData"]["schemaString"]))
            if "commitInfo" in action:
                tags = (action["commitInfo"].get("tags") or {}).get("delta.identity.schemaUpdate")
    return [*told, f"tag: {tags}"]


def _told(schema: Any) -> list[str]:
    lines = []
    for field in schema["fields"]:
        own = {k: v for k, v in field["metadata"].items() if k.startswith("delta.identity.")}
        if own:
            facts = ", ".join(f"{key.rsplit('.', 1)[1]}={own[key]}" for key in sorted(own))
            lines.append(f"{field['name']} {field['type']}: {facts}")
    return lines
