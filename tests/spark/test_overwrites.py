"""What overwrites of some rows leave alone, on disk and among writers at the same time."""

import json
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as f

from puredelta.commands.write import write as write_command
from puredelta.engine.exceptions import ConcurrentAppendException, ConcurrentDeleteReadException
from tests.spark.hand_made import adds_of, take_away


def save(frame, root, mode="overwrite", **options):
    frame.write.format("delta").mode(mode).options(**options).save(str(root))


def load(spark, root):
    return spark.read.format("delta").load(str(root))


def commit(root, version):
    lines = (Path(root) / "_delta_log" / f"{version:020}.json").read_text().splitlines()
    return [json.loads(line) for line in lines]


def paths(root, version, kind):
    return [line[kind]["path"] for line in commit(root, version) if kind in line]


def rows(spark, values, columns="id int, p string"):
    return spark.createDataFrame(values, columns)


@pytest.fixture
def ranges(spark, tmp_path):
    """A table of four files: ids 0-9, 10-19, 20-29, 30-39."""
    root = tmp_path / "ranges"
    save(spark.range(0, 40, 1, 4), root)
    return root


def file_from(root, first):
    """The path of the file of `ranges` whose ids begin at a number."""
    [found] = [
        add["path"] for add in adds_of(root) if json.loads(add["stats"])["minValues"]["id"] == first
    ]
    return found


@pytest.fixture
def partitioned(spark, tmp_path):
    """A table of partitions x and y, a file each: ids 1 and 2, and 3 and 4."""
    root = tmp_path / "partitioned"
    frame = rows(spark, [(1, "x"), (2, "x"), (3, "y"), (4, "y")]).coalesce(1)
    frame.write.format("delta").partitionBy("p").save(str(root))
    return root


# ----------------------------------------------------------------------------------- files


def test_files_without_a_match_stay_as_they_are(spark, ranges):
    save(spark.range(15, 16), ranges, replaceWhere="id BETWEEN 15 AND 29")

    assert sorted(paths(ranges, 1, "remove")) == sorted(
        [file_from(ranges, 10), file_from(ranges, 20)]
    )
    assert len(paths(ranges, 1, "add")) == 2
    assert sorted(row.id for row in load(spark, ranges).collect()) == [*range(16), *range(30, 40)]


def test_file_whose_rows_all_match_is_not_written_anew(spark, ranges):
    save(spark.range(0), ranges, replaceWhere="id < 10")

    assert paths(ranges, 1, "remove") == [file_from(ranges, 0)]
    assert not paths(ranges, 1, "add")


def test_files_are_left_unread_that_statistics_rule_out(spark, ranges):
    for first in (0, 20, 30):
        (ranges / file_from(ranges, first)).unlink()

    save(spark.range(12, 13), ranges, replaceWhere="id = 12")

    assert paths(ranges, 1, "remove") == [file_from(ranges, 10)]


def test_deleted_rows_do_not_come_back_and_are_not_counted(spark, ranges):
    path = file_from(ranges, 10)
    take_away(ranges, {path: {0, 1}}, as_file=False)

    save(spark.range(12, 13), ranges, replaceWhere="id = 12")

    removed = [line["remove"] for line in commit(ranges, 2) if "remove" in line]
    metrics = commit(ranges, 2)[0]["commitInfo"]["operationMetrics"]
    assert [one["path"] for one in removed] == [path]
    assert removed[0]["deletionVector"]["cardinality"] == 2
    assert (metrics["numDeletedRows"], metrics["numCopiedRows"]) == ("1", "7")
    assert sorted(row.id for row in load(spark, ranges).where("id < 20").collect()) == [
        *range(10),
        *range(12, 20),
    ]


def test_file_of_which_the_rest_is_deleted_goes_whole(spark, ranges):
    take_away(ranges, {file_from(ranges, 10): set(range(9))}, as_file=False)

    save(spark.range(0), ranges, replaceWhere="id BETWEEN 19 AND 20")

    # Of 20-29 nine rows stay; of 10-19 there was only 19.
    added = [line["add"] for line in commit(ranges, 2) if "add" in line]
    assert len(paths(ranges, 2, "remove")) == 2
    assert [json.loads(add["stats"])["numRecords"] for add in added] == [9]


def test_names_with_odd_characters_are_found_again(spark, tmp_path):
    root = tmp_path / "with blank, é and %41"
    frame = rows(spark, [(1, "a b/c%2F"), (2, "a b/c%2F"), (3, "é=ü")]).coalesce(1)
    frame.write.format("delta").partitionBy("p").save(str(root))

    save(rows(spark, [(2, "a b/c%2F")]), root, replaceWhere="id = 2")

    assert len(paths(root, 1, "remove")) == 1
    assert sorted(row.id for row in load(spark, root).collect()) == [1, 2, 3]


def test_rows_that_stay_keep_columns_without_a_type_and_take_up_new_ones(spark, tmp_path):
    root = tmp_path / "void"
    save(
        spark.sql("SELECT id, NULL AS n, named_struct('a', id, 'b', NULL) AS s FROM range(3)"), root
    )

    new = spark.sql("SELECT 1L AS id, true AS more")
    save(new, root, replaceWhere="id = 1", mergeSchema="true")

    found = load(spark, root).orderBy("id").collect()
    assert [row.asDict(recursive=True) for row in found] == [
        {"id": 0, "n": None, "s": {"a": 0, "b": None}, "more": None},
        {"id": 1, "n": None, "s": None, "more": True},
        {"id": 2, "n": None, "s": {"a": 2, "b": None}, "more": None},
    ]


def test_new_rows_are_computed_once_for_replace_using(spark, ranges):
    frame = spark.range(0, 40, 1, 2).where("rand() < 0.5")

    save(frame, ranges, replaceUsing="id")

    found = [row.id for row in load(spark, ranges).collect()]
    assert sorted(found) == list(range(40))
    assert not spark.sparkContext._jsc.getPersistentRDDs()


def test_rows_that_the_user_keeps_stay_kept(spark, ranges):
    frame = spark.range(0, 5, 1, 2).cache()
    frame.count()

    save(frame, ranges, replaceUsing="id")

    assert frame.is_cached
    assert frame.storageLevel.useMemory
    frame.unpersist()


def test_optimized_write_leaves_a_file_a_partition(spark, tmp_path):
    root = tmp_path / "optimized"
    frame = spark.range(0, 400, 1, 4).selectExpr("id", "id % 3 AS p")

    frame.write.format("delta").partitionBy("p").option("optimizeWrite", "true").save(str(root))

    assert len(paths(root, 0, "add")) == 3
    assert load(spark, root).agg(f.count("*"), f.sum("id")).collect()[0][:] == (400, 79800)


# -------------------------------------------------------------------------------- conflicts


@pytest.fixture
def meanwhile(monkeypatch):
    """Lets another writer come first: its commit is made while the next write is under way."""

    def arrange(other):
        own = write_command.write_rows

        def later(target, frame, **how):
            monkeypatch.setattr(write_command, "write_rows", own)
            other()
            return own(target, frame, **how)

        monkeypatch.setattr(write_command, "write_rows", later)

    return arrange


def test_rows_that_came_to_another_partition_are_no_conflict(spark, partitioned, meanwhile):
    meanwhile(lambda: save(rows(spark, [(9, "y")]), partitioned, "append"))

    save(rows(spark, [(1, "x")]), partitioned, replaceWhere="p = 'x' AND id = 1")

    assert sorted(row.id for row in load(spark, partitioned).collect()) == [1, 2, 3, 4, 9]


def test_rows_that_came_to_the_partition_are_a_conflict_if_they_may_match(
    spark, partitioned, meanwhile
):
    meanwhile(lambda: save(rows(spark, [(0, "x"), (9, "x")]).coalesce(1), partitioned, "append"))

    with pytest.raises(ConcurrentAppendException):
        save(rows(spark, [(1, "x")]), partitioned, replaceWhere="p = 'x' AND id = 1")

    assert sorted(row.id for row in load(spark, partitioned).collect()) == [0, 1, 2, 3, 4, 9]


def test_condition_on_data_alone_reads_every_partition(spark, partitioned, meanwhile):
    meanwhile(lambda: save(rows(spark, [(1, "y")]), partitioned, "append"))

    with pytest.raises(ConcurrentAppendException):
        save(rows(spark, [(1, "x")]), partitioned, replaceWhere="id = 1")


def test_file_that_was_looked_at_and_removed_is_a_conflict(spark, partitioned, meanwhile):
    nothing = rows(spark, [(0, "x")]).where("false")
    meanwhile(lambda: save(nothing, partitioned, replaceWhere="p = 'x'"))

    with pytest.raises(ConcurrentDeleteReadException):
        save(rows(spark, [(1, "x")]), partitioned, replaceWhere="p = 'x' AND id = 1")


def test_file_that_was_ruled_out_may_go(spark, ranges, meanwhile):
    nothing = spark.range(0)
    meanwhile(lambda: save(nothing, ranges, replaceWhere="id < 10"))

    save(spark.range(35, 36), ranges, replaceWhere="id = 35")

    assert sorted(row.id for row in load(spark, ranges).collect()) == list(range(10, 40))


@pytest.mark.parametrize(("start", "conflicts"), [(35, True), (100, False)])
def test_new_file_is_a_conflict_unless_its_statistics_rule_the_condition_out(
    spark, ranges, meanwhile, start, conflicts
):
    meanwhile(lambda: save(spark.range(start, start + 1), ranges, "append"))

    def overwrite():
        save(spark.range(35, 36), ranges, replaceWhere="id = 35")

    if conflicts:
        with pytest.raises(ConcurrentAppendException):
            overwrite()
    else:
        overwrite()
        found = [row.id for row in load(spark, ranges).collect()]
        assert sorted(found) == [*range(40), 100]


@pytest.mark.parametrize(("other", "conflicts"), [("x", True), ("y", False)])
def test_dynamic_overwrite_conflicts_in_its_partitions_only(
    spark, partitioned, meanwhile, other, conflicts
):
    meanwhile(lambda: save(rows(spark, [(9, other)]), partitioned, "append"))

    def overwrite():
        save(rows(spark, [(1, "x")]), partitioned, partitionOverwriteMode="dynamic")

    if conflicts:
        with pytest.raises(ConcurrentAppendException):
            overwrite()
    else:
        overwrite()
        assert sorted(row.id for row in load(spark, partitioned).collect()) == [1, 3, 4, 9]


def test_replace_using_a_partition_column_looks_at_its_partitions_only(
    spark, partitioned, meanwhile
):
    [path] = [add["path"] for add in adds_of(partitioned) if add["partitionValues"]["p"] == "y"]
    (partitioned / path).unlink()
    meanwhile(lambda: save(rows(spark, [(9, "z")]), partitioned, "append"))

    save(rows(spark, [(1, "x")]), partitioned, replaceUsing="p,id")

    assert [
        row.id for row in load(spark, partitioned).where("p = 'x'").orderBy("id").collect()
    ] == [
        1,
        2,
    ]


@pytest.mark.parametrize("options", [{"replaceUsing": "id"}, {"replaceOn": "true"}, {}])
def test_overwrites_that_look_at_all_conflict_with_any_append(
    spark, partitioned, meanwhile, options
):
    meanwhile(lambda: save(rows(spark, [(9, "y")]), partitioned, "append"))

    with pytest.raises(ConcurrentAppendException):
        save(rows(spark, [(1, "x")]), partitioned, **options)


# ----------------------------------------------------------------------------- asked otherwise


def test_condition_on_partitions_that_only_a_job_can_tell_spares_the_others(spark, partitioned):
    spark.udf.register("is_x", lambda value: value == "x", "boolean")

    save(rows(spark, [(9, "x")]), partitioned, replaceWhere="is_x(p)")

    assert sorted(row.id for row in load(spark, partitioned).collect()) == [3, 4, 9]


def test_insert_overwrite_of_a_view_keeps_to_the_mode_of_the_session(spark, partitioned):
    load(spark, partitioned).createOrReplaceTempView("whole_table")
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try:
        spark.sql("INSERT OVERWRITE whole_table VALUES (9, 'x')")
    finally:
        spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
        spark.catalog.dropTempView("whole_table")

    assert sorted(row.id for row in load(spark, partitioned).collect()) == [3, 4, 9]


@pytest.mark.parametrize(
    ("option", "condition"),
    [
        ({"replaceWhere": "id = 1"}, "DELTA_REPLACE_WHERE_IN_OVERWRITE"),
        ({"overwriteSchema": "true"}, "DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE"),
    ],
)
def test_overwriting_partitions_ignores_no_option(spark, partitioned, option, condition):
    writer = rows(spark, [(1, "x")]).writeTo(f"delta.`{partitioned}`").options(**option)

    with pytest.raises(PySparkException) as caught:
        writer.overwritePartitions()

    assert caught.value.getCondition() == condition
    assert sorted(row.id for row in load(spark, partitioned).collect()) == [1, 2, 3, 4]


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_save_does_not_ignore_other_clustering_columns(spark, tmp_path, mode):
    root = str(tmp_path / "clustered")
    frame = rows(spark, [(1, "x")])
    frame.write.format("delta").clusterBy("id").save(root)
    frame.write.format("delta").mode(mode).clusterBy("ID").save(root)

    with pytest.raises(PySparkException) as caught:
        frame.write.format("delta").mode(mode).clusterBy("p").save(root)

    assert caught.value.getCondition() == "DELTA_CLUSTERING_COLUMNS_MISMATCH"


def test_rows_with_ids_take_them_along(spark, tmp_path):
    path = str(tmp_path / "t")
    rows = spark.range(0, 10, 1, 1)
    rows.write.format("delta").option("delta.enableRowTracking", "true").save(path)
    write = rows.where("id = 3").write.format("delta").mode("overwrite")

    write.option("replaceWhere", "id = 3").save(path)

    found = spark.read.format("delta").load(path).selectExpr("id", "_metadata.row_id AS r")
    ids = {row.id: row.r for row in found.collect()}
    assert ids.pop(3) > 9
    assert ids == {key: key for key in range(10) if key != 3}
