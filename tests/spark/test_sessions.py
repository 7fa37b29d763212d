"""Sessions in processes of their own: restarts, clones, threads, clusters, other people's code."""

import subprocess
import sys
import textwrap

import pytest

START = """
import tempfile
import puredelta
from pyspark.sql import SparkSession

def builder(master="local[2]"):
    return (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.warehouse.dir", tempfile.mkdtemp())
    )

folder = tempfile.mkdtemp()
"""


def run(script: str) -> str:
    """Run a script in a new process; return the lines it prints."""
    done = subprocess.run(
        [sys.executable, "-c", START + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_stopped_context_can_be_started_again():
    shown = run("""
        spark = puredelta.configure(builder()).getOrCreate()
        spark.range(3).write.format("delta").save(folder + "/t")
        spark.stop()
        again = puredelta.configure(builder()).getOrCreate()
        again.range(4).write.format("delta").mode("append").save(folder + "/t")
        print("rows", again.read.format("delta").load(folder + "/t").count())
    """)

    assert "rows 7" in shown


def test_options_of_a_table_are_dropped_when_others_come_and_when_the_context_stops():
    shown = run("""
        from puredelta.engine.hadoop import table_options
        from puredelta.exceptions import DeltaIllegalStateException
        spark = puredelta.configure(builder()).getOrCreate()
        spark.range(3).write.format("delta").save(folder + "/t")
        reader = spark.read.format("delta").option("fs.file.impl.disable.cache", "true")
        rows = reader.load(folder + "/t")
        print("rows", rows.count())
        for other in range(256):
            table_options.remember({"fs.other": str(other)})
        try:
            rows.count()
        except DeltaIllegalStateException as refused:
            print("refused", refused.getCondition())
        print("again", reader.load(folder + "/t").count())
        spark.stop()
        print("kept", len(table_options._by_number), len(table_options._number_of))
    """)

    assert shown.splitlines() == [
        "rows 3",
        "refused PUREDELTA_TABLE_OPTIONS_DROPPED",
        "again 3",
        "kept 0 0",
    ]


def test_new_sessions_and_threads_share_a_process():
    shown = run("""
        from concurrent.futures import ThreadPoolExecutor
        spark = puredelta.configure(builder()).getOrCreate()
        spark.sql("CREATE TABLE t (id BIGINT) USING delta")

        def work(n):
            own = spark.newSession()
            for i in range(3):
                own.sql(f"INSERT INTO t VALUES ({n * 10 + i})")
            return own.table("t").count() >= 3

        with ThreadPoolExecutor(4) as pool:
            print("seen", all(pool.map(work, range(4))))
        print("rows", spark.table("t").count(), spark.sql("DESCRIBE HISTORY t").count())
    """)

    assert "seen True" in shown
    assert "rows 12 13" in shown


def test_local_cluster_writes_and_reads():
    shown = run("""
        spark = puredelta.configure(builder("local-cluster[2,1,1024]")).getOrCreate()
        rows = spark.range(0, 1000, 1, 4).selectExpr("id", "id % 3 AS p")
        rows.write.format("delta").partitionBy("p").save(folder + "/t")
        found = spark.read.format("delta").load(folder + "/t")
        print("rows", found.where("p = 1").count(), found.agg({"id": "sum"}).collect()[0][0])
    """)

    assert "rows 333 499500" in shown


def test_enable_keeps_views_and_settings_of_the_session():
    shown = run("""
        plain = builder().getOrCreate()
        plain.range(5).createOrReplaceTempView("v")
        plain.conf.set("spark.sql.shuffle.partitions", "3")
        spark = puredelta.enable(plain)
        spark.sql("CREATE TABLE t USING delta AS SELECT * FROM v")
        print("rows", spark.table("t").count(), spark.conf.get("spark.sql.shuffle.partitions"))
        print("same context", spark.sparkContext is plain.sparkContext)
        print("twice", puredelta.enable(spark) is spark)
        print("default", SparkSession.builder.getOrCreate().sql("DESCRIBE DETAIL t").count())
        plain.range(9).createOrReplaceTempView("later")
        print("later", spark.catalog.tableExists("later"))
        for statement in (
            "SELECT * FROM t",
            "CREATE TABLE u (a INT) USING delta",
            f"SELECT * FROM delta.`{folder}`",
            "INSERT INTO t VALUES (5)",
            "DELETE FROM t WHERE id = 1",
            "ALTER TABLE t ADD COLUMNS (x INT)",
        ):
            try:
                plain.sql(statement).collect()
                print("no advice for", statement)
            except Exception as error:
                print("rebind" if "Rebind: spark = puredelta.enable" in str(error) else error)
    """)

    assert "rows 5 3" in shown
    assert "same context True" in shown
    assert "twice True" in shown
    assert "default 1" in shown
    assert "later False" in shown
    assert shown.count("rebind") == 6, shown


def test_configure_over_a_session_that_exists_gives_one_that_speaks_delta():
    shown = run("""
        builder().getOrCreate()
        spark = puredelta.configure(builder()).getOrCreate()
        spark.range(2).write.format("delta").save(folder + "/t")
        print("rows", spark.read.format("delta").load(folder + "/t").count())
    """)

    assert "rows 2" in shown


def test_script_for_delta_spark_runs_unchanged():
    shown = run("""
        puredelta.install_as_delta()
        puredelta.install_as_delta()
        import delta
        from delta import DeltaTable, configure_spark_with_delta_pip
        from delta.tables import DeltaTable as AsInTables
        from delta.exceptions import DeltaConcurrentModificationException
        extension = "io.delta.sql.DeltaSparkSessionExtension"
        catalog = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
        spark = configure_spark_with_delta_pip(
            builder()
            .config("spark.sql.extensions", extension)
            .config("spark.sql.catalog.spark_catalog", catalog)
        ).getOrCreate()
        spark.range(5).write.format("delta").save(folder + "/t")
        table = DeltaTable.forPath(spark, folder + "/t")
        print("rows", table.toDF().count(), table.history().count())
        print("ours", DeltaTable is AsInTables is puredelta.DeltaTable, delta is puredelta)
        from puredelta.errors.classes import ConcurrentAppendError
        from puredelta.engine.exceptions import public
        told = dict(operation="WRITE", partition="p", version=1, docLink="", commitTime="now")
        from puredelta.errors.render import lookup
        places = lookup("DELTA_CONCURRENT_APPEND").places
        error = public(
            ConcurrentAppendError("DELTA_CONCURRENT_APPEND", **{p: "x" for p in places})
        )
        print("caught", isinstance(error, DeltaConcurrentModificationException))
    """)

    assert "rows 5 1" in shown
    assert "ours True True" in shown
    assert "caught True" in shown


def test_real_delta_imported_before_is_refused():
    shown = run("""
        import sys, types
        real = types.ModuleType("delta")
        real.__file__ = "/site-packages/delta/__init__.py"
        sys.modules["delta"] = real
        try:
            puredelta.install_as_delta()
        except Exception as error:
            print(type(error).__name__, error)
    """)

    assert "DeltaRuntimeException [PUREDELTA_REAL_DELTA_IMPORTED]" in shown


@pytest.mark.parametrize("value", ["text", 3, None])
def test_configure_takes_nothing_but_a_builder(value):
    import puredelta

    with pytest.raises(TypeError, match="must be called with a SparkSession builder"):
        puredelta.configure(value)
