"""What tests of DELETE and UPDATE ask of a table: its log, and its rows."""

import json
from pathlib import Path

VECTORS = {"delta.enableDeletionVectors": "true"}


def create(spark, root, columns="id INT, v STRING", by=(), properties=None):
    """Make an empty table."""
    parts = f"PARTITIONED BY ({', '.join(by)})" if by else ""
    said = ", ".join(f"'{key}' = '{value}'" for key, value in (properties or {}).items())
    spark.sql(
        f"CREATE TABLE delta.`{root}` ({columns}) USING delta {parts} "
        + (f"TBLPROPERTIES ({said})" if said else "")
    )


def put(spark, root, *values):
    """Add rows, in one file."""
    listed = ", ".join(values)
    spark.sql(f"INSERT INTO delta.`{root}` SELECT /*+ COALESCE(1) */ * FROM VALUES {listed}")


def run(spark, statement):
    """Return how many rows a statement says it changed."""
    [row] = spark.sql(statement).collect()
    return row.num_affected_rows


def rows_of(spark, root, order="id"):
    """Return the rows of a table as tuples."""
    frame = spark.sql(f"SELECT * FROM delta.`{root}` ORDER BY {order}")
    return [tuple(row) for row in frame.collect()]


def actions(root, version, kind):
    """Return the actions of one kind in a version."""
    text = (Path(root) / "_delta_log" / f"{version:020}.json").read_text("utf-8")
    return [found[kind] for found in map(json.loads, text.splitlines()) if kind in found]


def metrics(root, version):
    """Return what history says of a version, in numbers."""
    [info] = actions(root, version, "commitInfo")
    return {key: int(value) for key, value in info["operationMetrics"].items()}


def last(root):
    """Return the number of the newest version."""
    return max(int(file.stem) for file in (Path(root) / "_delta_log").glob("*.json"))
