"""Files that the driver writes anew: all is as where Spark writes them."""

from urllib.parse import urlsplit

import pyarrow.parquet as pq
import pytest

from puredelta.engine.exceptions import DeltaInvariantViolationException
from puredelta.settings import CODEC, REWRITE_ON_DRIVER

UPDATE = "UPDATE {t} SET v = -v WHERE id IN (2, 5)"
DELETE = "DELETE FROM {t} WHERE id IN (2, 5)"
MERGE = """MERGE INTO {t} t USING (SELECT 5L AS id, 50 AS v UNION ALL SELECT 9, 90) s ON t.id = s.id
    WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)"""
STATEMENTS = (UPDATE, DELETE, MERGE)

TYPES = """SELECT id, cast(id AS INT) AS v, cast(id AS TINYINT) AS b, cast(id AS SMALLINT) AS s,
    cast(id AS DECIMAL(5,2)) AS small, cast(id AS DECIMAL(38,10)) AS large, id % 2 = 0 AS flag,
    if(id = 3, float('NaN'), float(id)) AS f, if(id = 4, double('-Infinity'), -0.0D) AS d,
    concat('ä☃', id) AS text, cast('x' AS BINARY) AS bytes, date '1750-05-05' + id::INT AS day,
    timestamp '2026-03-29 02:30:00.123456' + make_interval(0, 0, 0, id::INT) AS at,
    timestamp_ntz '0001-01-01 00:00:00.000001' AS ntz, array(id, null) AS list,
    map('k', named_struct('a', id, 'b', cast(null AS STRING))) AS pairs,
    if(id = 5, null, named_struct('x', id, 'y', array(named_struct('z', id)))) AS nested,
    if(id = 2, null, id) AS gap FROM range(0, 8, 1, 2)"""


def writers(spark, name):
    """Return which programs wrote the files of a table."""
    paths = [urlsplit(path).path for path in spark.table(name).inputFiles()]
    return {pq.read_metadata(path).created_by.split(" ")[0] for path in paths}


def both_ways(spark, make, statement):
    """Return the rows, counts and writers of a statement on two equal tables."""
    results = {}
    for name, most in (("by_driver", "128"), ("by_spark", "0")):
        spark.sql(f"DROP TABLE IF EXISTS {name}")
        make(name)
        spark.conf.set(REWRITE_ON_DRIVER, most)
        try:
            answer = spark.sql(statement.format(t=name)).first()
        finally:
            spark.conf.unset(REWRITE_ON_DRIVER)
        # As texts, in which NaN is equal to itself.
        rows = sorted(map(repr, spark.table(name).collect()))
        metrics = spark.sql(f"DESCRIBE HISTORY {name}").first().operationMetrics
        counts = {key: count for key, count in metrics.items() if "Rows" in key}
        results[name] = (tuple(answer), rows, counts, writers(spark, name))
    return results


def check_alike(results):
    """Check that both ways did the same, and that each wrote files."""
    (*driver, by_arrow), (*by_spark, by_job) = results["by_driver"], results["by_spark"]
    assert driver == by_spark
    assert "parquet-cpp-arrow" in by_arrow
    assert by_job == {"parquet-mr"}


@pytest.mark.parametrize("statement", STATEMENTS, ids=["update", "delete", "merge"])
@pytest.mark.parametrize("mode", ["none", "name"])
def test_rows_of_all_types(spark, statement, mode):
    def make(name):
        spark.sql(f"""CREATE TABLE {name} USING delta
            TBLPROPERTIES ('delta.columnMapping.mode' = '{mode}') AS {TYPES}""")
        if mode == "name":
            spark.sql(f"ALTER TABLE {name} RENAME COLUMN nested.x TO renamed")
            spark.sql(f"ALTER TABLE {name} RENAME COLUMN text TO said")

    check_alike(both_ways(spark, make, statement))


@pytest.mark.parametrize("statement", STATEMENTS, ids=["update", "delete", "merge"])
@pytest.mark.parametrize(
    "by",
    ["gap", "text, day", "at", "flag, v"],
)
def test_rows_of_partitions(spark, statement, by):
    def make(name):
        spark.sql(f"CREATE TABLE {name} USING delta PARTITIONED BY ({by}) AS {TYPES}")
        for more in (100, 200):
            spark.sql(f"INSERT INTO {name} SELECT id + {more} AS id, * EXCEPT (id) FROM ({TYPES})")
        spark.sql(f"OPTIMIZE {name}")

    check_alike(both_ways(spark, make, statement))


def test_rows_that_move_to_other_partitions(spark):
    def make(name):
        spark.sql(
            f"CREATE TABLE {name} (id BIGINT, v INT, p STRING) USING delta PARTITIONED BY (p)"
        )
        spark.sql(f"INSERT INTO {name} SELECT id, id, id % 3 FROM range(12)")

    statement = "UPDATE {t} SET p = if(id < 6, '', 'new') WHERE id IN (1, 4, 7)"
    results = both_ways(spark, make, statement)
    check_alike(results)
    partitions = spark.sql("SELECT DISTINCT p FROM by_driver").collect()
    assert {row.p for row in partitions} == {"0", "1", "2", None, "new"}


@pytest.mark.parametrize("statement", STATEMENTS, ids=["update", "delete", "merge"])
def test_files_with_vectors_old_types_and_lacking_columns(spark, statement):
    def make(name):
        spark.sql(f"""CREATE TABLE {name} (id BIGINT, v SMALLINT) USING delta TBLPROPERTIES (
            'delta.enableDeletionVectors' = 'true', 'delta.enableTypeWidening' = 'true')""")
        spark.sql(f"INSERT INTO {name} SELECT id, id FROM range(0, 8, 1, 1)")
        spark.sql(f"DELETE FROM {name} WHERE id IN (0, 4)")
        spark.sql(f"ALTER TABLE {name} ALTER COLUMN v TYPE INT")
        spark.sql(f"ALTER TABLE {name} ADD COLUMN late STRING")
        spark.sql(f"INSERT INTO {name} VALUES (100, 100000, 'x')")

    for kind in ("update", "delete", "merge"):
        spark.conf.set(f"spark.databricks.delta.{kind}.deletionVectors.persistent", "false")
    try:
        check_alike(both_ways(spark, make, statement))
    finally:
        for kind in ("update", "delete", "merge"):
            spark.conf.unset(f"spark.databricks.delta.{kind}.deletionVectors.persistent")


def test_rules_of_the_table_hold(spark, tmp_path):
    spark.sql(f"""CREATE TABLE kept (id BIGINT, v INT NOT NULL,
        twice INT GENERATED ALWAYS AS (v * 2)) USING delta LOCATION '{tmp_path}/t'""")
    spark.sql("INSERT INTO kept (id, v) SELECT id, id FROM range(0, 8, 1, 1)")
    spark.sql("ALTER TABLE kept ADD CONSTRAINT small CHECK (v < 100)")
    files = sorted((tmp_path / "t").glob("*.parquet"))

    with pytest.raises(DeltaInvariantViolationException, match="small"):
        spark.sql("UPDATE kept SET v = 100 + v WHERE id = 3")
    with pytest.raises(DeltaInvariantViolationException, match="null"):
        spark.sql("UPDATE kept SET v = null WHERE id = 3")

    assert sorted((tmp_path / "t").glob("*.parquet")) == files
    spark.sql("UPDATE kept SET v = 30 WHERE id = 3")
    assert spark.sql("SELECT v, twice FROM kept WHERE id = 3").collect() == [(30, 60)]
    assert writers(spark, "kept") == {"parquet-cpp-arrow"}


def test_rows_stay_with_their_neighbours(spark):
    spark.sql("CREATE TABLE wide (id BIGINT, v STRING) USING delta")
    text = "sha2(cast(id * 7 + {n} AS STRING), 512)"
    values = ", ".join(text.format(n=n) for n in range(4))
    spark.sql(f"INSERT INTO wide SELECT id, concat({values}) FROM range(0, 60000, 1, 2)")
    assert len(spark.table("wide").inputFiles()) == 2

    spark.sql("UPDATE wide SET v = 'x' WHERE id IN (10, 59000)")

    # Each row is in the file of its keys, or a search by key would have to read both.
    for key in (10, 59_000):
        found = spark.table("wide").where(f"id = {key}")
        assert len(spark.sql(f"SELECT * FROM wide WHERE id = {key}").collect()) == 1
        assert len({row.f for row in found.selectExpr("_metadata.file_path AS f").collect()}) == 1
    bounds = spark.sql(
        "SELECT min(id) AS low, max(id) AS high FROM wide GROUP BY _metadata.file_path"
    )
    assert sorted(map(tuple, bounds.collect())) == [(0, 29_999), (30_000, 59_999)]
    assert writers(spark, "wide") == {"parquet-cpp-arrow"}


def test_small_files_become_one(spark):
    spark.sql("CREATE TABLE little (id BIGINT, v INT) USING delta")
    spark.sql("INSERT INTO little SELECT id, id FROM range(0, 100, 1, 10)")

    spark.sql("UPDATE little SET v = 0 WHERE id % 10 = 0")

    assert len(spark.table("little").inputFiles()) == 1


@pytest.mark.parametrize(
    ("clauses", "on"),
    [
        ("WHEN MATCHED THEN DELETE", "t.id = s.id"),
        ("WHEN MATCHED AND s.v > 3 THEN DELETE WHEN MATCHED THEN UPDATE SET *", "t.id = s.id"),
        ("WHEN MATCHED THEN UPDATE SET v = t.v + s.v", "t.id = s.id AND t.v < 5"),
        ("WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = -1", "t.id = s.id"),
        (
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED AND s.id > 9 THEN INSERT *",
            "t.id = s.id",
        ),
        ("WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *", "t.id = s.id"),
        (
            "WHEN MATCHED THEN DELETE WHEN NOT MATCHED BY SOURCE AND t.id = 0 THEN DELETE",
            "t.id = s.id",
        ),
    ],
)
def test_clauses_of_merge(spark, clauses, on):
    def make(name):
        spark.sql(f"CREATE TABLE {name} (id BIGINT, v INT) USING delta")
        spark.sql(f"INSERT INTO {name} SELECT id, id FROM range(0, 8, 1, 3)")

    source = "SELECT id + 4 AS id, cast(id AS INT) AS v FROM range(8)"
    merge = f"MERGE INTO {{t}} t USING ({source}) s ON {on} {clauses}"
    check_alike(both_ways(spark, make, merge))


@pytest.mark.parametrize("recording", ["delta.enableChangeDataFeed", "delta.enableRowTracking"])
def test_tables_that_record_more_are_left_to_spark(spark, recording):
    spark.sql(f"""CREATE OR REPLACE TABLE recorded (id BIGINT, v INT) USING delta
        TBLPROPERTIES ('{recording}' = 'true')""")
    spark.sql("INSERT INTO recorded SELECT id, id FROM range(0, 8, 1, 1)")
    for statement in STATEMENTS:
        spark.sql(statement.format(t="recorded"))
    assert writers(spark, "recorded") == {"parquet-mr"}


@pytest.mark.parametrize("key", [CODEC, "parquet.page.size"])
def test_settings_of_files_are_left_to_spark(spark, key):
    spark.sql("CREATE OR REPLACE TABLE chosen (id BIGINT, v INT) USING delta")
    spark.sql("INSERT INTO chosen SELECT id, id FROM range(0, 8, 1, 1)")
    spark.conf.set(key, "zstd" if key == CODEC else "65536")
    try:
        for statement in STATEMENTS:
            spark.sql(statement.format(t="chosen"))
    finally:
        spark.conf.unset(key)
    assert writers(spark, "chosen") == {"parquet-mr"}


def test_values_that_name_their_file(spark):
    spark.sql("CREATE TABLE named (id BIGINT, v STRING) USING delta")
    spark.sql("INSERT INTO named SELECT id, '' FROM range(0, 8, 1, 1)")
    (before,) = spark.table("named").inputFiles()

    spark.sql("""MERGE INTO named t USING (SELECT 3L AS id) s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET v = input_file_name()""")

    (row,) = spark.sql("SELECT v FROM named WHERE id = 3").collect()
    assert row.v.rsplit("/", 1)[-1] == before.rsplit("/", 1)[-1]


def test_days_of_an_old_calendar_are_left_to_spark(spark, tmp_path):
    spark.conf.set("spark.sql.parquet.datetimeRebaseModeInWrite", "LEGACY")
    try:
        rows = spark.sql("SELECT id, cast(id AS INT) AS v, date '1200-01-01' AS day FROM range(8)")
        rows.coalesce(1).write.parquet(f"{tmp_path}/t")
    finally:
        spark.conf.unset("spark.sql.parquet.datetimeRebaseModeInWrite")
    spark.sql(f"CONVERT TO DELTA parquet.`{tmp_path}/t`")

    spark.sql(f"DELETE FROM delta.`{tmp_path}/t` WHERE id = 3")

    days = {
        row.day.isoformat() for row in spark.read.format("delta").load(f"{tmp_path}/t").collect()
    }
    assert days == {"1200-01-01"}


def test_statement_fails_as_before_where_a_file_is_gone(spark, tmp_path):
    spark.sql(f"CREATE TABLE lost (id BIGINT, v INT) USING delta LOCATION '{tmp_path}/t'")
    spark.sql("INSERT INTO lost SELECT id, id FROM range(0, 8, 1, 1)")
    for path in (tmp_path / "t").glob("*.parquet"):
        path.unlink()

    with pytest.raises(Exception, match=r"PATH_DOES_NOT_EXIST|FILE_NOT_EXIST|not exist"):
        spark.sql("DELETE FROM lost WHERE id = 3")

    assert spark.sql("DESCRIBE HISTORY lost").count() == 2
