"""Rows that `write_table` writes: Spark reads, skips and changes them, and writes beside them."""

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import puredelta
import puredelta.errors
from tests.interop.peers import lines_of_arrow

EVERY_TYPE = pa.table(
    {
        "b": pa.array([True, False, None]),
        "i1": pa.array([1, -128, None], pa.int8()),
        "i2": pa.array([2, -(2**15), None], pa.int16()),
        "i4": pa.array([3, -(2**31), None], pa.int32()),
        "i8": pa.array([4, -(2**63), None], pa.int64()),
        "f": pa.array([0.5, float("nan"), None], pa.float32()),
        "d": pa.array([0.1, float("-inf"), None]),
        "s": pa.array(["x", "ü/%=\U0001f600", None]),
        "x": pa.array([b"\x00\xff", b"", None]),
        "day": pa.array([dt.date(2026, 1, 2), dt.date(1, 1, 1), None]),
        "at": pa.array([1, -14_831_769_600_000_001, None], pa.timestamp("us", "UTC")),
        "wall": pa.array([1, 253_402_300_799_999_999, None], pa.timestamp("us")),
        "n": pa.array([Decimal("1.50"), Decimal("-99999999.99"), None], pa.decimal128(10, 2)),
        "wide": pa.array([Decimal("0.01"), Decimal(9) * 10**35, None], pa.decimal128(38, 2)),
        "l": pa.array([[1, None], [], None], pa.list_(pa.int32())),
        "t": pa.array([{"a": 1, "b": None}, {"a": None, "b": {"c": "y"}}, None],
                      pa.struct({"a": pa.int32(), "b": pa.struct({"c": pa.string()})})),
        "m": pa.array([[("k", 1), ("z", None)], [], None], pa.map_(pa.string(), pa.int32())),
        "deep": pa.array([[{"k": [("a", {"v": 1})]}, None], [], None], pa.list_(pa.struct(
            {"k": pa.map_(pa.string(), pa.struct({"v": pa.int16()}))}))),
    }
)  # fmt: skip

PARTS = ["b", "i1", "i2", "i4", "i8", "d", "s", "day", "at", "wall", "n"]


def spark_rows(spark, path, version=None):
    reader = spark.read.format("delta")
    reader = reader if version is None else reader.option("versionAsOf", version)
    return reader.load(str(path)).toArrow()


def assert_same(found, expected):
    assert found.schema.names == expected.schema.names
    names = expected.schema.names
    assert lines_of_arrow(found, names) == lines_of_arrow(expected, names)


def test_each_type_is_read(spark, path):
    puredelta.write_table(path, EVERY_TYPE)

    assert_same(spark_rows(spark, path), EVERY_TYPE)
    assert_same(puredelta.open_table(path).to_arrow(), EVERY_TYPE)


def test_each_type_partitions(spark, path):
    rows = EVERY_TYPE.select([*PARTS, "f"])
    puredelta.write_table(path, rows, partition_by=PARTS)

    assert_same(spark_rows(spark, path), rows)
    (file, *_) = [f for f in Path(path).rglob("*.parquet") if "b=true" in str(f)]
    # The folders are those that Spark makes.
    again = spark.read.format("delta").load(path).where("b")
    again.write.format("delta").mode("append").save(path)
    folders = {str(f.parent) for f in Path(path).rglob("*.parquet") if "b=true" in str(f)}
    assert folders == {str(file.parent)}


# Definition of a table, and rows for it; its first version gets some by Spark.
TABLES = {
    "plain": ("id BIGINT, v DOUBLE, p STRING", "", {}),
    "partitioned": ("id BIGINT, v DOUBLE, p STRING", "PARTITIONED BY (p)", {}),
    "mapped by name": (
        "id BIGINT, v DOUBLE, p STRING", "PARTITIONED BY (p)", {"delta.columnMapping.mode": "name"}
    ),
    "mapped by id": ("id BIGINT, v DOUBLE, p STRING", "", {"delta.columnMapping.mode": "id"}),
    "clustered": ("id BIGINT, v DOUBLE, p STRING", "CLUSTER BY (id)", {}),
    "with row ids": (
        "id BIGINT, v DOUBLE, p STRING", "", {"delta.enableRowTracking": "true"}
    ),
    "with changes": (
        "id BIGINT, v DOUBLE, p STRING", "", {"delta.enableChangeDataFeed": "true",
                                              "delta.enableInCommitTimestamps": "true"}
    ),
    "with defaults": (
        "id BIGINT NOT NULL, v DOUBLE, p STRING DEFAULT 'new', q INT DEFAULT 7",
        "", {"delta.feature.allowColumnDefaults": "supported"}
    ),
    "with vectors": (
        "id BIGINT, v DOUBLE, p STRING", "", {"delta.enableDeletionVectors": "true"}
    ),
}  # fmt: skip


@pytest.fixture(params=TABLES)
def table(spark, request, path):
    """A table that Spark made, with rows that it wrote, changed and deleted."""
    columns, layout, properties = TABLES[request.param]
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    wanted = f"TBLPROPERTIES ({listed})" if listed else ""
    spark.sql(f"CREATE TABLE delta.`{path}` ({columns}) USING delta {layout} {wanted}")
    spark.range(10).selectExpr("id", "id / 2 AS v", "concat('p', id % 2) AS p").write.format(
        "delta"
    ).mode("append").save(path)
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id = 3")
    return path


NEW = pd.DataFrame({"p": ["p0", "p1", None], "id": [100, 101, 102], "v": [None, 0.5, 1.5]})


def test_rows_are_appended_beside_those_of_spark(spark, table):
    # PySpark 4.0 makes NaN of what is missing in pandas, so Spark gets the rows as Arrow.
    new = spark.createDataFrame(pa.Table.from_pandas(NEW, preserve_index=False))
    before = spark_rows(spark, table)
    expected = pa.concat_tables(
        [before, new.select(before.schema.names[:3]).toArrow()], promote_options="default"
    )
    if "q" in expected.schema.names:
        q = [7 if value is None else value for value in expected["q"].to_pylist()]
        expected = expected.set_column(3, "q", pa.array(q, pa.int32()))
    version = puredelta.open_table(table).version

    done = puredelta.write_table(table, NEW)

    assert (done.version, done.rows) == (version + 1, 3)
    assert_same(spark_rows(spark, table), expected)
    assert_same(puredelta.open_table(table).to_arrow(), expected)
    frame = spark.read.format("delta").load(table)
    assert frame.where("id = 101").count() == 1
    assert frame.where("v > 1.25 AND id > 50").count() == 1
    assert frame.where("p IS NULL").count() == 1
    assert frame.selectExpr("max(id)", "count(*)").collect()[0][0] == 102
    assert puredelta.check_table(table).is_sound


def test_spark_goes_on_with_the_table(spark, table):
    puredelta.write_table(table, NEW)
    puredelta.write_table(table, pl.DataFrame({"id": [200, 201], "v": [1, 2]}))

    spark.sql(f"UPDATE delta.`{table}` SET v = -1 WHERE id IN (101, 200)")
    spark.sql(f"DELETE FROM delta.`{table}` WHERE id = 102")
    source = "SELECT 201L AS id UNION ALL SELECT 300L"
    spark.sql(
        f"MERGE INTO delta.`{table}` t USING ({source}) s ON t.id = s.id "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"
    )
    spark.sql(f"OPTIMIZE delta.`{table}`")

    rows = puredelta.open_table(table).to_arrow()
    assert_same(spark_rows(spark, table), rows)
    late = {row["id"]: row["v"] for row in rows.to_pylist() if row["id"] >= 100}
    assert late == {100: None, 101: -1.0, 200: -1.0, 300: None}
    assert puredelta.check_table(table).is_sound


def test_all_rows_are_replaced(spark, table):
    puredelta.write_table(table, NEW, "overwrite")

    rows = spark_rows(spark, table)
    assert sorted(rows["id"].to_pylist()) == [100, 101, 102]
    assert_same(puredelta.open_table(table).to_arrow(), rows)
    assert spark_rows(spark, table, 1).num_rows == 10
    assert puredelta.check_table(table).is_sound


@pytest.mark.parametrize("layout", ["", "PARTITIONED BY (p)"])
@pytest.mark.parametrize("mode", ["none", "name"])
def test_actions_are_those_of_spark(spark, tmp_path, layout, mode):
    # Spark takes times without a zone for those of its session.
    columns = [name for name in EVERY_TYPE.column_names if name not in ("deep", "wall")]
    rows = EVERY_TYPE.select(columns).append_column("p", pa.array(["a", "a", "b c"]))
    made = {}
    for who in ("ours", "spark"):
        path = str(tmp_path / who)
        spark.createDataFrame(rows.slice(0, 0)).createOrReplaceTempView("columns")
        fields = ", ".join(
            f"{field.name} {field.dataType.simpleString()}"
            for field in spark.table("columns").schema
        )
        spark.sql(
            f"CREATE TABLE delta.`{path}` ({fields}) USING delta {layout} "
            f"TBLPROPERTIES ('delta.columnMapping.mode' = '{mode}', "
            "'delta.dataSkippingNumIndexedCols' = 12)"
        )
        if who == "ours":
            puredelta.write_table(path, rows)
        else:
            frame = spark.createDataFrame(rows).repartition(1)
            frame.write.format("delta").mode("append").save(path)
        made[who] = actions(path)

    assert made["ours"] == made["spark"]


def actions(path) -> list[dict]:
    """The files of version 1, apart from their names and sizes, by users' names of columns."""
    log = Path(path, "_delta_log/00000000000000000001.json").read_text("utf-8")
    schema = puredelta.open_table(path).schema
    for field in schema:
        physical = str(field.metadata.get("delta.columnMapping.physicalName", field.name))
        log = log.replace(physical, field.name)
    found = []
    for action in map(json.loads, log.splitlines()):
        if "add" in action:
            add = action["add"]
            stats = json.loads(add["stats"])
            # Footers do not count null lists and maps; rows do.
            for name in ("l", "m"):
                stats["nullCount"].pop(name, None)
            kept = {key: value for key, value in add.items() if key not in _ITS_OWN}
            found.append({**kept, "folder": add["path"].rpartition("/")[0], "stats": stats})
        if "commitInfo" in action:
            info = action["commitInfo"]
            metrics = {k: v for k, v in info["operationMetrics"].items() if k != "numOutputBytes"}
            same = ("operation", "operationParameters", "readVersion", "isBlindAppend")
            found.append({key: info[key] for key in same} | {"metrics": metrics})
    return sorted(found, key=str)


_ITS_OWN = {"path", "size", "modificationTime", "stats"}


def test_identity_values_go_on_in_both(spark, path):
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id BIGINT GENERATED ALWAYS AS IDENTITY, v INT) USING delta"
    )
    for number in range(2):
        puredelta.write_table(path, pa.table({"v": [number] * 3}))
        frame = spark.createDataFrame([(number,)], "v INT").repartition(1)
        frame.write.format("delta").mode("append").save(path)

    ids = spark_rows(spark, path)["id"].to_pylist()
    assert len(set(ids)) == 8
    assert {1, 2, 3} <= set(ids)


def test_rows_that_spark_would_check_are_refused(spark, path):
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT, c VARCHAR(3)) USING delta")
    with pytest.raises(Exception, match=r"c has a declared length \(varchar\(3\)\)"):
        puredelta.write_table(path, pa.table({"id": [1]}))
    spark.sql(f"CREATE OR REPLACE TABLE delta.`{path}` (id INT) USING delta")
    spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT some CHECK (abs(id) > 0)")
    with pytest.raises(Exception, match=r"its constraint some .abs"):
        puredelta.write_table(path, pa.table({"id": [1]}))


def test_a_broken_constraint_is_the_error_of_spark(spark, path):
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT, v DOUBLE, s STRING) USING delta")
    for name, text in (
        ("some", "id > 0 AND (v < 10 OR s IS NULL)"),
        ("named", "s LIKE 'a%' OR s IN ('x', 'y')"),
    ):
        spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT {name} CHECK ({text})")
    good = [(1, 1.5, "ab"), (2, 9.0, "y")]
    bad = [(0, 1.0, "a"), (None, 1.0, "a"), (3, float("nan"), "a"), (3, 10.0, None), (3, 1.0, "b")]

    def rows(given):
        return pa.Table.from_pylist(
            [dict(zip(("id", "v", "s"), row, strict=True)) for row in given]
        )

    puredelta.write_table(path, rows(good))
    for row in bad:
        with pytest.raises(puredelta.errors.DeltaError) as ours:
            puredelta.write_table(path, rows([*good, row]))
        frame = spark.createDataFrame([row], "id INT, v DOUBLE, s STRING")
        with pytest.raises(puredelta.errors.DeltaError) as theirs:
            frame.write.format("delta").mode("append").save(path)
        assert ours.value.getCondition() == theirs.value.getCondition()
        found, expected = (one.value.getMessageParameters() for one in (ours, theirs))
        assert {**found, "values": ""} == {**expected, "values": ""}
    assert spark_rows(spark, path).num_rows == 2
