"""Columns that files know under other names are found, by name and by number."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import Row

from tests.spark.hand_made import adds_of, commit, field, map_columns

INNER = {
    "type": "struct",
    "fields": [field("x y", "long", "col-3", 3), field("other", "string", "col-4", 4)],
}
FIELDS = [
    field("the id", "long", "col-1", 1),
    field("s", INNER, "col-2", 2),
    field("m", {"type": "map", "keyType": "string", "valueType": INNER,
                "valueContainsNull": True}, "col-5", 5),
    field("part", "integer", "col-6", 6),
    field("col-1", "string", "col-7", 7),
]  # fmt: skip


@pytest.fixture(scope="module")
def mapped(spark, tmp_path_factory):
    """A table whose column `col-1` is not the `col-1` of its files, in mode `name`."""
    root = tmp_path_factory.mktemp("mapped") / "t"
    struct = "named_struct('col-3', id * 2, 'col-4', concat('v', id))"
    frame = spark.range(0, 100, 1, 2).selectExpr(
        "id as `col-1`",
        f"{struct} as `col-2`",
        f"map('k', {struct}) as `col-5`",
        "cast(id % 4 as int) as `col-6`",
        "concat('n', id) as `col-7`",
    )
    frame.write.format("delta").partitionBy("col-6").save(str(root))
    map_columns(root, FIELDS, ["part"], "name")
    return str(root)


def test_columns_have_the_names_of_the_table(spark, mapped):
    frame = spark.read.format("delta").load(mapped)

    assert frame.columns == ["the id", "s", "m", "part", "col-1"]
    row = frame.where("`the id` = 42").first()
    inner = Row(**{"x y": 84, "other": "v42"})
    assert tuple(row) == (42, inner, {"k": inner}, 2, "n42")


def test_metadata_of_the_mapping_is_not_shown(spark, mapped):
    schema = spark.read.format("delta").load(mapped).schema

    assert "columnMapping" not in schema.json()


@pytest.mark.parametrize("vectorized", ["true", "false"])
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("`the id` >= 90", 10),
        ("s.`x y` = 84", 1),
        ("m.k.other = 'v7'", 1),
        ("part = 3 and `the id` < 50", 12),
        ("`col-1` = 'n17'", 1),
        ("`col-1` in ('n1', 'n2', 'x') or s.other is null", 2),
        ("not (`the id` < 99)", 1),
        ("`col-1` like 'n9%'", 11),
    ],
)
def test_filters_find_the_rows(spark, mapped, vectorized, condition, expected):
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
    try:
        found = spark.read.format("delta").load(mapped).where(condition).count()
    finally:
        spark.conf.unset("spark.sql.parquet.enableVectorizedReader")

    assert found == expected


def test_filters_reach_the_files(spark, mapped):
    frame = spark.read.format("delta").load(mapped).where("`the id` = 1")
    scan = frame._jdf.queryExecution().executedPlan().toString()

    assert "EqualTo(`the id`,1)" in scan


def test_only_the_inner_fields_asked_for_are_read(spark, mapped):
    frame = spark.read.format("delta").load(mapped).select("s.`x y`")
    scan = frame._jdf.queryExecution().executedPlan().toString()

    assert "ReadSchema: struct<s:struct<x y:bigint>>" in scan
    assert frame.agg({"x y": "sum"}).first()[0] == sum(range(0, 200, 2))


def test_partition_values_are_under_the_physical_name(spark, mapped):
    frame = spark.read.format("delta").load(mapped)

    assert {row.part: row["count"] for row in frame.groupBy("part").count().collect()} == {
        0: 25, 1: 25, 2: 25, 3: 25,
    }  # fmt: skip
    assert len(frame.where("part = 1").inputFiles()) == len(frame.inputFiles())


def test_self_join_and_view_and_sql(spark, mapped):
    spark.sql(f"CREATE OR REPLACE TEMP VIEW mapped_view AS SELECT * FROM delta.`{mapped}`")

    found = spark.sql(
        "SELECT count(*) FROM mapped_view a JOIN mapped_view b ON a.`the id` = b.s.`x y`"
    ).first()

    assert found[0] == 50


@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_files_that_know_columns_by_number_alone_are_read(spark, tmp_path, vectorized):
    root = tmp_path / "t"
    spark.range(1).selectExpr("id AS `col-1`", "'x' AS `col-7`").write.format("delta").save(
        str(root)
    )
    (add,) = adds_of(root)
    ids = [
        pa.field("a", pa.int64(), metadata={"PARQUET:field_id": "1"}),
        pa.field("b", pa.string(), metadata={"PARQUET:field_id": "7"}),
    ]
    pq.write_table(pa.table([[5, 6], ["v", "w"]], schema=pa.schema(ids)), root / add["path"])
    (root / f".{add['path']}.crc").unlink(missing_ok=True)
    told = {**add, "size": (root / add["path"]).stat().st_size, "stats": None}
    map_columns(root, [FIELDS[0], FIELDS[4]], [], "id")
    commit(root, {"remove": {"path": add["path"], "dataChange": True}}, {"add": told})
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
    try:
        rows = spark.read.format("delta").load(str(root)).collect()
    finally:
        spark.conf.unset("spark.sql.parquet.enableVectorizedReader")

    assert [tuple(row) for row in rows] == [(5, "v"), (6, "w")]
