"""Files older than the schema: widened types, missing columns, fields in another order."""

import json
from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.spark.hand_made import allow, commit

WIDENED = [
    ("byte", pa.int8(), "short", [1, -128, None]),
    ("byte", pa.int8(), "long", [1, -128, None]),
    ("short", pa.int16(), "integer", [1, -32768, None]),
    ("integer", pa.int32(), "long", [1, -(2**31), None]),
    ("integer", pa.int32(), "double", [1, -(2**31), None]),
    ("float", pa.float32(), "double", [1.5, -0.25, None]),
    ("decimal(5,2)", pa.decimal128(5, 2), "decimal(12,4)", [Decimal("1.50"), None]),
    ("decimal(10,2)", pa.decimal128(10, 2), "decimal(20,2)", [Decimal("12345678.90"), None]),
    ("integer", pa.int32(), "decimal(12,2)", [7, None]),
    ("date", pa.date32(), "timestamp_ntz", [date(2020, 2, 29), None]),
]


def column(name, kind, **metadata):
    return {"name": name, "type": kind, "nullable": True, "metadata": metadata}


def table_of(root, files, columns, *features, partitions=()):
    """Make a table of Parquet files that are given as Arrow tables."""
    (root / "_delta_log").mkdir(parents=True)
    adds = []
    for number, rows in enumerate(files):
        name = f"part-{number}.parquet"
        pq.write_table(rows, root / name)
        size = (root / name).stat().st_size
        add = {"path": name, "partitionValues": {}, "size": size, "modificationTime": 1}
        adds.append({"add": {**add, "dataChange": True}})
    schema = json.dumps({"type": "struct", "fields": columns})
    metadata = {
        "id": "x", "format": {"provider": "parquet", "options": {}}, "schemaString": schema,
        "partitionColumns": list(partitions), "configuration": {},
    }  # fmt: skip
    first = root / "_delta_log" / f"{0:020}.json"
    first.write_text(json.dumps(allow("timestampNtz", *features)) + "\n")
    commit(root, {"metaData": metadata}, *adds)


def shown(value):
    if not isinstance(value, date):
        return value
    return datetime(value.year, value.month, value.day)  # noqa: DTZ001  # it has no zone


@pytest.mark.parametrize("vectorized", ["true", "false"])
@pytest.mark.parametrize(("old", "arrow", "new", "values"), WIDENED)
def test_widened_columns_are_cast_as_they_are_read(
    spark, tmp_path, vectorized, old, arrow, new, values
):
    root = tmp_path / "t"
    change = {"fromType": old, "toType": new}
    columns = [column("v", new, **{"delta.typeChanges": [change]}), column("n", "string")]
    rows = pa.table({"v": pa.array(values, arrow), "n": [str(v) for v in values]})
    table_of(root, [rows], columns, "typeWidening")
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
    try:
        frame = spark.read.format("delta").load(str(root))
        found = [row.v for row in frame.collect()]
        matched = frame.where(f"v = CAST('{values[0]}' AS {new})").count()
        missing = frame.where("v IS NULL").count()
    finally:
        spark.conf.unset("spark.sql.parquet.enableVectorizedReader")

    assert found == [None if v is None else shown(v) for v in values]
    assert (matched, missing) == (1, 1)


@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_fields_are_found_by_name_in_whatever_order_a_file_has_them(spark, tmp_path, vectorized):
    root = tmp_path / "t"
    inner = {
        "type": "struct",
        "fields": [column("a", "integer"), column("b", "string"), column("c", "date")],
    }
    columns = [
        column("s", inner),
        column("l", {"type": "array", "elementType": inner, "containsNull": True}),
        column("m", {"type": "map", "keyType": "string", "valueType": inner,
                     "valueContainsNull": True}),
        column("id", "long"),
        column("late", {"type": "array", "elementType": "string", "containsNull": True}),
    ]  # fmt: skip
    turned = pa.struct([("c", pa.date32()), ("b", pa.string()), ("a", pa.int32())])
    short = pa.struct([("b", pa.string())])
    day = date(2020, 1, 2)
    files = [
        pa.table(
            {
                "id": pa.array([1], pa.int64()),
                "m": pa.array(
                    [[("k", {"a": 1, "b": "x", "c": day})]], pa.map_(pa.string(), turned)
                ),
                "l": pa.array([[{"a": 2, "b": "y", "c": None}, None]], pa.list_(turned)),
                "s": pa.array([{"a": 3, "b": "z", "c": day}], turned),
            }
        ),
        pa.table(
            {
                "s": pa.array([{"b": "only"}, None], short),
                "l": pa.array([[{"b": "one"}], None], pa.list_(short)),
                "id": pa.array([2, 3], pa.int64()),
            }
        ),
    ]
    table_of(root, files, columns)
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
    try:
        frame = spark.read.format("delta").load(str(root)).orderBy("id")
        rows = [row.asDict(recursive=True) for row in frame.collect()]
        picked = frame.selectExpr("id", "s.a", "l[0].c as c", "m['k'].b as b").collect()
        found = [row.id for row in frame.where("s.a IS NULL AND s IS NOT NULL").collect()]
    finally:
        spark.conf.unset("spark.sql.parquet.enableVectorizedReader")

    only = {"a": None, "c": None}
    assert rows == [
        {"id": 1, "s": {"a": 3, "b": "z", "c": day}, "l": [{"a": 2, "b": "y", "c": None}, None],
         "m": {"k": {"a": 1, "b": "x", "c": day}}, "late": None},
        {"id": 2, "s": {**only, "b": "only"}, "l": [{**only, "b": "one"}], "m": None, "late": None},
        {"id": 3, "s": None, "l": None, "m": None, "late": None},
    ]  # fmt: skip
    assert [tuple(row) for row in picked] == [
        (1, 3, None, "x"), (2, None, None, None), (3, None, None, None),
    ]  # fmt: skip
    assert found == [2]


@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_struct_all_of_whose_fields_are_missing_is_null_or_not_as_it_was(
    spark, tmp_path, vectorized
):
    root = tmp_path / "t"
    old = pa.struct([("gone", pa.int32())])
    rows = pa.table({"id": [1, 2], "s": pa.array([{"gone": 1}, None], old)})
    inner = {"type": "struct", "fields": [column("new", "string")]}
    table_of(root, [rows], [column("id", "long"), column("s", inner)])
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
    try:
        frame = spark.read.format("delta").load(str(root))
        found = {row.id: row.s and row.s.new for row in frame.collect()}
    finally:
        spark.conf.unset("spark.sql.parquet.enableVectorizedReader")

    assert found == {1: None, 2: None}
