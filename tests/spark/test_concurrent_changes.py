"""Statements that change rows of one file at once: different rows pass each other, others are told.

The second statement is held up between its look at the table and its commit.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest

from puredelta import DeltaTable
from puredelta.engine.scan import pinned_files
from puredelta.errors import DeltaConcurrentModificationError
from puredelta.log import open_table
from puredelta.maintenance import bins

VECTORS = "'delta.enableDeletionVectors' = 'true'"


@pytest.fixture
def table(spark, tmp_path):
    """A table of rows 0 to 9 in one file, with deletion vectors."""
    path = str(tmp_path / "t")
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id BIGINT, v INT) USING delta TBLPROPERTIES ({VECTORS})"
    )
    rows = spark.range(10).selectExpr("id", "cast(id as int) v").coalesce(1)
    rows.write.format("delta").mode("append").save(path)
    return DeltaTable.forPath(spark, path)


def rows(table):
    return {row.id: row.v for row in table.toDF().collect()}


def path_of(table):
    return table.detail().first().location.removeprefix("file:")


@pytest.mark.parametrize("first", ["delete", "update"])
@pytest.mark.parametrize("second", ["delete", "update"])
def test_different_rows_of_one_file_change_at_once(table, meanwhile, first, second):
    def change(kind, key):
        if kind == "delete":
            table.delete(f"id = {key}")
        else:
            table.update(f"id = {key}", {"v": "v + 100"})

    meanwhile(lambda: change(first, 2))
    change(second, 7)

    expected = {key: key for key in range(10)}
    for kind, key in ((first, 2), (second, 7)):
        if kind == "delete":
            del expected[key]
        else:
            expected[key] += 100
    assert rows(table) == expected
    files = open_table(path_of(table)).snapshot.files.to_pylist()
    vectors = [file["deletion_vector"] for file in files if file["deletion_vector"]]
    assert [vector["cardinality"] for vector in vectors] == [2]


def test_the_same_row_changes_once(table, meanwhile):
    meanwhile(lambda: table.delete("id = 2"))

    with pytest.raises(DeltaConcurrentModificationError):
        table.update("id IN (2, 7)", {"v": "0"})

    assert rows(table) == {key: key for key in range(10) if key != 2}


def test_a_row_that_comes_and_would_match_is_a_conflict(table, meanwhile):
    meanwhile(lambda: table.update("id = 2", {"id": "7"}))

    with pytest.raises(DeltaConcurrentModificationError):
        table.delete("id = 7")


def test_rows_of_which_nothing_can_match_come_and_go(spark, table, meanwhile):
    meanwhile(lambda: spark.sql(f"INSERT INTO delta.`{path_of(table)}` VALUES (20, 20)"))

    table.delete("id = 7")

    assert set(rows(table)) == {0, 1, 2, 3, 4, 5, 6, 8, 9, 20}


@pytest.mark.parametrize(
    ("condition", "value"),
    [("id = 7 AND v < (SELECT max(v) FROM t)", "0"), ("id = 7", "(SELECT max(v) FROM t)")],
)
def test_who_looked_at_other_rows_depends_on_them(spark, table, meanwhile, condition, value):
    table.toDF().createOrReplaceTempView("t")
    meanwhile(lambda: table.delete("id = 9"))

    with pytest.raises(DeltaConcurrentModificationError):
        spark.sql(f"UPDATE delta.`{path_of(table)}` SET v = {value} WHERE {condition}")


def merge(spark, table, keys, clauses):
    source = ", ".join(f"({key}L, {key + 1000})" for key in keys)
    spark.sql(
        f"MERGE INTO delta.`{path_of(table)}` t USING (SELECT * FROM VALUES {source} AS s(id, v)) s"
        f" ON t.id = s.id {clauses}"
    )


UPSERT = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"


@pytest.mark.parametrize(
    ("first", "clauses"),
    [
        ([7], UPSERT),
        ([20], UPSERT),
        ([2], "WHEN MATCHED AND s.v < 0 THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"),
        ([2], "WHEN NOT MATCHED THEN INSERT *"),
        ([2], f"{UPSERT} WHEN NOT MATCHED BY SOURCE AND t.id = 9 THEN DELETE"),
    ],
    ids=["same row", "same new key", "not all matches change", "inserts alone", "by source"],
)
def test_merges_that_depend_on_other_rows_are_told(spark, table, meanwhile, first, clauses):
    meanwhile(lambda: merge(spark, table, first, UPSERT))

    with pytest.raises(DeltaConcurrentModificationError):
        merge(spark, table, [2, 7, 20], clauses)


@pytest.mark.parametrize("first", [1, 30])
def test_merges_of_other_keys_pass_each_other_in_one_file(spark, table, meanwhile, first):
    meanwhile(lambda: merge(spark, table, [first], UPSERT))

    merge(spark, table, [7, 20], UPSERT)

    changed = {key: key + 1000 for key in (first, 7, 20)}
    assert rows(table) == {**{key: key for key in range(10)}, **changed}


def test_merge_depends_on_rows_that_its_values_look_at(spark, table, meanwhile):
    table.toDF().createOrReplaceTempView("all_rows")
    largest = "WHEN MATCHED THEN UPDATE SET v = (SELECT max(v) FROM all_rows)"
    merge(spark, table, [3], largest)
    assert rows(table)[3] == 9
    meanwhile(lambda: table.delete("id = 9"))

    with pytest.raises(DeltaConcurrentModificationError):
        merge(spark, table, [7], largest)


def test_rows_keep_their_ids_through_changes_at_once(spark, tmp_path, meanwhile):
    path = str(tmp_path / "ids")
    both = f"{VECTORS}, 'delta.enableRowTracking' = 'true'"
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT) USING delta TBLPROPERTIES ({both})")
    spark.range(6).coalesce(1).write.format("delta").mode("append").save(path)
    table = DeltaTable.forPath(spark, path)

    meanwhile(lambda: table.update("id = 1", {"id": "id + 100"}))
    table.update("id = 4", {"id": "id + 200"})

    found = table.toDF().selectExpr("id", "_metadata.row_id r", "_metadata.row_commit_version v")
    assert {row.id: (row.r, row.v) for row in found.collect()} == {
        0: (0, 1), 101: (1, 2), 2: (2, 1), 3: (3, 1), 204: (4, 3), 5: (5, 1),
    }  # fmt: skip


def test_rows_that_scd2_leaves_as_they_are_must_stay_so(spark, tmp_path, meanwhile):
    path = str(tmp_path / "dated")
    spark.sql(
        f"""CREATE TABLE delta.`{path}` (part INT, id INT, v STRING, valid_from TIMESTAMP,
        valid_to TIMESTAMP, is_current BOOLEAN) USING delta PARTITIONED BY (part)"""
    )
    table = DeltaTable.forPath(spark, path)

    def known(*given):
        return spark.createDataFrame(given, "part INT, id INT, v STRING")

    table.scd2(known((1, 1, "a"), (2, 2, "b")), key=["part", "id"])
    meanwhile(lambda: table.scd2(known((2, 2, "other")), key=["part", "id"]))

    with pytest.raises(DeltaConcurrentModificationError):
        table.scd2(known((1, 1, "new"), (2, 2, "b")), key=["part", "id"])


def test_upsert_of_rows_made_from_the_table_depends_on_all_of_them(spark, table, meanwhile):
    sums = table.toDF().selectExpr("7L AS id", "cast(sum(v) AS INT) AS v")
    spark.range(100, 101).selectExpr("id", "cast(id AS INT) v").write.format("delta").mode(
        "append"
    ).save(path_of(table))
    meanwhile(lambda: table.update("id = 100", {"v": "-1"}))

    with pytest.raises(DeltaConcurrentModificationError):
        table.upsert(sums, key="id")


def test_files_chosen_by_other_statements_change_nothing(spark, tmp_path, monkeypatch):
    # Each file is a task of its own.
    monkeypatch.setattr(bins, "_USUAL_BYTES", 1)
    monkeypatch.setattr(pinned_files, "_LOOSE_KEPT", 2)
    paths = [str(tmp_path / name) for name in ("one", "two")]
    rows = spark.range(24).selectExpr("id", "id % 8 AS p")
    for path in paths:
        spark.sql(
            f"""CREATE TABLE delta.`{path}` (id BIGINT, p BIGINT) USING delta PARTITIONED BY (p)
            TBLPROPERTIES ({VECTORS})"""
        )
        rows.coalesce(1).write.format("delta").mode("append").save(path)
        DeltaTable.forPath(spark, path).delete("id < 8")
    with ThreadPoolExecutor(2) as pool:
        done = pool.map(lambda path: spark.sql(f"REORG TABLE delta.`{path}` APPLY (PURGE)"), paths)
        assert [one.first().metrics.numFilesAdded for one in done] == [8, 8]


# ------------------------------------------------------------------------------------- overwrites

OVERWRITES = {
    "replaceWhere": {"replaceWhere": "id = 7"},
    "replaceUsing": {"replaceUsing": "id"},
    "replaceOn": {"replaceOn": "t.id = s.id", "targetAlias": "t"},
}


def replace_seven(spark, table, name):
    """Put a row in the place of that with the key 7, which a deletion vector takes away."""
    frame = spark.createDataFrame([(7, 1007)], "id LONG, v INT").alias("s")
    writer = frame.write.format("delta").mode("overwrite").options(**OVERWRITES[name])
    writer.save(path_of(table))


@pytest.mark.parametrize("name", OVERWRITES)
def test_overwrite_passes_others_that_took_other_rows_of_the_file(spark, table, meanwhile, name):
    meanwhile(lambda: table.delete("id = 2"))

    replace_seven(spark, table, name)

    kept = {key: key for key in range(10) if key != 2}
    assert rows(table) == {**kept, 7: 1007}
    files = open_table(path_of(table)).snapshot.files.to_pylist()
    vectors = [file["deletion_vector"] for file in files if file["deletion_vector"]]
    assert [vector["cardinality"] for vector in vectors] == [2]


def test_delete_passes_an_overwrite_of_other_rows_of_the_file(spark, table, meanwhile):
    meanwhile(lambda: replace_seven(spark, table, "replaceWhere"))

    table.delete("id = 2")

    kept = {key: key for key in range(10) if key != 2}
    assert rows(table) == {**kept, 7: 1007}


def test_overwrite_where_passes_an_update_whose_rows_cannot_match(spark, table, meanwhile):
    meanwhile(lambda: table.update("id = 2", {"v": "-1"}))

    replace_seven(spark, table, "replaceWhere")

    assert rows(table) == {**{key: key for key in range(10)}, 2: -1, 7: 1007}


@pytest.mark.parametrize("name", OVERWRITES)
@pytest.mark.parametrize("change", ["same row goes", "row comes that matches", "row is moved"])
def test_overwrite_is_told_of_others_that_touch_rows_it_replaces(
    spark, table, meanwhile, name, change
):
    def others():
        if change == "same row goes":
            table.delete("id = 7")
        elif change == "row comes that matches":
            spark.sql(f"INSERT INTO delta.`{path_of(table)}` VALUES (7, 70)")
        else:
            table.update("id = 2", {"id": "7"})

    meanwhile(others)
    with pytest.raises(DeltaConcurrentModificationError) as raised:
        replace_seven(spark, table, name)

    # The winner is named, and the change is whole or not there.
    winner = {"same row goes": "DELETE", "row comes that matches": "WRITE"}.get(change, "UPDATE")
    assert winner in str(raised.value)
    assert 1007 not in rows(table).values()


def test_overwrite_whose_condition_looks_at_other_rows_depends_on_them(spark, table, meanwhile):
    table.toDF().createOrReplaceTempView("looked_at")
    frame = spark.createDataFrame([(7, 1007)], "id LONG, v INT").alias("s")
    meanwhile(lambda: table.delete("id = 9"))

    on = "t.id = s.id AND t.v < (SELECT max(v) FROM looked_at)"
    writer = frame.write.format("delta").mode("overwrite").options(replaceOn=on, targetAlias="t")
    with pytest.raises(DeltaConcurrentModificationError):
        writer.save(path_of(table))


def test_change_feed_of_an_overwrite_behind_a_delete_has_its_own_rows_alone(
    spark, table, meanwhile
):
    spark.sql(
        f"ALTER TABLE delta.`{path_of(table)}` SET TBLPROPERTIES"
        " ('delta.enableChangeDataFeed' = 'true')"
    )
    meanwhile(lambda: table.delete("id = 2"))
    replace_seven(spark, table, "replaceWhere")

    version = open_table(path_of(table)).snapshot.version
    feed = spark.read.format("delta").option("readChangeFeed", "true")
    found = feed.option("startingVersion", version).load(path_of(table)).collect()
    assert sorted((row.id, row.v, row["_change_type"]) for row in found) == [
        (7, 7, "delete"), (7, 1007, "insert"),
    ]  # fmt: skip
