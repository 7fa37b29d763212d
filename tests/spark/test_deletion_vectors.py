"""Rows that deletion vectors take away are not read, however Spark reads the files."""

import re
import struct

import pytest
from pyroaring import BitMap
from pyspark.errors import PySparkException

from puredelta.table.deletion_vectors import z85
from tests.damaged_vectors import DAMAGED, WHOLE
from tests.spark.hand_made import LOG, adds_of, take_away, with_vector, write_rows

ROWS = 10_000
FILES = 3


@pytest.fixture(scope="module")
def table(spark, tmp_path_factory):
    """A table of 3 files, its deleted ids, and the ids by file; version 1 has the vectors."""
    root = tmp_path_factory.mktemp("vectors") / "t"
    frame = spark.range(0, ROWS, 1, FILES).selectExpr("id", "struct(id as a, id % 7 as b) as s")
    frame.write.format("delta").save(str(root))
    rows, gone = {}, set()
    for number, add in enumerate(adds_of(root)):
        ids = [row.id for row in spark.read.parquet(str(root / add["path"])).collect()]
        # A run, single rows at both ends, and none in the last file.
        places = {0, 5, len(ids) - 1, *range(1000, 2100), *range(7, len(ids), 13)}
        rows[add["path"]] = places if number < FILES - 1 else set()
        gone |= {ids[place] for place in rows[add["path"]]}
    return root, rows, gone


@pytest.fixture(params=["in a file", "inline"])
def deleted(request, table, spark, tmp_path):
    root, rows, gone = table
    copy = tmp_path / "t"
    spark.read.format("delta").load(str(root))  # the original is whole
    copy.mkdir()
    for file in root.rglob("*"):
        target = copy / file.relative_to(root)
        if file.is_dir():
            target.mkdir(exist_ok=True)
        elif not file.name.endswith(".crc"):
            target.write_bytes(file.read_bytes())
    take_away(copy, rows, as_file=request.param == "in a file")
    return copy, gone


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"spark.sql.parquet.enableVectorizedReader": "false"},
        {"spark.sql.columnVector.offheap.enabled": "true"},
        {"spark.sql.codegen.wholeStage": "false"},
    ],
    ids=["vectors on heap", "row by row", "vectors off heap", "without generated code"],
)
def test_deleted_rows_are_not_read(spark, deleted, settings):
    root, gone = deleted
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        frame = spark.read.format("delta").load(str(root))
        found = [row.id for row in frame.collect()]
        counted = frame.count()
    finally:
        for key in settings:
            spark.conf.unset(key)

    assert sorted(found) == sorted(set(range(ROWS)) - gone)
    assert counted == ROWS - len(gone)


def test_row_index_is_that_of_the_file(spark, deleted):
    root, gone = deleted
    frame = spark.read.format("delta").load(str(root))

    found = frame.select("id", "_metadata.row_index", "_metadata.file_name").collect()

    assert {row.id for row in found} == set(range(ROWS)) - gone
    firsts = {}
    for row in found:
        firsts.setdefault(row.file_name, set()).add(row.id - row.row_index)
    assert all(len(starts) == 1 for starts in firsts.values())


def test_filters_and_pruned_columns_agree_with_the_rows(spark, deleted):
    root, gone = deleted
    frame = spark.read.format("delta").load(str(root))

    assert frame.where("s.a between 1000 and 1999").count() == len(set(range(1000, 2000)) - gone)
    assert frame.where("s.b = 3").select("s.a").count() == len(
        {one for one in range(ROWS) if one % 7 == 3} - gone
    )


def test_deleted_rows_are_found_where_pages_are_passed_over(spark, tmp_path):
    root = tmp_path / "t"
    spark.conf.set("parquet.page.row.count.limit", "100")
    spark.range(0, ROWS, 1, 1).write.format("delta").save(str(root))
    [add] = adds_of(root)
    gone = set(range(0, ROWS, 3))
    take_away(root, {add["path"]: gone}, as_file=False)

    read = spark.read.format("delta").load(str(root))
    found = read.where("id < 50 OR id BETWEEN 4210 AND 4250 OR id > 9990").collect()

    wanted = {*range(50), *range(4210, 4251), *range(9991, ROWS)}
    assert {row.id for row in found} == wanted - gone
    # All of its rows are more than a batch of Spark's reader.
    assert {row.id for row in read.collect()} == set(range(ROWS)) - gone


def test_version_before_the_deletion_has_all_rows(spark, deleted):
    root, _ = deleted

    assert spark.read.format("delta").option("versionAsOf", 0).load(str(root)).count() == ROWS


def test_table_joined_with_itself_has_them_gone_on_both_sides(spark, deleted):
    root, gone = deleted
    frame = spark.read.format("delta").load(str(root))

    assert frame.alias("a").join(frame.alias("b"), "id").count() == ROWS - len(gone)


@pytest.mark.parametrize(
    ("damage", "condition"),
    [
        (lambda content: content[:20], "MALFORMED"),
        (lambda content: content[:30] + b"\xff\xff" + content[32:], "CHECKSUM_MISMATCH"),
        (lambda content: b"\x01\x00\x00\x00\x07" + content[5:], "SIZE_MISMATCH"),
        (lambda content: b"\x02" + content[1:], "MALFORMED"),
    ],
    ids=["cut short", "other bytes", "other size", "other version"],
)
def test_damaged_vector_stops_the_query_and_is_named(spark, table, tmp_path, damage, condition):
    root, rows, _ = table
    copy = tmp_path / "t"
    (copy / LOG).mkdir(parents=True)
    for file in (*root.glob("*.parquet"), *root.glob(f"{LOG}/*.json")):
        (copy / file.relative_to(root)).write_bytes(file.read_bytes())
    take_away(copy, rows, as_file=True)
    vector = next(copy.glob("deletion_vector_*.bin"))
    vector.write_bytes(damage(vector.read_bytes()))

    with pytest.raises(PySparkException, match=vector.name) as caught:
        spark.read.format("delta").load(str(copy)).collect()

    assert caught.value.getCondition() == f"DELTA_DELETION_VECTOR_{condition}"


def test_damaged_vectors_are_refused_by_executors_as_by_python(spark, tmp_path):
    file = write_rows(tmp_path / "rows", 3)
    outcomes, errors = {}, {}
    for number, (name, damaged) in enumerate(DAMAGED.items()):
        for as_file in (True, False):
            root = tmp_path / f"{number}{as_file}"
            with_vector(root, file, damaged.data, damaged.cardinality, as_file=as_file)
            rows = spark.read.format("delta").load(str(root))
            with pytest.raises(PySparkException) as caught:
                rows.collect()
            outcomes[name, as_file] = caught.value.getCondition()
            errors[name, as_file] = str(caught.value)

    assert outcomes == {
        (name, as_file): damaged.condition
        for name, damaged in DAMAGED.items()
        for as_file in (True, False)
    }
    for text in errors.values():
        assert re.search(r" of the data file \S*a.parquet in \S*\d+(True|False)", text)


def test_vector_in_the_older_form_takes_rows_away(spark, tmp_path):
    file = write_rows(tmp_path / "rows", 3)
    bitmap = BitMap([0, 2]).serialize()
    for order in "<>":
        data = struct.pack(f"{order}iii", 1681511376, 1, len(bitmap)) + bitmap
        with_vector(tmp_path / order, file, data, 2, as_file=False)

        assert spark.read.format("delta").load(str(tmp_path / order)).collect() == [(1,)]


def test_inline_vector_with_a_block_of_more_than_four_bytes_is_read(spark, tmp_path):
    file = write_rows(tmp_path / "rows", 3)
    text = z85.encode(WHOLE.data)
    # The last block, of the bytes 00 00 02 00 and so of 512, is written as 2**32 more.
    number = int.from_bytes(WHOLE.data[-4:], "big") + 2**32
    block = "".join(z85.ALPHABET[number // 85**power % 85] for power in range(4, -1, -1))
    with_vector(tmp_path / "t", file, WHOLE.data, 2, as_file=False, text=text[:-5] + block)

    assert spark.read.format("delta").load(str(tmp_path / "t")).collect() == [(1,)]
