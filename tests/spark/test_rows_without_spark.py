"""Rows that `open_table` reads: those that Spark reads, for all that files can have."""

from pathlib import Path
from shutil import copytree
from urllib.parse import urlsplit

import pyarrow.compute as pc
import pytest

import puredelta
from puredelta.errors import DeltaAnalysisError, DeltaIllegalArgumentError

TABLES = {
    "all types": [
        (
            "CREATE TABLE t (b BOOLEAN, i1 TINYINT, i2 SMALLINT, i4 INT, i8 BIGINT, f FLOAT, "
            "d DOUBLE, s STRING, x BINARY, day DATE, at TIMESTAMP, wall TIMESTAMP_NTZ, "
            "n DECIMAL(38, 10), c CHAR(5), vc VARCHAR(5)) USING delta"
        ),
        (
            "INSERT INTO t VALUES (true, 1, 2, 3, 4, 0.1, 0.1, 'x', X'00FF', DATE'0001-01-01', "
            "TIMESTAMP'1500-01-01 01:02:03.123456', TIMESTAMP_NTZ'9999-12-31 23:59:59.999999', "
            "1234567890123456789.0123456789, 'ab', 'ab')"
        ),
        "INSERT INTO t (b) VALUES (null)",
    ],
    "partitions": [
        (
            "CREATE TABLE t (v INT, b BOOLEAN, i INT, d DOUBLE, s STRING, day DATE, at TIMESTAMP, "
            "wall TIMESTAMP_NTZ, n DECIMAL(10, 2), c CHAR(4)) USING delta "
            "PARTITIONED BY (b, i, d, s, day, at, wall, n, c)"
        ),
        (
            "INSERT INTO t VALUES (1, true, 2, -0.5, 'a b/ü=', DATE'2026-01-02', "
            "TIMESTAMP'2026-01-02 03:04:05.678', TIMESTAMP_NTZ'2026-01-02 03:04:05', 1.50, 'x')"
        ),
        "INSERT INTO t (v) VALUES (2)",
    ],
    "renamed and dropped, by name": [
        (
            "CREATE TABLE t (id INT, n STRUCT<a: INT, b: STRUCT<c: STRING, d: DATE>>, "
            "l ARRAY<STRUCT<x: INT, y: STRING>>, m MAP<STRING, STRUCT<v: INT>>, gone INT) "
            "USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
        ),
        (
            "INSERT INTO t VALUES (1, struct(1, struct('c', DATE'2026-01-01')), "
            "array(struct(1, 'y'), null), map('k', struct(7), 'z', null), 1), "
            "(2, null, null, null, null), (3, struct(null, null), array(), map(), 3)"
        ),
        "ALTER TABLE t RENAME COLUMN n.b.c TO sea",
        "ALTER TABLE t RENAME COLUMN l.element.x TO ex",
        "ALTER TABLE t RENAME COLUMN m.value.v TO vee",
        "ALTER TABLE t RENAME COLUMN id TO number",
        "ALTER TABLE t DROP COLUMN gone",
        "ALTER TABLE t ADD COLUMNS (gone STRING, n.b.more INT, l.element.more INT)",
        (
            "INSERT INTO t VALUES (4, struct(1, struct('c', DATE'2026-01-01', 5)), "
            "array(struct(1, 'y', 6)), map('k', struct(7)), 'back')"
        ),
    ],
    "by id": [
        (
            "CREATE TABLE t (id INT, n STRUCT<a: INT>, p STRING) USING delta PARTITIONED BY (p) "
            "TBLPROPERTIES ('delta.columnMapping.mode' = 'id')"
        ),
        "INSERT INTO t VALUES (1, struct(2), 'one'), (2, null, null)",
        "ALTER TABLE t RENAME COLUMN p TO part",
        "ALTER TABLE t RENAME COLUMN n.a TO b",
        "INSERT INTO t VALUES (3, struct(4), 'two')",
    ],
    "deleted rows": [
        (
            "CREATE TABLE t USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = true) "
            "AS SELECT id, id % 7 AS v FROM range(0, 100000, 1, 2)"
        ),
        "DELETE FROM t WHERE id % 3 = 0 OR id BETWEEN 65000 AND 66000",
        "UPDATE t SET v = -1 WHERE id % 1000 = 1",
    ],
    "widened": [
        (
            "CREATE TABLE t (a TINYINT, b INT, c FLOAT, d INT, e DATE, f DECIMAL(5, 2), "
            "s STRUCT<x: SMALLINT>, l ARRAY<INT>) USING delta "
            "TBLPROPERTIES ('delta.enableTypeWidening' = true, "
            "'delta.feature.timestampNtz' = 'supported')"
        ),
        "INSERT INTO t VALUES (1, 2, 0.1, 4, DATE'2026-01-02', 1.25, struct(6), array(7))",
        "ALTER TABLE t ALTER COLUMN a TYPE INT",
        "ALTER TABLE t ALTER COLUMN b TYPE BIGINT",
        "ALTER TABLE t ALTER COLUMN c TYPE DOUBLE",
        "ALTER TABLE t ALTER COLUMN d TYPE DECIMAL(20, 3)",
        "ALTER TABLE t ALTER COLUMN e TYPE TIMESTAMP_NTZ",
        "ALTER TABLE t ALTER COLUMN f TYPE DECIMAL(12, 4)",
        "ALTER TABLE t ALTER COLUMN s.x TYPE BIGINT",
        "ALTER TABLE t ALTER COLUMN l.element TYPE BIGINT",
        (
            "INSERT INTO t VALUES (300, 5000000000, 0.1, 4.5, TIMESTAMP_NTZ'2026-01-02 03:04:05', "
            "12345678.1234, struct(60000), array(5000000000))"
        ),
    ],
    "void": [
        "CREATE TABLE t (id INT, nothing VOID) USING delta",
        "INSERT INTO t (id) VALUES (1)",
    ],
    "char in others": [
        (
            "CREATE TABLE t (id INT, s STRUCT<c: CHAR(3), v: VARCHAR(3)>, l ARRAY<CHAR(3)>, "
            "m MAP<CHAR(3), STRING>) USING delta"
        ),
        "INSERT INTO t VALUES (1, struct('a', 'a'), array('b', null), map('k', 'x'))",
    ],
    "no rows": ["CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)"],
    "partition columns alone": [
        "CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)",
        "INSERT INTO t VALUES (1, 'a'), (2, 'a'), (3, 'b')",
        "ALTER TABLE t ADD COLUMNS (later INT)",
    ],
}


def path_of(spark):
    return spark.sql("DESCRIBE DETAIL t").head()["location"]


def sorted_rows(table):
    return sorted(table.to_pylist(), key=repr)


@pytest.fixture
def t(spark, request):
    """Make a table by statements; give its path."""
    spark.sql("DROP TABLE IF EXISTS t")
    for statement in TABLES[request.param]:
        spark.sql(statement)
    yield path_of(spark)
    spark.sql("DROP TABLE IF EXISTS t")


@pytest.mark.parametrize("t", TABLES, indirect=True)
def test_rows_are_those_of_spark(spark, t):
    opened = puredelta.open_table(t)

    expected = spark.table("t").toArrow()
    found = opened.to_arrow()

    assert found.schema.names == expected.schema.names
    assert sorted_rows(found) == sorted_rows(expected)
    assert sorted_rows(opened.to_batches(batch_size=7_000).read_all()) == sorted_rows(expected)
    for name in found.schema.names:
        alone = sorted_rows(opened.to_arrow(columns=[name]))
        assert alone == sorted_rows(expected.select([name]))


@pytest.mark.parametrize("t", ["deleted rows"], indirect=True)
@pytest.mark.parametrize(
    ("given", "condition"),
    [
        ([("id", "<", 20)], "id < 20"),
        ([("ID", ">=", 99_990), ("v", "!=", 3)], "id >= 99990 AND v != 3"),
        ([[("id", "=", 4)], [("id", "==", "5")]], "id = 4 OR id = 5"),
        ([("id", "in", [1, 2, 500_000])], "id IN (1, 2, 500000)"),
        ([("id", "not in", [1, 2]), ("id", "<", 10)], "id NOT IN (1, 2) AND id < 10"),
        ([("id", "<", 3.5)], "id < 3.5D"),
        (pc.field("v") == -1, "v = -1"),
    ],
)
def test_filter_is_that_of_sql(spark, t, given, condition):
    found = puredelta.open_table(t).to_arrow(columns=["id"], filter=given)

    expected = spark.sql(f"SELECT id FROM t WHERE {condition}").toArrow()
    assert found.num_rows
    assert sorted_rows(found) == sorted_rows(expected)


@pytest.mark.parametrize("t", ["partitions"], indirect=True)
def test_filters_on_partitions_of_each_type(spark, t):
    opened = puredelta.open_table(t)
    for name, value in opened.to_arrow(filter=[("v", "=", 1)]).to_pylist()[0].items():
        assert opened.to_arrow(filter=[(name, "=", value)]).num_rows == 1, name
        assert opened.to_arrow(filter=[(name, "!=", value)]).num_rows == (name == "v"), name


@pytest.mark.parametrize("t", ["partition columns alone"], indirect=True)
def test_other_libraries_get_the_rows(spark, t):
    opened = puredelta.open_table(t)

    assert opened.to_pandas(filter=[("p", "=", "a")])["id"].tolist() == [1, 2]
    assert opened.to_polars(columns=["p", "id"]).columns == ["p", "id"]
    assert opened.to_duckdb().filter("id > 1").count("*").fetchone() == (2,)


@pytest.mark.parametrize("t", ["deleted rows"], indirect=True)
def test_old_versions_have_their_rows(spark, t):
    assert puredelta.open_table(t, version=0).to_arrow().num_rows == 100_000
    assert puredelta.open_table(t).to_arrow().num_rows == spark.table("t").count()


@pytest.mark.parametrize("t", ["no rows"], indirect=True)
def test_slips_are_named(spark, t):
    opened = puredelta.open_table(t)

    with pytest.raises(DeltaAnalysisError, match="like it: id") as raised:
        opened.to_arrow(columns=["idd"])
    assert raised.value.condition == "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"
    for given in ([], [("id", "~", 3)], [("id", 3)], [["id", ">", 3]]):
        with pytest.raises(DeltaIllegalArgumentError) as refused:
            opened.to_arrow(filter=given)
        assert refused.value.condition == "PUREDELTA_FILTER_INVALID"
    with pytest.raises(TypeError, match="a list of names"):
        opened.to_arrow(columns="id")


@pytest.mark.parametrize("t", ["partition columns alone"], indirect=True)
def test_a_missing_file_is_named(spark, t, tmp_path):
    copy = copytree(urlsplit(t).path, tmp_path / "copy")
    opened = puredelta.open_table(copy)
    gone = Path(copy, opened.files()["path"][0].as_py())
    gone.unlink()
    with pytest.raises(FileNotFoundError, match=gone.name) as raised:
        opened.to_arrow()
    assert raised.value.getCondition() == "PUREDELTA_DATA_FILE_MISSING"

    gone.write_bytes(b"no Parquet")
    with pytest.raises(Exception, match=gone.name) as damaged:
        opened.to_arrow()
    assert damaged.value.getCondition() == "PUREDELTA_DATA_FILE_DAMAGED"


@pytest.mark.parametrize("mode", ["none", "name"])
@pytest.mark.parametrize("vectors", ["true", "false"])
def test_changes_are_those_of_spark(spark, tmp_path, mode, vectors):
    table = f"delta.`{tmp_path}`"
    spark.sql(
        f"CREATE TABLE {table} (id INT, p STRING) USING delta PARTITIONED BY (p) TBLPROPERTIES ("
        f"'delta.enableChangeDataFeed' = true, 'delta.columnMapping.mode' = '{mode}', "
        f"'delta.enableDeletionVectors' = {vectors})"
    )
    spark.sql(f"INSERT INTO {table} VALUES (1, 'a'), (2, 'a'), (3, 'b')")
    spark.sql(f"UPDATE {table} SET id = id + 10 WHERE id = 2")
    spark.sql(f"DELETE FROM {table} WHERE id = 1")
    spark.sql(f"DELETE FROM {table} WHERE p = 'b'")
    opened = puredelta.open_table(tmp_path)

    for start, end in ((0, None), (2, 3), (4, 4)):
        reader = spark.read.format("delta").option("readChangeFeed", True)
        reader = reader.option("startingVersion", start)
        reader = reader if end is None else reader.option("endingVersion", end)
        expected = reader.load(str(tmp_path)).toArrow()

        found = opened.changes(start, end)
        assert expected.num_rows
        assert found.schema.names == expected.schema.names
        assert sorted_rows(found) == sorted_rows(expected)
    deleted = opened.changes(0, columns=["id"], filter=[("_change_type", "=", "delete")])
    assert sorted(deleted["id"].to_pylist()) == [1, 3]
