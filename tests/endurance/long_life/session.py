"""A session of many statements of all kinds, which says from time to time what it holds.

    python -m tests.endurance.long_life.session STATEMENTS

Prints a JSON object a line: how many statements ran, and what the process and its JVM hold then.
Each round makes tables, changes them and drops them, so that a statement of the last round finds
what one of the first round found.
"""

import gc
import json
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from py4j.java_gateway import JavaObject
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import puredelta

# Rounds warm up for so long: caches fill, classes are loaded, code is compiled.
WARM_ROUNDS = 3
SAMPLES = 20

Statement = Callable[[], object]


def start(folder: Path) -> SparkSession:
    """Start the session."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .config("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    )
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def statements(spark: SparkSession, folder: Path) -> Iterator[Statement]:
    """Yield the statements of a round."""
    path = folder / "of_path"

    def sql(text: str) -> Statement:
        return lambda: spark.sql(text).collect()

    def refused(text: str) -> Statement:
        def run() -> None:
            try:
                spark.sql(text).collect()
            except PySparkException:
                return
            raise AssertionError(text)

        return run

    def append() -> None:
        rows = spark.range(20).selectExpr("id + 100 AS id", "'b' AS v", "1 AS p")
        rows.write.format("delta").mode("append").saveAsTable("t")

    def stream() -> None:
        frame = spark.readStream.format("delta").load(str(path))
        query = (
            frame.writeStream.format("delta")
            .option("checkpointLocation", str(folder / "stream"))
            .trigger(availableNow=True)
            .start(str(folder / "sink"))
        )
        query.awaitTermination()

    def read_without_spark() -> None:
        puredelta.open_table(path).to_arrow()

    yield sql(
        "CREATE TABLE t (id BIGINT, v STRING, p INT) USING delta PARTITIONED BY (p) "
        "TBLPROPERTIES (delta.enableDeletionVectors = true)"
    )
    for number in range(5):
        yield sql(f"INSERT INTO t VALUES ({number}, 'a', {number % 2}), ({number + 10}, 'b', 0)")
    yield append
    yield sql("UPDATE t SET v = upper(v) WHERE id < 3")
    yield sql("DELETE FROM t WHERE id = 101")
    yield sql(
        "MERGE INTO t USING (SELECT id, 'm' v, 1 p FROM range(50)) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"
    )
    yield sql("SELECT p, count(*), max(v) FROM t GROUP BY p")
    yield sql("SELECT * FROM t VERSION AS OF 2 WHERE id = 3")
    yield refused("SELECT nowhere FROM t")
    yield refused("INSERT INTO t VALUES ('not a number', 1, 2, 3)")
    yield sql("ALTER TABLE t ADD COLUMN w DECIMAL(10, 2)")
    yield sql("ALTER TABLE t ADD CONSTRAINT positive CHECK (id >= 0)")
    yield refused("INSERT INTO t VALUES (-1, 'c', 0, 1.5)")
    yield sql("OPTIMIZE t ZORDER BY (id)")
    yield sql("DESCRIBE HISTORY t")
    yield sql("DESCRIBE DETAIL t")
    yield sql("RESTORE TABLE t TO VERSION AS OF 3")
    yield sql("VACUUM t RETAIN 0 HOURS")
    yield sql(f"CREATE TABLE delta.`{path}` SHALLOW CLONE t")
    yield stream
    yield read_without_spark
    yield lambda: puredelta.DeltaTable.forPath(spark, str(path)).toDF().collect()
    yield sql("DROP TABLE t")


def clean(folder: Path) -> None:
    """Remove what a round left outside of the warehouse."""
    for name in ("of_path", "stream", "sink"):
        shutil.rmtree(folder / name, ignore_errors=True)


def holdings() -> dict[str, float]:
    """Count what this process and its JVM hold, after their garbage is collected."""
    gateway = SparkContext._gateway
    gc.collect()
    # Objects that Python let go are released in the JVM by a thread.
    time.sleep(0.3)
    runtime = gateway.jvm.java.lang.Runtime.getRuntime()
    for _ in range(2):
        gateway.jvm.java.lang.System.gc()
    server = JavaObject("GATEWAY_SERVER", gateway._gateway_client)
    jvm = gateway.proc.pid
    return {
        "Python, MB": _resident("self"),
        "JVM's heap, MB": (runtime.totalMemory() - runtime.freeMemory()) / 2**20,
        "JVM, MB": _resident(jvm),
        "Python's threads": threading.active_count(),
        "JVM's threads": _entries(f"/proc/{jvm}/task"),
        "Python's files and sockets": _entries("/proc/self/fd"),
        "JVM's files and sockets": _entries(f"/proc/{jvm}/fd"),
        "JVM's objects kept for Python": server.getGateway().getBindings().size(),
        "Python's objects kept for the JVM": len(gateway.gateway_property.pool),
    }


def _entries(folder: str) -> int:
    return len(list(Path(folder).iterdir()))


def _resident(process: str | int) -> float:
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def run(count: int) -> None:
    """Run statements, and print samples of what is held."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spark = start(folder)
        done = rounds = 0
        due = 0
        while done < count or rounds < WARM_ROUNDS + 2:
            for statement in statements(spark, folder):
                statement()
                done += 1
            clean(folder)
            rounds += 1
            if rounds >= WARM_ROUNDS and (done >= due or done >= count):
                print(json.dumps({"statements": done, **holdings()}), flush=True)
                due = done + count // SAMPLES
        spark.stop()


if __name__ == "__main__":
    run(int(sys.argv[1]))
