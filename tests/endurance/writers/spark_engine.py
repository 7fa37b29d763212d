"""Spark SQL as a writer: this package, or delta-spark where `oracle.py exec` runs this file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.endurance.writers.operations import Chooser, Operation
from tests.endurance.writers.writing import RefusedError, Rows, write

OURS, THEIRS = "puredelta", "delta-spark"

_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
_CONFLICT = ("DELTA_CONCURRENT", "DELTA_METADATA_CHANGED", "DELTA_PROTOCOL_CHANGED", "Concurrent")

_STATEMENTS = {
    "append": "INSERT INTO {t} VALUES {rows}",
    "overwrite": "INSERT OVERWRITE {t} VALUES {rows}",
    "update": "UPDATE {t} SET v = v + 1 WHERE id % {divisor} = {remainder}",
    "delete": "DELETE FROM {t} WHERE id % {divisor} = {remainder}",
    "merge": (
        "MERGE INTO {t} AS t USING (SELECT * FROM VALUES {rows} AS s(id, v)) AS s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = t.v + 100 "
        "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 1)"
    ),
    "optimize": "OPTIMIZE {t}",
}


class SparkEngine:
    """Writes by statements."""

    def __init__(self, spark: Any, path: str, name: str) -> None:
        self.name = name
        self._spark = spark
        self._table = f"delta.`{path}`"

    def run(self, operation: Operation) -> int | None:
        """Carry an operation out; see `Engine`. No statement tells its version."""
        rows = ", ".join(f"({id_}L, 0L)" for id_ in operation.ids)
        text = _STATEMENTS[operation.kind].format(
            t=self._table, rows=rows, divisor=operation.divisor, remainder=operation.remainder
        )
        self._spark.conf.set(_METADATA, operation.token)
        try:
            self._spark.sql(text).collect()
        except Exception as error:
            if any(word in str(error) or word in type(error).__name__ for word in _CONFLICT):
                raise RefusedError(str(error).partition("\n")[0]) from error
            raise
        return None

    def read(self) -> tuple[int, Rows]:
        """Return the newest version, and its rows."""
        version = self._spark.sql(f"DESCRIBE HISTORY {self._table} LIMIT 1").first().version
        found = self._spark.sql(f"SELECT id, v FROM {self._table} VERSION AS OF {version}")
        return version, [(row.id, row.v) for row in found.collect()]


def start_ours() -> Any:
    """Start a session that speaks Delta by this package."""
    from pyspark.sql import SparkSession

    import puredelta

    builder = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "1")
    )
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def main(path: str, writer: str, notes: str, stop: str, share: str) -> None:
    """Write; see `write`."""
    theirs = globals().get("spark")
    name = f"{OURS if theirs is None else THEIRS} {writer}"
    engine = SparkEngine(theirs or start_ours(), path, name)
    write(engine, Chooser(int(writer)), Path(notes), Path(stop), int(share))


if __name__ == "__main__":
    main(*sys.argv[1:])
