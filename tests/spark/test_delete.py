"""DELETE: which rows go, which files are written for it, and what is refused."""

import shutil

import pytest
from pyspark.errors import AnalysisException, UnsupportedOperationException
from pyspark.sql import functions as f

from puredelta import DeltaTable
from puredelta.engine.dml import affected_rows
from puredelta.engine.exceptions import DeltaAnalysisException
from puredelta.errors import DeltaError
from tests.spark.changed_rows import (
    VECTORS,
    actions,
    create,
    last,
    metrics,
    put,
    rows_of,
    run,
)


@pytest.fixture(params=[{}, VECTORS], ids=["files", "vectors"])
def table(request, spark, tmp_path):
    """A table of two files, ids 0 to 9 and 10 to 14; `v` of every third is null."""
    root = tmp_path / "t"
    create(spark, root, properties=request.param)
    for first, after in ((0, 10), (10, 15)):
        put(
            spark,
            root,
            *(f"({n}, {'NULL' if n % 3 == 0 else repr(f'v{n}')})" for n in range(first, after)),
        )
    return root


def ids(spark, root):
    return [row[0] for row in rows_of(spark, root)]


def has_vectors(root):
    return any("deletionVector" in add for add in actions(root, last(root), "add"))


def test_rows_for_which_the_condition_is_true_go(spark, table):
    assert run(spark, f"DELETE FROM delta.`{table}` WHERE id IN (2, 11, 99)") == 2

    assert ids(spark, table) == [0, 1, *range(3, 11), 12, 13, 14]


def test_rows_for_which_the_condition_is_null_stay(spark, table):
    assert run(spark, f"DELETE FROM delta.`{table}` WHERE v <> 'v1'") == 9

    assert ids(spark, table) == [0, 1, 3, 6, 9, 12]


def test_rows_of_very_large_tables_come_by_file(spark, table, monkeypatch):
    by_file = []
    collect = affected_rows._collected_by_file
    monkeypatch.setattr(affected_rows, "_FEW_ROWS", 1)
    monkeypatch.setattr(
        affected_rows, "_collected_by_file", lambda words: by_file.append(1) or collect(words)
    )

    assert run(spark, f"DELETE FROM delta.`{table}` WHERE id % 4 = 0") == 4
    assert by_file == [1]
    assert run(spark, f"DELETE FROM delta.`{table}` WHERE id % 15 = 100") == 0

    assert ids(spark, table) == [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14]


def test_files_without_such_rows_are_left_alone(spark, table):
    run(spark, f"DELETE FROM delta.`{table}` WHERE id = 12")

    [removed] = actions(table, 3, "remove")
    assert removed["path"] == actions(table, 2, "add")[0]["path"]


def test_vectors_replace_new_files_where_the_table_has_them(spark, table):
    run(spark, f"DELETE FROM delta.`{table}` WHERE id = 12")

    [before], [add] = actions(table, 2, "add"), actions(table, 3, "add")
    if has_vectors(table):
        assert (add["path"], add["deletionVector"]["cardinality"]) == (before["path"], 1)
        assert metrics(table, 3)["numDeletionVectorsAdded"] == 1
    else:
        assert add["path"] != before["path"]
        assert metrics(table, 3)["numCopiedRows"] == 4


def test_session_may_do_without_vectors(spark, table):
    key = "spark.databricks.delta.delete.deletionVectors.persistent"
    run(spark, f"DELETE FROM delta.`{table}` WHERE id = 13")
    spark.conf.set(key, "false")
    try:
        run(spark, f"DELETE FROM delta.`{table}` WHERE id = 12")
    finally:
        spark.conf.unset(key)

    assert not has_vectors(table)
    assert ids(spark, table) == [*range(12), 14]


def test_vectors_grow_and_files_go_with_their_last_row(spark, table):
    for number in (10, 12, 14, 13, 11):
        assert run(spark, f"DELETE FROM delta.`{table}` WHERE id = {number}") == 1
        assert run(spark, f"DELETE FROM delta.`{table}` WHERE id = {number}") == 0

    assert ids(spark, table) == [*range(10)]
    assert actions(table, 7, "add") == []
    assert last(table) == 7


def test_file_of_which_all_rows_go_is_not_written(spark, table):
    run(spark, f"DELETE FROM delta.`{table}` WHERE id >= 10")

    assert actions(table, 3, "add") == []
    assert metrics(table, 3)["numDeletedRows"] == 5


def test_without_a_condition_all_files_go(spark, table):
    assert run(spark, f"DELETE FROM delta.`{table}`") == 15

    assert rows_of(spark, table) == []
    assert actions(table, 3, "add") == []


@pytest.mark.parametrize(
    ("condition", "gone"),
    [
        ("id IN (SELECT id * 5 FROM range(2))", [0, 5]),
        ("id NOT IN (SELECT id FROM range(1, 99))", [0]),
        ("id = (SELECT max(id) FROM {table})", [14]),
        ("EXISTS (SELECT * FROM range(3) r WHERE r.id + 1 = d.id)", [1, 2, 3]),
        ("id < 2 OR id IN (SELECT 7)", [0, 1, 7]),
        ("v = (SELECT max(v) FROM {table} o WHERE o.id <= d.id AND d.id < 5)", [1, 2, 4]),
    ],
)
def test_conditions_have_subqueries(spark, table, condition, gone):
    asked = condition.format(table=f"delta.`{table}`")

    assert run(spark, f"DELETE FROM delta.`{table}` AS d WHERE {asked}") == len(gone)

    assert ids(spark, table) == [n for n in range(15) if n not in gone]


def test_condition_of_a_common_table_expression(spark, table):
    spark.sql(
        f"WITH s AS (SELECT 3 AS k) DELETE FROM delta.`{table}` WHERE id IN (SELECT k FROM s)"
    )

    assert 3 not in ids(spark, table)


def test_condition_of_a_function_in_python(spark, table):
    spark.udf.register("is_seventh", lambda number: number % 7 == 0, "boolean")

    assert run(spark, f"DELETE FROM delta.`{table}` WHERE is_seventh(id) AND id < 14") == 2

    assert ids(spark, table) == [*range(1, 7), *range(8, 15)]


def test_partitions_go_without_being_read(spark, tmp_path):
    root = tmp_path / "t"
    create(spark, root, "id INT, p STRING", by=["p"], properties=VECTORS)
    put(spark, root, "(1, 'x')", "(2, 'x')", "(3, 'y')", "(4, NULL)")
    for add in actions(root, 1, "add"):
        (root / add["path"]).unlink()  # nobody looks

    assert run(spark, f"DELETE FROM delta.`{root}` WHERE p = 'x' OR p IS NULL") == 3

    assert [one["partitionValues"] for one in actions(root, 2, "remove")] in (
        [{"p": "x"}, {}],
        [{}, {"p": "x"}],
    )


def test_view_of_all_rows_stands_for_its_table(spark, table):
    frame = spark.read.format("delta").load(str(table))
    frame.select(f.col("v").alias("name"), f.col("id").alias("key")).createOrReplaceTempView("seen")
    try:
        assert run(spark, "DELETE FROM seen WHERE key = 4") == 1
    finally:
        spark.catalog.dropTempView("seen")

    assert 4 not in ids(spark, table)


def test_view_of_some_rows_is_refused(spark, table):
    spark.read.format("delta").load(str(table)).where("id > 4").createOrReplaceTempView("seen")
    try:
        with pytest.raises(DeltaAnalysisException) as caught:
            spark.sql("DELETE FROM seen WHERE id = 7")
    finally:
        spark.catalog.dropTempView("seen")

    assert caught.value.getCondition() == "DELTA_UNEXPECTED_PARTIAL_SCAN"
    assert 7 in ids(spark, table)


def test_view_of_the_catalog_is_refused(spark, table, table_name):
    view = f"{table_name}_view"
    spark.sql(f"CREATE TABLE {table_name} (id INT) USING delta")
    spark.sql(f"CREATE VIEW {view} AS SELECT * FROM {table_name}")
    try:
        with pytest.raises(DeltaAnalysisException) as caught:
            spark.sql(f"DELETE FROM {view} WHERE id = 7")
    finally:
        spark.sql(f"DROP VIEW {view}")

    assert caught.value.getCondition() == "DELTA_UNSUPPORTED_SOURCE"


def test_view_of_an_old_version_is_refused(spark, table):
    frame = spark.read.format("delta").option("versionAsOf", 1).load(str(table))
    frame.createOrReplaceTempView("seen")
    try:
        with pytest.raises(DeltaAnalysisException) as caught:
            spark.sql("DELETE FROM seen WHERE id = 7")
    finally:
        spark.catalog.dropTempView("seen")

    assert caught.value.getCondition() == "DELTA_FAILED_SCAN_WITH_HISTORICAL_VERSION"


def test_texts_of_a_fixed_length_are_found_and_kept(spark, tmp_path):
    root = tmp_path / "t"
    create(spark, root, "id INT, c CHAR(4), p CHAR(2)", by=["p"])
    put(spark, root, "(1, 'a', 'x')", "(2, 'bc', 'x')", "(3, 'a', 'y')")

    assert run(spark, f"DELETE FROM delta.`{root}` WHERE c = 'a' AND p = 'x'") == 1
    assert run(spark, f"UPDATE delta.`{root}` SET c = 'd' WHERE c = 'bc'") == 1
    assert run(spark, f"DELETE FROM delta.`{root}` WHERE p = 'y'") == 1

    assert rows_of(spark, root) == [(2, "d   ", "x ")]


def test_condition_that_varies_is_refused(spark, table):
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"DELETE FROM delta.`{table}` WHERE rand() < 2")

    assert caught.value.getCondition() == "INVALID_NON_DETERMINISTIC_EXPRESSIONS"


def test_table_that_only_grows_refuses_it(spark, tmp_path):
    create(spark, tmp_path / "t", properties={"delta.appendOnly": "true"})

    with pytest.raises(UnsupportedOperationException, match="only takes appends"):
        spark.sql(f"DELETE FROM delta.`{tmp_path}/t` WHERE id = 1")


def test_rows_that_do_not_add_up_stop_it(spark, tmp_path):
    create(spark, tmp_path / "t")
    put(spark, tmp_path / "t", "(1, 'a')", "(2, 'b')", "(3, 'c')")
    root = shutil.copytree(
        tmp_path / "t", tmp_path / "wrong", ignore=shutil.ignore_patterns("*.crc")
    )
    log = root / "_delta_log" / f"{1:020}.json"
    log.write_text(log.read_text("utf-8").replace('numRecords\\":3', 'numRecords\\":4'), "utf-8")

    with pytest.raises(DeltaError, match="rows would be lost or duplicated") as caught:
        spark.sql(f"DELETE FROM delta.`{root}` WHERE id = 2")

    assert caught.value.condition == "DELTA_NUM_RECORDS_MISMATCH"
    assert last(root) == 1
    assert ids(spark, root) == [1, 2, 3]


def test_python_deletes_by_text_and_by_column(spark, table):
    delta = DeltaTable.forPath(spark, str(table))

    delta.delete("id = 1")
    delta.delete(f.col("id") == 2)
    delta.alias("a").delete("a.id = 3 AND a.id IN (SELECT 3)")

    assert ids(spark, table) == [0, *range(4, 15)]


def test_dry_run_deletes_nothing(spark, table):
    told = DeltaTable.forPath(spark, str(table)).delete("id = 12", dryRun=True)

    assert "rows: 1 deleted" in str(told)
    assert last(table) == 2


@pytest.mark.parametrize("statement", ["delete", "update", "merge"])
def test_kept_rows_of_the_version_hide_no_file(spark, tmp_path, statement):
    create(spark, tmp_path / "t")
    put(spark, tmp_path / "t", "(1, 'a')", "(2, 'b')")
    path = str(tmp_path / "t")
    kept = spark.read.format("delta").option("versionAsOf", 1).load(path).cache()
    text = {
        "delete": f"DELETE FROM delta.`{path}` WHERE id = 2",
        "update": f"UPDATE delta.`{path}` SET id = 3 WHERE id = 2",
        "merge": f"""MERGE INTO delta.`{path}` t USING (SELECT 2 AS id) s ON t.id = s.id
            WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (id)""",
    }
    try:
        kept.count()
        spark.sql(text[statement])
    finally:
        kept.unpersist()

    found = spark.read.format("delta").load(path).collect()
    assert 2 not in {row[0] for row in found}


@pytest.mark.parametrize("condition", ["p = 1 AND {}", "{}"])
def test_part_without_columns_is_not_passed_over(spark, tmp_path, condition):
    path = str(tmp_path / "t")
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT, p INT) USING delta PARTITIONED BY (p)")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, 1), (2, 1), (3, 2)")
    says_no = condition.format("nvl(raise_error('not so'), true)")

    with pytest.raises(Exception, match="not so"):
        spark.sql(f"DELETE FROM delta.`{path}` WHERE {says_no}")

    assert spark.read.format("delta").load(path).count() == 3
