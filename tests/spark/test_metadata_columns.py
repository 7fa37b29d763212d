"""`_metadata` and input_file_*() tell of the files as they lie in storage."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.log import open_table
from tests.spark.hand_made import adds_of, commit, field, map_columns, take_away

AWKWARD = ["a b", "x=y", "a%b", "a/b", "ü", "a+b", "#?&", "it's", "a:b", "{x}", "a\\b", None]
COLUMNS = (
    "file_path", "file_name", "file_size", "file_block_start", "file_block_length", "row_index",
)  # fmt: skip


def facts(frame, key):
    """By key, what `_metadata` and the functions say."""
    functions = ["input_file_name()", "input_file_block_start()", "input_file_block_length()"]
    shown = frame.selectExpr(key, *(f"_metadata.{name}" for name in COLUMNS), *functions)
    return {row[0]: row for row in shown.collect()}


def check(row, files):
    """Compare one row with the file it names, which is one of some paths."""
    path = next(path for path in files if path.name == row.file_name)
    assert row.file_path.replace("///", "/") == "file:" + escaped(path)
    assert (row.file_size, row.file_block_start, row.file_block_length) == (
        path.stat().st_size, 0, path.stat().st_size,
    )  # fmt: skip
    assert tuple(row[len(COLUMNS) + 1 :]) == (row.file_path, 0, row.file_size)


def escaped(path):
    """The path as Hadoop's URIs have it: what is not a letter of a URI in hexadecimal."""
    return str(path).replace("%", "%25").replace(" ", "%20").replace("}", "%7D")


def files_of(root):
    return list(root.rglob("part-*.parquet"))


def test_partitions_with_awkward_texts(spark, tmp_path):
    root = tmp_path / "t b"
    rows = list(enumerate(AWKWARD))
    frame = spark.createDataFrame(rows, "id INT, p STRING")
    frame.write.format("delta").partitionBy("p").save(str(root))

    found = facts(spark.read.format("delta").load(str(root)), "id")

    assert found.keys() == {place for place, _ in rows}
    files = files_of(root)
    for row in found.values():
        check(row, files)


def test_rows_that_a_filter_leaves_keep_their_index(spark, tmp_path):
    root = tmp_path / "t"
    spark.range(0, 1000, 1, 1).write.format("delta").save(str(root))
    frame = spark.read.format("delta").load(str(root))

    found = frame.where("id % 100 = 7").select("id", "_metadata.row_index").collect()
    picked = frame.where("_metadata.row_index between 3 and 4").collect()

    assert all(row.id == row.row_index for row in found)
    assert sorted(row.id for row in picked) == [3, 4]


@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_columns_known_by_name(spark, tmp_path, vectorized):
    root = tmp_path / "t"
    frame = spark.range(0, 20, 1, 1).selectExpr("id as c1", "cast(id % 2 as int) as c2")
    frame.write.format("delta").partitionBy("c2").save(str(root))
    fields = [field("file_size", "long", "c1", 1), field("the part", "integer", "c2", 2)]
    map_columns(root, fields, ["the part"], "name")
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
    try:
        found = facts(spark.read.format("delta").load(str(root)), "file_size as id")
    finally:
        spark.conf.unset("spark.sql.parquet.enableVectorizedReader")

    assert found.keys() == set(range(20))
    for row in found.values():
        check(row, files_of(root))
        assert row.row_index == row.id // 2


def test_columns_known_by_number(spark, tmp_path):
    root = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{root}` (c1 BIGINT, c2 STRING) USING delta")
    numbered = pa.schema(
        [
            pa.field("other", pa.int64(), metadata={b"PARQUET:field_id": b"7"}),
            pa.field("another", pa.string(), metadata={b"PARQUET:field_id": b"8"}),
        ]
    )
    rows = pa.table([[10, 11, 12], ["x", "y", "z"]], schema=numbered)
    pq.write_table(rows, root / "part-0.parquet")
    size = (root / "part-0.parquet").stat().st_size
    add = {"path": "part-0.parquet", "partitionValues": {}, "size": size, "dataChange": True}
    commit(root, {"add": {**add, "modificationTime": 1_600_000_000_000}})
    fields = [field("c2", "long", "c1", 7), field("c1", "string", "c2", 8)]
    map_columns(root, fields, [], "id")
    frame = spark.read.format("delta").load(str(root))

    found = facts(frame, "c2 as id")

    assert [(row.c2, row.c1) for row in frame.orderBy("c2").collect()] == [
        (10, "x"), (11, "y"), (12, "z"),
    ]  # fmt: skip
    assert {row.id: row.row_index for row in found.values()} == {10: 0, 11: 1, 12: 2}
    for row in found.values():
        check(row, files_of(root))
    times = frame.selectExpr("unix_seconds(_metadata.file_modification_time) as s").distinct()
    assert [row.s for row in times.collect()] == [1_600_000_000]


@pytest.mark.parametrize("as_file", [True, False])
def test_rows_left_by_deletion_vectors(spark, tmp_path, as_file):
    root = tmp_path / "t"
    frame = spark.range(0, 40, 1, 1).selectExpr("id", "concat('p ', id % 2) as p")
    frame.write.format("delta").partitionBy("p").save(str(root))
    take_away(root, {add["path"]: {0, 5} for add in adds_of(root)}, as_file=as_file)

    found = facts(spark.read.format("delta").load(str(root)), "id")

    assert found.keys() == set(range(40)) - {0, 1, 10, 11}
    for row in found.values():
        check(row, files_of(root))
        assert row.row_index == row.id // 2


def test_index_of_a_large_file_counts_over_its_row_groups(spark, tmp_path):
    root = tmp_path / "t"
    frame = spark.range(0, 200_000, 1, 1).selectExpr("id", "repeat(uuid(), 3) as s")
    frame.write.format("delta").option("parquet.block.size", 1 << 20).save(str(root))
    groups = pq.ParquetFile(root / open_table(str(root)).files()["path"][0].as_py()).num_row_groups
    spark.conf.set("spark.sql.files.maxPartitionBytes", str(1 << 20))
    try:
        loaded = spark.read.format("delta").load(str(root))
        wrong = loaded.where("id != _metadata.row_index").count()
        starts = loaded.select("_metadata.file_block_start").distinct().count()
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")

    assert groups > 1
    assert starts > 1
    assert wrong == 0
