"""A process whose statements are interrupted, as by Ctrl-C; prints what became of them."""

import json
import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path

from pyspark.sql import SparkSession

import puredelta

logging.basicConfig(level=logging.ERROR)
warehouse = Path(sys.argv[1])

builder = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.sql.warehouse.dir", str(warehouse))
    .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
)
spark = puredelta.configure(builder).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
tracker = spark.sparkContext.statusTracker()
log = warehouse / "t" / "_delta_log"

# Takes a tenth of a second or more a row, and is true.
SLOW = "aggregate(sequence(0, 300000 + v % 7), 0L, (a, x) -> a + x) >= 0"


def versions():
    return sorted(log.glob("*.json"))


def files():
    found = (warehouse / "t").rglob("*.parquet"), (warehouse / "t").rglob("*.bin")
    return {str(one) for some in found for one in some if log not in one.parents}


def named():
    """Return the files that a version names, and how many vectors of its own the table has."""
    names, vectors = set(), set()
    for version in versions():
        for line in version.read_text().splitlines():
            for kind, action in json.loads(line).items():
                if kind in ("add", "cdc"):
                    names.add(str(warehouse / "t" / action["path"]))
                    vector = action.get("deletionVector") or {}
                    if vector.get("storageType") == "u":
                        vectors.add(vector["pathOrInlineDv"])
    return names, len(vectors)


def orphans():
    names, vectors = named()
    bins = [one for one in files() if one.endswith(".bin")]
    return sorted(files() - names - set(bins)) + bins[vectors:]


def runs_job():
    return bool(tracker.getActiveJobsIds())


def wait_for_killed_tasks():
    """Let jobs that were cancelled end, and their tasks remove their files, within a time."""
    deadline = time.monotonic() + 20
    while (runs_job() or orphans()) and time.monotonic() < deadline:
        time.sleep(0.05)


MOMENTS = {
    "at once": lambda _before: True,
    "in a job": lambda _before: runs_job(),
    "with files": lambda before: len(files()) > before[0],
    "committed": lambda before: len(versions()) > before[1],
}


def interrupted(statement, moment):
    before = len(files()), len(versions())
    ended = threading.Event()

    def press():
        while not ended.wait(0.002):
            if MOMENTS[moment](before):
                os.kill(os.getpid(), signal.SIGINT)
                return

    presser = threading.Thread(target=press)
    outcome = None
    try:
        # The interrupt may come at any moment from here on, so all of it is caught.
        presser.start()
        try:
            statement()
            outcome = "ended"
        finally:
            ended.set()
            presser.join()
    except KeyboardInterrupt as interrupt:
        outcome = outcome or f"interrupted {interrupt}".strip()
    except Exception as error:  # noqa: BLE001  # the test tells which it may be
        outcome = f"{type(error).__name__}: {error}"
    wait_for_killed_tasks()
    return {
        "outcome": outcome,
        "committed": len(versions()) - before[1],
        "orphans": orphans(),
        "jobs": list(tracker.getActiveJobsIds()),
        "rows": spark.table("t").count() > 0,
    }


spark.sql(
    "CREATE TABLE t (id BIGINT, v BIGINT) USING delta TBLPROPERTIES "
    "('delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true')"
)
spark.range(40, numPartitions=4).selectExpr("id", "id v").write.insertInto("t")
source = spark.range(40, numPartitions=4).selectExpr("id", "id + 1 v").where(SLOW)
source.createOrReplaceTempView("source")
table = puredelta.DeltaTable.forName(spark, "t")
STATEMENTS = {
    "merge": lambda: spark.sql(
        "MERGE INTO t USING source s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"
    ),
    "delete": lambda: spark.sql(f"DELETE FROM t WHERE id % 9 = 1 AND {SLOW}"),
    "update": lambda: spark.sql(f"UPDATE t SET v = v + 1 WHERE id % 3 = 0 AND {SLOW}"),
    "insert": lambda: spark.sql("INSERT INTO t SELECT * FROM source"),
    "save": lambda: source.write.format("delta").mode("append").save(str(warehouse / "t")),
    "api": lambda: table.update(f"id % 3 = 1 AND {SLOW}", {"v": "v + 1"}),
    "thread": lambda: in_thread(STATEMENTS["insert"]),
}
ASKED = [
    *((name, "in a job") for name in STATEMENTS),
    ("merge", "at once"),
    ("update", "with files"),
    ("save", "with files"),
    ("insert", "committed"),
]


def in_thread(statement):
    """Run a statement in another thread; the interrupt comes to this one."""
    failures = []

    def run():
        try:
            statement()
        except Exception as error:  # noqa: BLE001  # raised in the main thread
            failures.append(error)

    worker = threading.Thread(target=run)
    worker.start()
    try:
        worker.join()
    except KeyboardInterrupt:
        worker.join()
        raise
    raise failures[0]


for name, moment in ASKED:
    print(json.dumps([name, moment, interrupted(STATEMENTS[name], moment)]), flush=True)
spark.stop()
