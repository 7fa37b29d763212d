"""ADD, DROP and VALIDATE CONSTRAINT: what is proven, what is scanned, and what others may do."""

import logging

import deltalake
import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException

from puredelta import DeltaTable
from puredelta.commands.alter import constraints as module
from puredelta.commands.alter.constraint_proof import prove_condition
from puredelta.commands.alter.constraints import AlterTableAddConstraintDeltaCommand
from puredelta.commands.table_ref import TableRef
from puredelta.engine.exceptions import (
    ConcurrentAppendException,
    DeltaAnalysisException,
    DeltaInvariantViolationException,
    MetadataChangedException,
)
from puredelta.engine.exceptions import shown as as_users_see
from puredelta.engine.session.context import context_of

LOGGER = "puredelta.commands.alter_table.constraints"


@pytest.fixture
def path(spark, tmp_path) -> str:
    """Files of ten ids each: 0 to 9, 10 to 19 and 20 to 29; every seventh name is null."""
    place = str(tmp_path / "t")
    for first in (0, 10, 20):
        rows = spark.range(first, first + 10).selectExpr(
            "id", "if(id % 7 = 0, NULL, concat('n', id)) AS name", "named_struct('a', id) AS s"
        )
        rows.coalesce(1).write.format("delta").mode("append").save(place)
    return place


def add(spark, path, condition, name="c", extra=""):
    spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT {name} CHECK ({condition}) {extra}")


def found(spark, path, condition, **given):
    table = TableRef(root="file:" + path)
    return prove_condition(context_of(spark), table, table.log().latest(), condition, **given)


def take_away(spark, path, condition):
    rows = spark.read.format("delta").load(path)
    rows.where("false").write.format("delta").mode("overwrite").option(
        "replaceWhere", condition
    ).save(path)


def properties(spark, path):
    rows = spark.sql(f"SHOW TBLPROPERTIES delta.`{path}`").collect()
    return {row["key"]: row["value"] for row in rows if "inVersion" not in row["key"]}


def jobs(spark, action):
    """Run an action; count the Spark jobs that it takes."""
    tracker = spark.sparkContext.statusTracker()
    spark.sparkContext.setJobGroup("counted", "counted")
    before = len(tracker.getJobIdsForGroup("counted"))
    try:
        action()
        return len(tracker.getJobIdsForGroup("counted")) - before
    finally:
        spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)


# ---------------------------------------------------------------------------- proof and scan


@pytest.mark.parametrize(
    ("condition", "proven", "violations"),
    [
        ("id >= 0", 3, 0),
        ("id >= 10", 2, 10),
        ("id < 15", 1, 15),
        ("id BETWEEN 0 AND 29 AND s.a < 100", 3, 0),
        ("id IN (1, 2) OR id > 9", 2, 8),
        ("NOT (id < 0 OR id > 29)", 3, 0),
        ("name LIKE 'n%' OR name IS NULL", 0, 0),
        ("name IS NOT NULL", 0, 5),
        ("id + 1 > 0", 0, 0),
        ("s.a IS NOT NULL AND s IS NOT NULL", 3, 0),
        ("s.a <> 15", 2, 1),
    ],
)
def test_files_are_proven_by_statistics_or_scanned(spark, path, condition, proven, violations):
    seen = found(spark, path, condition)

    assert (seen.proven_files, seen.scanned_files) == (proven, 3 - proven)
    assert seen.violations == violations


def test_examples_are_up_to_five_rows_with_the_columns_named(spark, path):
    seen = found(spark, path, "name IS NOT NULL AND s.a < 28")

    assert seen.violations == 6
    assert len(seen.examples) == 5
    assert "name = null, s.a = 0" in seen.examples


def test_proof_takes_no_job_and_a_scan_one_pass(spark, path):
    assert jobs(spark, lambda: found(spark, path, "id >= 0")) == 0
    # Spark may run the stages of one query as jobs of their own.
    assert jobs(spark, lambda: found(spark, path, "id >= 10")) in (1, 2)
    assert jobs(spark, lambda: found(spark, path, "id >= 10", scan=False)) == 0


def test_an_empty_table_needs_no_job(spark, tmp_path):
    place = str(tmp_path / "e")
    spark.range(0).write.format("delta").save(place)

    assert jobs(spark, lambda: add(spark, place, "id + 1 > 5")) == 0


def test_deleted_rows_do_not_violate(spark, path):
    take_away(spark, path, "id < 10")

    add(spark, path, "id + 0 >= 10")

    assert properties(spark, path)["delta.constraints.c"] == "id + 0 >= 10"


def test_violation_names_number_and_rows_and_leaves_no_version(spark, path):
    with pytest.raises(DeltaAnalysisException) as caught:
        add(spark, path, "id < 28")

    assert caught.value.getCondition() == "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"
    assert f"2 rows in delta.`file:{path}` violate the new CHECK constraint (id < 28)\n" in str(
        caught.value
    )
    assert " - id = 28\n - id = 29\n" in str(caught.value)
    assert caught.value.getMessageParameters()["numRows"] == "2"
    assert DeltaTable.forPath(spark, path).history().count() == 3


def test_log_tells_the_scan_and_how_many_files_were_proven(spark, path, caplog):
    with caplog.at_level(logging.INFO, LOGGER):
        add(spark, path, "id > 8 OR name IS NULL OR id >= 0")

    told = [record.getMessage() for record in caplog.records if record.name == LOGGER]
    counted = "3 of 3 files were proven by their statistics and not read, 0 were scanned."
    checking = "Checking that id > 8 OR name IS NULL OR id >= 0 is satisfied for existing data."
    assert told == [
        f"{checking}\nThis will require a full table scan.",
        f"delta.`file:{path}`: {counted}",
    ]


# -------------------------------------------------------------------------------- NOT VALID


def test_not_valid_checks_new_rows_only_until_it_is_validated(spark, path):
    add(spark, path, "id >= 10", extra="NOT VALID")

    assert properties(spark, path)["puredelta.notValid.c"] == "id >= 10"
    with pytest.raises(DeltaInvariantViolationException):
        spark.sql(f"INSERT INTO delta.`{path}` VALUES (5, 'x', named_struct('a', 5L))")
    with pytest.raises(DeltaAnalysisException, match="10 rows in"):
        spark.sql(f"ALTER TABLE delta.`{path}` VALIDATE CONSTRAINT c")

    take_away(spark, path, "id < 10")
    spark.sql(f"ALTER TABLE delta.`{path}` VALIDATE CONSTRAINT C")

    assert "puredelta.notValid.c" not in properties(spark, path)
    last = DeltaTable.forPath(spark, path).history(1).head()
    assert last["operation"] == "VALIDATE CONSTRAINT"
    assert last["operationParameters"] == {"name": "C", "expr": "id >= 10"}


def test_validate_of_a_valid_one_makes_no_version(spark, path):
    add(spark, path, "id >= 0")

    spark.sql(f"ALTER TABLE delta.`{path}` VALIDATE CONSTRAINT c")

    assert DeltaTable.forPath(spark, path).history().count() == 4


def test_validate_of_an_unknown_one_is_refused(spark, path):
    with pytest.raises(DeltaAnalysisException) as caught:
        spark.sql(f"ALTER TABLE delta.`{path}` VALIDATE CONSTRAINT c")

    assert caught.value.getCondition() == "DELTA_CONSTRAINT_DOES_NOT_EXIST"


# ------------------------------------------------------------------------------ expressions


@pytest.mark.parametrize(
    ("condition", "error"),
    [
        ("id", "DELTA_NON_BOOLEAN_CHECK_CONSTRAINT"),
        ("count(*) > 1", "DELTA_AGGREGATE_IN_CHECK_CONSTRAINT"),
        ("row_number() OVER (ORDER BY id) > 1", "DELTA_UNSUPPORTED_EXPRESSION_CHECK_CONSTRAINT"),
        ("id IN (SELECT 1)", "DELTA_UNSUPPORTED_SUBQUERY"),
        ("rand() > 0.5", "DELTA_NON_DETERMINISTIC_EXPRESSION_IN_CHECK_CONSTRAINT"),
        ("nope > 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("_metadata.file_size > 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("id > 1 AS x", "PARSE_SYNTAX_ERROR"),
        ("*", "INVALID_USAGE_OF_STAR_OR_REGEX"),
    ],
)
def test_conditions_that_cannot_be(spark, path, condition, error):
    with pytest.raises(AnalysisException) as caught:
        add(spark, path, condition)

    assert caught.value.getCondition() == error


def test_session_variables_are_refused(spark, path):
    spark.sql("DECLARE OR REPLACE VARIABLE smallest_id INT DEFAULT 0")
    try:
        with pytest.raises(DeltaAnalysisException) as caught:
            add(spark, path, "id >= smallest_id")
    finally:
        spark.sql("DROP TEMPORARY VARIABLE smallest_id")

    assert caught.value.getCondition() == "DELTA_UNSUPPORTED_EXPRESSION_CHECK_CONSTRAINT"


def test_renamed_columns_are_proven_by_the_statistics_of_their_files(spark, tmp_path):
    place = str(tmp_path / "m")
    spark.sql(
        f"CREATE TABLE delta.`{place}` (id INT, s STRUCT<a: INT>) USING delta"
        " TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    spark.sql(f"INSERT INTO delta.`{place}` VALUES (7, named_struct('a', 3))")
    spark.sql(f"ALTER TABLE delta.`{place}` RENAME COLUMN id TO key")
    spark.sql(f"ALTER TABLE delta.`{place}` RENAME COLUMN s.a TO b")

    assert found(spark, place, "key > 5 AND s.b = 3").proven_files == 1
    assert found(spark, place, "key > 7").examples == ("key = 7",)


# ---------------------------------------------------------------------------- other engines


def test_deltalake_enforces_ours_and_those_that_are_not_valid(spark, path):
    table = spark.read.format("delta").load(path).select("id").schema
    spark.createDataFrame([(5,)], table).write.format("delta").save(path + "2")
    add(spark, path + "2", "id>=5 /* small ones are lost */ AND (id < 100)")
    add(spark, path + "2", "id >= 10", name="later", extra="NOT VALID")

    deltalake.write_deltalake(path + "2", pa.table({"id": [11]}), mode="append")
    with pytest.raises(deltalake.exceptions.DeltaError, match="validation"):
        deltalake.write_deltalake(path + "2", pa.table({"id": [6]}), mode="append")

    assert sorted(row.id for row in spark.read.format("delta").load(path + "2").collect()) == [
        5,
        11,
    ]


# ------------------------------------------------------------------------------- concurrency


def command(path, name="c", condition="id >= 0"):
    return AlterTableAddConstraintDeltaCommand(
        table=TableRef(root="file:" + path), name=name, expr_text=condition
    )


def test_append_between_scan_and_commit_is_a_conflict(spark, path, monkeypatch):
    commit = module.commit_change

    def after_an_append(*given):
        spark.sql(f"INSERT INTO delta.`{path}` VALUES (-1, 'x', named_struct('a', 5L))")
        return commit(*given)

    monkeypatch.setattr(module, "commit_change", after_an_append)

    with pytest.raises(ConcurrentAppendException), as_users_see():
        command(path).run(context_of(spark))

    assert "delta.constraints.c" not in properties(spark, path)
    assert spark.read.format("delta").load(path).where("id < 0").count() == 1


def test_of_two_that_add_one_name_one_wins(spark, path, monkeypatch):
    add(spark, path, "id < 100", name="other")
    commit = module.commit_change

    def after_another(*given):
        monkeypatch.setattr(module, "commit_change", commit)
        add(spark, path, "id > -5", name="C")
        return commit(*given)

    monkeypatch.setattr(module, "commit_change", after_another)

    with pytest.raises(MetadataChangedException), as_users_see():
        command(path).run(context_of(spark))

    assert properties(spark, path)["delta.constraints.c"] == "id > -5"


def test_constraints_of_as_select_are_checked_and_kept(spark, table_name):
    clauses = "(CONSTRAINT c CHECK (id > 0), CHECK (v <> 'x')) USING delta PARTITIONED BY (v)"

    with pytest.raises(DeltaInvariantViolationException, match="constraint c"):
        spark.sql(f"CREATE TABLE {table_name} {clauses} AS SELECT -1 AS id, 'a' AS v")
    assert not spark.catalog.tableExists(table_name)
    for verb in ("CREATE", "REPLACE", "CREATE OR REPLACE"):
        spark.sql(f"{verb} TABLE {table_name} {clauses} AS SELECT 1 AS id, 'a' AS v")
    spark.sql(
        f"CREATE TABLE IF NOT EXISTS {table_name} (CHECK (id > 5)) USING delta AS SELECT 1 id"
    )

    with pytest.raises(DeltaInvariantViolationException, match=f"constraint {table_name}_check"):
        spark.sql(f"INSERT INTO {table_name} VALUES (1, 'x')")
    assert spark.table(table_name).collect() == [(1, "a")]


def test_unknown_column_is_no_line_on_standard_error(spark, path, capfd):
    spark.sparkContext.setLogLevel("WARN")
    try:
        for text in ("nope > 1", "id + 'x' > array(1)"):
            with pytest.raises(AnalysisException):
                add(spark, path, text)
    finally:
        spark.sparkContext.setLogLevel("OFF")

    assert capfd.readouterr().err == ""
