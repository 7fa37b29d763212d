"""Tables that we map: what lies in their files, what the log answers, what a removal leaves."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from puredelta.commands.alter import column_mapping
from puredelta.commands.write import write as write_command
from puredelta.engine.exceptions import ConcurrentAppendException, MetadataChangedException
from puredelta.schema.codec import schema_from_json
from puredelta.table.check import check_table
from puredelta.table.protocol.feature_activation import all_fields
from tests.spark.hand_made import adds_of, allow, commit, take_away

ID = "delta.columnMapping.id"
PHYSICAL = "delta.columnMapping.physicalName"
NAME = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
OFF = "SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none')"
NESTED = """(id INT, `a b` STRING, s STRUCT<x: INT, `y,z`: STRING>, l ARRAY<STRUCT<e: INT>>,
    m MAP<STRING, STRUCT<v: INT>>, p STRING)"""
ROW = """named_struct('x', {0}, 'y,z', 'deep'), array(named_struct('e', {0})),
    map('k', named_struct('v', {0}))"""


def log_of(root, version):
    text = (Path(root) / "_delta_log" / f"{version:020}.json").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def told(root, version, kind):
    return [line[kind] for line in log_of(root, version) if kind in line]


def schema_of(root, version=0):
    [metadata] = told(root, version, "metaData")
    return schema_from_json(metadata["schemaString"])


def physical(schema):
    return {field.name: field.metadata[PHYSICAL] for field in all_fields(schema)}


def found(spark, root, columns="*", order="id"):
    rows = spark.sql(f"SELECT {columns} FROM delta.`{root}` ORDER BY {order}").collect()
    return [tuple(row) for row in rows]


@pytest.fixture(params=["name", "id"])
def nested(spark, tmp_path, request):
    """A mapped table with a local write and one by a job, in each mode."""
    root = tmp_path / "nested"
    spark.sql(
        f"CREATE TABLE delta.`{root}` {NESTED} USING delta PARTITIONED BY (p)"
        f" TBLPROPERTIES ('delta.columnMapping.mode' = '{request.param}')"
    )
    spark.sql(f"INSERT INTO delta.`{root}` SELECT 1, 'one', {ROW.format(1)}, 'x/y'")
    spark.sql(
        f"INSERT INTO delta.`{root}` SELECT INT(id) + 2, 'more', {ROW.format('INT(id)')}, NULL"
        " FROM range(4)"
    )
    return root


def numbers(schema):
    """The ids in a Parquet schema by the paths of its columns, groups too."""
    ids = {}

    def visit(field, path):
        told = (field.metadata or {}).get(b"PARQUET:field_id")
        if told is not None:
            ids[(*path, field.name)] = int(told)
        kind = field.type
        for i in range(kind.num_fields):
            visit(kind.field(i), (*path, field.name))

    for field in schema:
        visit(field, ())
    return ids


def test_files_hold_physical_names_and_ids_at_every_depth(nested):
    schema = schema_of(nested)
    wanted = {field.metadata[PHYSICAL]: field.metadata[ID] for field in all_fields(schema)}
    del wanted[physical(schema)["p"]]

    for version in (1, 2):
        for add in adds_of(nested, version):
            ids = numbers(pq.read_schema(nested / add["path"].replace("%25", "%")))
            assert {path[-1]: number for path, number in ids.items()} == wanted


def test_log_speaks_of_physical_names(nested):
    names = physical(schema_of(nested))
    [add] = adds_of(nested, 1)
    stats = json.loads(add["stats"])

    assert add["partitionValues"] == {names["p"]: "x/y"}
    assert stats["minValues"] == {
        names["id"]: 1,
        names["a b"]: "one",
        names["s"]: {names["x"]: 1, names["y,z"]: "deep"},
    }


def test_table_is_sound(nested):
    assert check_table(str(nested)).findings == ()


def test_rows_come_back_under_the_names_of_users(spark, nested):
    rows = found(spark, nested, "id, `a b`, s.`y,z`, l[0].e, m['k'].v, p")

    assert rows[0] == (1, "one", "deep", 1, 1, "x/y")
    assert [row[3] for row in rows[1:]] == [0, 1, 2, 3]


def test_log_answers_for_mapped_columns(spark, nested):
    frame = spark.sql(f"SELECT count(*), min(id), max(id), max(p), count(p) FROM delta.`{nested}`")

    plan = frame._jdf.queryExecution().executedPlan().toString()
    assert "FileScan" not in plan
    assert tuple(frame.first()) == (5, 1, 5, "x/y", 1)


def test_files_are_skipped_by_physical_names(spark, nested):
    frame = spark.sql(f"SELECT id FROM delta.`{nested}` WHERE s.x = 1 AND `a b` = 'one'")

    assert [row[0] for row in frame.collect()] == [1]
    assert len(frame.inputFiles()) >= 1
    assert spark.sql(f"SELECT id FROM delta.`{nested}` WHERE p = 'x/y'").count() == 1


def test_frame_of_a_mapped_table_makes_a_table_of_its_own(spark, nested, tmp_path):
    frame = spark.read.format("delta").load(str(nested))
    copy = tmp_path / "copy"

    frame.write.format("delta").option("delta.columnMapping.mode", "name").save(str(copy))

    ours, theirs = physical(schema_of(copy)), physical(schema_of(nested))
    assert not set(ours.values()) & set(theirs.values())
    assert found(spark, copy, "id, s.x") == found(spark, nested, "id, s.x")


def test_metadata_of_parquet_files_does_not_get_into_a_schema(spark, nested, tmp_path):
    [add] = adds_of(nested, 1)
    raw = spark.read.parquet(str(nested / add["path"].replace("%25", "%")))
    copy = tmp_path / "copy"

    raw.write.format("delta").save(str(copy))

    assert all(not field.metadata for field in all_fields(schema_of(copy)))


def test_inner_fields_of_other_names_go_where_they_belong(spark, tmp_path):
    root = tmp_path / "t"
    spark.sql(
        f"CREATE TABLE delta.`{root}`"
        " (id INT, s STRUCT<x: INT, y: STRING>, l ARRAY<STRUCT<z: INT>>)"
        f" USING delta {NAME}"
    )
    others = "named_struct('q', {0}, 'r', 'a'), array(named_struct('k', {0}))"

    spark.sql(f"INSERT INTO delta.`{root}` VALUES (1, {others.format(1)})")
    spark.sql(
        f"INSERT INTO delta.`{root}` SELECT INT(id) + 2, {others.format('INT(id)')} FROM range(2)"
    )
    spark.sql(
        "SELECT 4 AS ID, named_struct('Y', 'b', 'X', 9) AS S, array(named_struct('Z', 9)) AS L"
    ).write.format("delta").mode("append").save(str(root))

    rows = found(spark, root, "id, s.x, s.y, l[0].z")
    assert rows == [(1, 1, "a", 1), (2, 0, "a", 0), (3, 1, "a", 1), (4, 9, "b", 9)]


# --------------------------------------------------------------------------------- REMOVAL


def test_nothing_is_rewritten_where_no_name_changed(spark, tmp_path):
    root = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{root}` (id INT, s STRUCT<x: INT>) USING delta")
    spark.sql(f"INSERT INTO delta.`{root}` VALUES (1, named_struct('x', 1))")
    spark.sql(f"ALTER TABLE delta.`{root}` SET {NAME}")
    spark.sql(f"INSERT INTO delta.`{root}` VALUES (2, named_struct('x', 2))")

    spark.sql(f"ALTER TABLE delta.`{root}` {OFF}")

    assert told(root, 4, "remove") == told(root, 4, "add") == []
    assert found(spark, root, "id, s.x") == [(1, 1), (2, 2)]
    assert check_table(str(root)).findings == ()


def test_removal_names_the_clustering_columns_anew(spark, tmp_path):
    root = tmp_path / "t"
    spark.sql(
        f"CREATE TABLE delta.`{root}` (i INT, j STRUCT<k: INT>) USING delta CLUSTER BY (j.k) {NAME}"
    )
    spark.sql(f"INSERT INTO delta.`{root}` VALUES (1, named_struct('k', 2))")

    spark.sql(f"ALTER TABLE delta.`{root}` {OFF}")

    [domain] = told(root, 2, "domainMetadata")
    assert json.loads(domain["configuration"])["clusteringColumns"] == [["j", "k"]]
    detail = spark.sql(f"DESCRIBE DETAIL delta.`{root}`").first()
    assert detail.clusteringColumns == ["j.k"]
    assert found(spark, root, "i, j.k", "i") == [(1, 2)]


def test_removal_leaves_deleted_rows_out(spark, tmp_path):
    root = tmp_path / "t"
    frame = spark.range(6).selectExpr("INT(id) AS id", "1 AS v").coalesce(1)
    frame.write.format("delta").option("delta.columnMapping.mode", "name").save(str(root))
    take_away(root, {adds_of(root)[0]["path"]: {1, 3}}, as_file=False)
    commit(root, allow("deletionVectors", "columnMapping"))

    spark.sql(f"ALTER TABLE delta.`{root}` {OFF}")

    assert [row[0] for row in found(spark, root, "id")] == [0, 2, 4, 5]
    assert all("deletionVector" not in one for one in told(root, 3, "add"))


def test_removal_does_not_lose_rows_that_came_meanwhile(spark, tmp_path, monkeypatch):
    root = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{root}` (id INT) USING delta {NAME}")
    spark.sql(f"INSERT INTO delta.`{root}` VALUES (1)")
    copied = column_mapping.copy_rows

    def slowly(target, files):
        spark.sql(f"INSERT INTO delta.`{root}` VALUES (2)")
        return copied(target, files)

    monkeypatch.setattr(column_mapping, "copy_rows", slowly)

    with pytest.raises(ConcurrentAppendException):
        spark.sql(f"ALTER TABLE delta.`{root}` {OFF}")

    assert [row[0] for row in found(spark, root)] == [1, 2]
    assert told(root, 2, "commitInfo")[0]["operation"] == "WRITE"


# -------------------------------------------------------------------- WRITERS AT THE SAME TIME


@pytest.fixture
def meanwhile(monkeypatch):
    """Lets another commit come first, while the next write is under way."""

    def arrange(other):
        own = write_command.write_rows

        def later(target, rows, **how):
            monkeypatch.setattr(write_command, "write_rows", own)
            other()
            return own(target, rows, **how)

        monkeypatch.setattr(write_command, "write_rows", later)

    return arrange


@pytest.fixture
def partitioned(spark, tmp_path):
    """A table that may be mapped and is not yet, with a row in each of two partitions."""
    root = tmp_path / "partitioned"
    spark.sql(
        f"CREATE TABLE delta.`{root}` (id INT, p STRING) USING delta PARTITIONED BY (p)"
        " TBLPROPERTIES ('delta.feature.columnMapping' = 'supported')"
    )
    spark.sql(f"INSERT INTO delta.`{root}` VALUES (1, 'x'), (2, 'y')")
    return root


def test_append_follows_when_the_table_is_mapped_meanwhile(spark, partitioned, meanwhile):
    meanwhile(lambda: spark.sql(f"ALTER TABLE delta.`{partitioned}` SET {NAME}"))

    spark.sql(f"INSERT INTO delta.`{partitioned}` VALUES (3, 'x')")

    assert told(partitioned, 2, "metaData")
    assert told(partitioned, 3, "metaData") == []
    assert found(spark, partitioned) == [(1, "x"), (2, "y"), (3, "x")]
    assert spark.sql(f"SELECT id FROM delta.`{partitioned}` WHERE p = 'x'").count() == 2


def test_append_does_not_follow_a_rename(spark, partitioned, meanwhile):
    spark.sql(f"ALTER TABLE delta.`{partitioned}` SET {NAME}")
    meanwhile(lambda: spark.sql(f"ALTER TABLE delta.`{partitioned}` RENAME COLUMN p TO q"))

    with pytest.raises(MetadataChangedException):
        spark.sql(f"INSERT INTO delta.`{partitioned}` VALUES (3, 'x')")

    assert found(spark, partitioned, "id, q") == [(1, "x"), (2, "y")]


def test_conflict_names_the_partition_by_its_name(spark, partitioned, meanwhile):
    spark.sql(f"ALTER TABLE delta.`{partitioned}` SET {NAME}")
    spark.sql(f"ALTER TABLE delta.`{partitioned}` RENAME COLUMN p TO `the part`")
    meanwhile(lambda: spark.sql(f"INSERT INTO delta.`{partitioned}` VALUES (9, 'x')"))
    frame = spark.sql("SELECT 3 AS id, 'x' AS `the part`")
    write = frame.write.format("delta").mode("overwrite").option("replaceWhere", "`the part` = 'x'")

    with pytest.raises(ConcurrentAppendException, match=r"the part=x"):
        write.save(str(partitioned))


def test_partitions_of_others_do_not_disturb_after_a_rename(spark, partitioned, meanwhile):
    spark.sql(f"ALTER TABLE delta.`{partitioned}` SET {NAME}")
    spark.sql(f"ALTER TABLE delta.`{partitioned}` RENAME COLUMN p TO q")
    meanwhile(lambda: spark.sql(f"INSERT INTO delta.`{partitioned}` VALUES (9, 'y')"))
    frame = spark.sql("SELECT 3 AS id, 'x' AS q")
    write = frame.write.format("delta").mode("overwrite")

    write.option("partitionOverwriteMode", "dynamic").save(str(partitioned))

    assert found(spark, partitioned, "id, q") == [(2, "y"), (3, "x"), (9, "y")]
