"""An archive of the classes that Spark loads: with it, a JVM starts in half the time.

    python -m tests.class_archive      makes the archive, unless it is there

A JVM maps the archive into its memory instead of reading, checking and linking some 20,000 classes
(Java's "application class-data sharing"). It fits one PySpark in one place and one Java; a JVM that
it does not fit starts without it, as does one of a run before it was made.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

# Most code of a test runs once: compiling it well takes longer than running it. A warning of a JVM
# that the archive does not fit is no line of the program that it runs.
OPTIONS = (
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC -Xlog:disable "
    # Hadoop starts chmod for each file that it makes.
    "-Djdk.lang.Process.launchMechanism=VFORK"
)
FOLDER = Path(sys.prefix) / "share" / "puredelta-tests"

STATEMENTS = (
    "CREATE TABLE t (id BIGINT, v STRING, p INT) USING delta PARTITIONED BY (p)",
    "INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2), (3, NULL, NULL)",
    "UPDATE t SET v = upper(v) WHERE id < 3",
    "DELETE FROM t WHERE id = 2",
    "MERGE INTO t USING (SELECT id, 'm' v, 1 p FROM range(5)) s ON t.id = s.id \
WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *",
    "ALTER TABLE t ADD COLUMN w DECIMAL(10, 2)",
    "INSERT OVERWRITE t SELECT id, v, p, 1.5 FROM t WHERE id > 1",
    "SELECT p, count(*), max(v) FROM t JOIN range(9) USING (id) GROUP BY p ORDER BY p",
    "DESCRIBE HISTORY t",
    "DESCRIBE EXTENDED t",
)


def archive() -> Path:
    """The archive for this Python's PySpark and the Java that it finds."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else "java"
    shown = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    digest = hashlib.sha256(shown.encode()).hexdigest()[:12]
    return FOLDER / f"spark-{version('pyspark')}-java-{digest}.jsa"


def use() -> None:
    """Let every JVM that this process and its children start map the archive, if it is there."""
    if "SPARK_SUBMIT_OPTS" in os.environ:
        return
    try:
        found = archive()
    except FileNotFoundError:
        return  # no Java: the tests that need it say so
    mapped = f" -XX:SharedArchiveFile={found}" if found.is_file() else ""
    os.environ["SPARK_SUBMIT_OPTS"] = OPTIONS + mapped
    # The one that puts Spark's command line together.
    os.environ["SPARK_LAUNCHER_OPTS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def make() -> None:
    """Run statements in a JVM that writes the archive when it ends."""
    made = archive()
    if made.is_file():
        return
    made.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=made.parent) as folder:
        written = Path(folder) / made.name
        os.environ["SPARK_SUBMIT_OPTS"] = f"{OPTIONS} -XX:ArchiveClassesAtExit={written}"
        _run_statements(Path(folder))
        if written.is_file():
            written.rename(made)
        else:
            print("this Java writes no archive of classes; the tests run without", file=sys.stderr)


def _run_statements(folder: Path) -> None:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    import puredelta

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.warehouse.dir", str(folder / "warehouse"))
    spark = puredelta.configure(builder).getOrCreate()
    for statement in STATEMENTS:
        spark.sql(statement).collect()
    spark.table("t").write.format("delta").save(str(folder / "u"))
    spark.stop()
    jvm = SparkContext._gateway.proc
    jvm.stdin.close()
    jvm.wait()


if __name__ == "__main__":
    make()
