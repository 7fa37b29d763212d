"""Steps that parity modules share: small tables of few files whose rows are changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.parity.recorder import Recorder

FEED = {"delta.enableChangeDataFeed": "true"}
MAPPED = {"delta.columnMapping.mode": "name"}
TRACKED = {"delta.enableRowTracking": "true"}
VECTORS = {"delta.enableDeletionVectors": "true"}

THREE_AND_TWO = ("(1, 'a'), (2, 'b'), (3, NULL)", "(4, 'd'), (5, 'e')")


def make(
    t: Recorder,
    *files: str,
    columns: str = "id INT, v STRING",
    by: str = "",
    properties: Mapping[str, str] | None = None,
    table: str = "t",
) -> int:
    """Make a table and fill it, unseen.

    Args:
        t: The scenario.
        *files: The rows of a commit each, as a VALUES list; one file a partition holds them.
        columns: The columns as in SQL.
        by: The columns that partition it.
        properties: Its properties.
        table: Its name, or path form.

    Returns:
        The version that the next commit makes.
    """
    told = ", ".join(f"'{key}' = '{value}'" for key, value in (properties or {}).items())
    t.spark.sql(
        f"CREATE TABLE {table} ({columns}) USING delta"
        + (f" PARTITIONED BY ({by})" if by else "")
        + (f" TBLPROPERTIES ({told})" if told else "")
    )
    for rows in files:
        put(t, rows, table)
    return len(files) + 1


def put(t: Recorder, rows: str, table: str = "t") -> None:
    """Append rows of a VALUES list as one file a partition, unseen."""
    t.spark.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ * FROM VALUES {rows}")


def source(t: Recorder, rows: str, columns: str = "id, v", name: str = "s") -> None:
    """Make a temporary view of a VALUES list to merge from, unseen."""
    t.spark.sql(
        f"CREATE OR REPLACE TEMPORARY VIEW {name} AS SELECT * FROM VALUES {rows} AS data({columns})"
    )


def change(t: Recorder, *texts: str, table: str = "t") -> None:
    """Run statements, then show what the table holds."""
    for text in texts:
        t.sql(text)
    t.sql(f"SELECT * FROM {table}")


def merge(t: Recorder, *clauses: str, on: str = "t.id = s.id", evolve: bool = False) -> None:
    """Merge the view `s` into the table `t`, then show what the table holds."""
    way = "MERGE WITH SCHEMA EVOLUTION" if evolve else "MERGE"
    change(t, f"{way} INTO t USING s ON {on} " + " ".join(f"WHEN {c}" for c in clauses))


def versions(t: Recorder, table: str = "t") -> None:
    """Show how many versions there are: what changes nothing makes none."""
    t.value("versions", lambda: t.spark.sql(f"DESCRIBE HISTORY {table}").count())


def feed(t: Recorder, start: int, end: int | None = None, table: str = "t") -> None:
    """Show the changes of versions, without the times of their commits."""
    until = "" if end is None else f", {end}"
    t.sql(f"SELECT * EXCEPT (_commit_timestamp) FROM table_changes('{table}', {start}{until})")
