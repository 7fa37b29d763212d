"""A Spark process that rewrites a table, keeps what a kill would leave at each step, and goes on.

What SIGKILL leaves on disk is what is there at that moment. While the driver changes the log, no
task runs: a copy of the table's folder before each change is what a kill would leave. At last the
process optimizes without a pause until it is killed itself.
"""

import os
import shutil
import sys
from pathlib import Path

from pyspark.sql import SparkSession

import puredelta

PARTITIONS, FILES, ROWS = 3, 3, 30
STEPS = {
    # Two tasks run at once, so that three bins are two versions.
    "bins": ("spark.puredelta.optimize.commitEachBin", "OPTIMIZE {t}"),
    "z-order": ("spark.puredelta.optimize.commitEachBin", "OPTIMIZE {t} ZORDER BY (id)"),
    "auto compaction": (
        "spark.databricks.delta.autoCompact.enabled",
        "INSERT INTO {t} SELECT id, id % 3 FROM range(1000, 1030)",
    ),
}
INSERTED = tuple(range(1000, 1030))


def rows_of(number):
    """The rows of an append."""
    return range(number * ROWS, (number + 1) * ROWS)


def append(spark, path, number):
    """Add a small file to each partition."""
    rows = rows_of(number)
    frame = spark.range(rows.start, rows.stop, 1, 1).selectExpr("id", f"id % {PARTITIONS} AS p")
    frame.write.format("delta").mode("append").save(path)


def make(spark, path):
    """Make a table of small files; each version gets a checkpoint."""
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id BIGINT, p BIGINT) USING delta PARTITIONED BY (p)"
        " TBLPROPERTIES ('delta.checkpointInterval' = '1')"
    )
    for number in range(FILES):
        append(spark, path, number)


class Copies:
    """Copies of a table's folder, one before each change of its log that makes a difference."""

    def __init__(self, path, place):
        self._path = path
        self._place = place
        self._last = None
        self._is_on = False
        self._step = ""
        sys.addaudithook(self._see)

    def of(self, step):
        """Copy from now on, under the name of a step; an empty name ends it."""
        self._step, self._last, self._is_on = step, None, bool(step)

    def _see(self, event, arguments):
        if not self._is_on or not event.startswith(("open", "os.")):
            return
        log = f"{self._path}/_delta_log"
        if not any(
            isinstance(one, str | os.PathLike) and str(one).startswith(log) for one in arguments
        ):
            return
        self._is_on = False
        found = sorted(str(one) for one in Path(self._path).rglob("*") if one.suffix != ".tmp")
        if found != self._last:
            self._last = found
            shutil.copytree(self._path, self._place / self._step / f"{len(self._taken()):02}")
        self._is_on = True

    def _taken(self):
        folder = self._place / self._step
        folder.mkdir(parents=True, exist_ok=True)
        return list(folder.iterdir())


def start():
    """Start a session in which two tasks run at once."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.databricks.delta.autoCompact.minNumFiles", "2")
    )
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def main(place):
    """Go through the steps, and then on until somebody kills the process."""
    spark = start()
    for step, (setting, statement) in STEPS.items():
        path = str(place / "alive" / step)
        make(spark, path)
        copies = Copies(path, place / "copies")
        spark.conf.set(setting, "true")
        copies.of(step)
        spark.sql(statement.replace("{t}", f"delta.`{path}`"))
        copies.of("")
        spark.conf.unset(setting)
    path = str(place / "killed")
    make(spark, path)
    number = FILES
    while True:
        append(spark, path, number)
        print("appended", number, flush=True)
        spark.sql(f"OPTIMIZE delta.`{path}`")
        number += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]))
