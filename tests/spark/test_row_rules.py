"""Rows are checked inside the job that writes them, and errors tell the values of the row."""

import json

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta import DeltaTable
from puredelta.engine.exceptions import DeltaInvariantViolationException
from puredelta.engine.row_checks.rules import (
    RowRule,
    describe_violation,
    explain_value,
    with_checks,
)
from puredelta.log import open_table


def constrained(spark, path, columns, *conditions, **metadata):
    """Make a table with constraints as its first version says."""
    spark.sql(f"CREATE TABLE delta.`{path}` ({columns}) USING delta")
    first = path / "_delta_log" / f"{0:020}.json"
    actions = [json.loads(line) for line in first.read_text("utf-8").splitlines()]
    for action in actions:
        if "protocol" in action:
            action["protocol"]["minWriterVersion"] = 3
        if "metaData" in action:
            told = action["metaData"]
            told["configuration"] = {
                f"delta.constraints.c{place}": text for place, text in enumerate(conditions)
            }
            schema = json.loads(told["schemaString"])
            for field in schema["fields"]:
                field["metadata"].update(metadata.get(field["name"], {}))
            told["schemaString"] = json.dumps(schema)
    first.write_text("".join(json.dumps(action) + "\n" for action in actions), "utf-8")
    for other in (path / "_delta_log").glob("*.crc"):
        other.unlink()
    return path


def refused(write):
    with pytest.raises(DeltaInvariantViolationException) as caught:
        write()
    return caught.value


def insert(spark, path, values):
    return lambda: spark.sql(f"INSERT INTO delta.`{path}` VALUES ({values})")


VALUES = {
    "d DATE": ("DATE'2019-05-06'", "2019-05-06"),
    "at TIMESTAMP": ("TIMESTAMP'2019-01-02 03:04:05.678'", "2019-01-02 03:04:05.678"),
    "n TIMESTAMP_NTZ": ("TIMESTAMP_NTZ'2019-01-02 03:04:05'", "2019-01-02 03:04:05"),
    "m DECIMAL(10, 2)": ("1.5", "1.50"),
    "f DOUBLE": ("double('NaN')", "NaN"),
    "a ARRAY<INT>": ("array(1, NULL)", "[1, null]"),
    "o MAP<STRING, INT>": ("map('k', 1)", "{k -> 1}"),
    "s STRUCT<x: INT, y: STRING>": ("named_struct('x', 1, 'y', 'z')", "{1, z}"),
    "b BOOLEAN": ("true", "true"),
    "t STRING": ("' :puredelta \"x\" ü'", ' :puredelta "x" ü'),
}


@pytest.mark.parametrize("column", VALUES)
def test_values_are_told_as_sql_prints_them(spark, tmp_path, column):
    name = column.partition(" ")[0]
    value, text = VALUES[column]
    path = constrained(spark, tmp_path / "t", column, f"{name} IS NULL")

    error = refused(insert(spark, path, value))

    assert error.getMessageParameters() == {
        "constraintName": "c0",
        "expression": f"({name} IS NULL)",
        "values": f" - {name} : {text}",
    }


def test_text_and_sql_state_are_those_of_the_page(spark, tmp_path):
    path = constrained(spark, tmp_path / "t", "z INT, a INT, m INT", "z > 5 OR a > 5")

    error = refused(insert(spark, path, "1, NULL, 3"))

    assert error.getCondition() == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    assert error.getSqlState() == "23001"
    assert error.message == (
        "CHECK constraint c0 (z > 5 OR a > 5) violated by row with values:\n - a : null\n - z : 1"
    )


def test_first_broken_constraint_is_told_in_their_order(spark, tmp_path):
    path = constrained(spark, tmp_path / "t", "id INT", "id > 0", "id > 5", "id > 3")

    assert refused(insert(spark, path, "2")).getMessageParameters()["constraintName"] == "c1"
    assert refused(insert(spark, path, "-2")).getMessageParameters()["constraintName"] == "c0"


def append(rows, path):
    rows.write.format("delta").mode("append").save(str(path))


def test_a_refused_job_leaves_no_version_and_no_rows(spark, tmp_path):
    path = constrained(spark, tmp_path / "t", "id BIGINT", "id < 900")
    rows = spark.range(0, 1000, 1, 4)

    error = refused(lambda: append(rows, path))

    assert error.getMessageParameters()["values"].startswith(" - id : 9")
    assert open_table(str(path)).version == 0
    assert spark.read.format("delta").load(str(path)).count() == 0


def test_a_refused_task_removes_the_file_that_it_has_begun(spark, tmp_path):
    path = constrained(spark, tmp_path / "t", "id BIGINT", "id < 900")

    refused(lambda: append(spark.range(0, 1000, 1, 1), path))

    assert list(path.rglob("*.parquet")) == []


def test_rows_that_a_limit_leaves_out_are_not_checked(spark, tmp_path):
    path = constrained(spark, tmp_path / "t", "id BIGINT", "id < 50")
    rows = spark.range(0, 1000, 1, 4).limit(5)

    rows.write.format("delta").mode("append").save(str(path))

    assert spark.read.format("delta").load(str(path)).count() == 5


def test_check_stays_above_what_chooses_the_rows(spark):
    rule = RowRule(
        F.col("id") < 50, describe_violation("DELTA_NOT_NULL_CONSTRAINT_VIOLATED", columnName="id")
    )

    plan = with_checks(spark.range(0, 1000, 1, 4).limit(5), [rule])._jdf.queryExecution()
    lines = plan.optimizedPlan().toString().splitlines()

    limits = [place for place, line in enumerate(lines) if "Limit" in line]
    checks = [place for place, line in enumerate(lines) if "raise_error" in line]
    assert limits
    assert checks
    assert max(checks) < min(limits)


def with_rules(spark, count):
    """Rows with as many columns, each of which has a rule that tells its value."""
    names = [f"c{place}" for place in range(count)]
    frame = spark.range(0, 10, 1, 2).select(*(F.col("id").alias(name) for name in names))
    kind = "DELTA_EXCEED_CHAR_VARCHAR_LIMIT"
    rules = [
        RowRule(
            F.col(name) < 9,
            describe_violation(kind, ("value", explain_value(F.col(name))), expr=name),
        )
        for name in names
    ]
    return with_checks(frame, rules)


def code_sizes(spark, rows):
    """The size in bytes of the largest method of each stage that Spark generates code for."""
    debug = spark._jvm.org.apache.spark.sql.execution.debug.package
    stages = debug.codegenStringSeq(rows._jdf.queryExecution().executedPlan())
    return [stages.apply(place)._3().maxMethodCodeSize() for place in range(stages.size())]


@pytest.mark.parametrize("count", [1, 3, 24])
def test_checks_are_part_of_the_code_of_a_stage(spark, count):
    """Methods past 8,000 bytes are never compiled to machine code."""
    rows = with_rules(spark, count)

    plan = rows._jdf.queryExecution().executedPlan().toString()
    assert all(line.lstrip("+-: ").startswith("*(1)") for line in plan.splitlines() if line)
    [size] = code_sizes(spark, rows)
    assert size < 8000


@pytest.mark.parametrize("count", [60, 150])
def test_many_checks_have_methods_of_their_own(spark, count):
    rows = with_rules(spark, count)

    assert all(size < 3000 for size in code_sizes(spark, rows))
    assert refused(rows.collect).getMessageParameters() == {"value": "9", "expr": "c0"}


def test_plan_in_the_text_of_another_error_is_not_taken_for_a_row(spark):
    rule = RowRule(
        F.col("id") < 50, describe_violation("DELTA_NOT_NULL_CONSTRAINT_VIOLATED", columnName="id")
    )
    rows = with_checks(spark.range(3), [rule])

    with pytest.raises(AnalysisException) as caught:
        rows.where("id + 5").collect()

    assert "DATATYPE_MISMATCH" in (caught.value.getCondition() or "")


@pytest.mark.parametrize("plain", ["true", "false"])
def test_violation_is_typed_however_spark_raises_it(spark, plain):
    rule = RowRule(
        F.col("id") < 2, describe_violation("DELTA_NOT_NULL_CONSTRAINT_VIOLATED", columnName="id")
    )
    spark.conf.set("spark.sql.legacy.raiseErrorWithoutErrorClass", plain)

    try:
        error = refused(with_checks(spark.range(0, 3, 1, 2), [rule]).collect)
    finally:
        spark.conf.unset("spark.sql.legacy.raiseErrorWithoutErrorClass")

    assert error.getMessageParameters() == {"columnName": "id"}


def test_a_rule_of_ones_own_is_checked_the_same_way(spark):
    """As for generated columns: a value must be what an expression gives."""
    frame = spark.range(0, 10, 1, 2).withColumn("double", F.col("id") * 2)
    same = F.col("double").eqNullSafe(F.col("id") * 2)
    broken = describe_violation(
        "DELTA_EXCEED_CHAR_VARCHAR_LIMIT", ("value", explain_value(F.col("double"))), expr="x"
    )

    assert with_checks(frame, [RowRule(same, broken)]).count() == 10
    wrong = frame.withColumn("double", F.when(F.col("id") == 7, 0).otherwise(F.col("double")))
    with pytest.raises(DeltaInvariantViolationException) as caught:
        with_checks(wrong, [RowRule(same, broken)]).collect()
    assert caught.value.getMessageParameters() == {"value": "0", "expr": "x"}


def test_columns_that_are_not_there_are_null(spark, tmp_path):
    path = constrained(spark, tmp_path / "t", "id INT", "gone IS NULL", "gone IS NULL OR id > gone")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1)")
    other = constrained(spark, tmp_path / "u", "id INT", "gone > 5 OR id > 5")

    error = refused(insert(spark, other, "1"))

    assert error.getMessageParameters()["values"] == " - gone : null\n - id : 1"
    spark.sql(f"INSERT INTO delta.`{other}` VALUES (6)")


def test_void_columns_are_null(spark, tmp_path):
    path = constrained(spark, tmp_path / "t", "id INT, v VOID", "v IS NULL OR id > 5")

    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, NULL)")

    assert spark.read.format("delta").load(str(path)).collect() == [(1, None)]


def test_condition_that_is_no_condition_is_told_by_name(spark, tmp_path):
    path = constrained(spark, tmp_path / "t", "id INT", "id + 5")

    with pytest.raises(Exception, match="DELTA_NON_BOOLEAN_CHECK_CONSTRAINT") as caught:
        spark.sql(f"INSERT INTO delta.`{path}` VALUES (1)")

    assert "id + 5" in str(caught.value)


def test_a_comment_at_the_end_of_a_condition_hides_nothing(spark, tmp_path):
    path = constrained(spark, tmp_path / "t", "id INT", "id > 5 -- large")

    refused(insert(spark, path, "5"))
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (6)")


def test_invariants_of_columns_are_kept(spark, tmp_path):
    def invariant(text):
        return {"delta.invariants": json.dumps({"expression": {"expression": text}})}

    path = constrained(spark, tmp_path / "t", "id INT, n INT", id=invariant("id > n"))

    error = refused(insert(spark, path, "1, 2"))

    assert error.getMessageParameters()["values"] == " - id : 1\n - n : 2"
    assert error.getMessageParameters()["expression"] == "(id > n)"
    refused(insert(spark, path, "1, NULL"))
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (3, 2)")


def test_invariant_that_cannot_be_read_stops_the_write(spark, tmp_path):
    path = constrained(spark, tmp_path / "t", "id INT", id={"delta.invariants": "{}"})

    with pytest.raises(Exception, match="DELTA_INVARIANT_MALFORMED"):
        spark.sql(f"INSERT INTO delta.`{path}` VALUES (1)")


def test_rows_that_only_move_are_not_checked(spark, tmp_path):
    """Old rows need not keep a constraint that was added without looking at them."""
    path = tmp_path / "t"
    spark.range(0, 10, 1, 1).write.format("delta").save(str(path))
    spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT big CHECK (id > 5) NOT VALID")
    kept = spark.range(8, 9).write.format("delta").mode("overwrite").option("replaceWhere", "id=8")

    kept.save(str(path))

    assert spark.read.format("delta").load(str(path)).count() == 10
    refused(insert(spark, path, "5"))


@pytest.mark.parametrize("feed", ["false", "true"])
@pytest.mark.parametrize("vectors", ["false", "true"])
def test_rows_that_merge_copies_are_not_checked(spark, tmp_path, vectors, feed):
    path = str(tmp_path / "t")
    spark.range(0, 10, 1, 1).selectExpr("id", "id AS v").write.format("delta").options(
        **{"delta.enableDeletionVectors": vectors, "delta.enableChangeDataFeed": feed}
    ).save(path)
    spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT big CHECK (v > 5) NOT VALID")
    table = DeltaTable.forPath(spark, path)
    given = spark.sql("SELECT * FROM VALUES (1, 21), (2, 22), (11, 31) AS s(id, v)")
    merge = f"MERGE INTO delta.`{path}` t USING given s ON t.id = s.id WHEN MATCHED AND t.id = 2"
    given.createOrReplaceTempView("given")

    spark.sql(f"{merge} THEN DELETE WHEN NOT MATCHED THEN INSERT *")
    table.upsert(given.where("id = 1"), key="id")

    rows = sorted(tuple(row) for row in table.toDF().collect())
    assert rows == [(0, 0), (1, 21), *((n, n) for n in range(3, 10)), (11, 31)]
    error = refused(lambda: table.upsert(given.selectExpr("id", "v - 30 AS v"), key="id"))
    assert error.getMessageParameters()["constraintName"] == "big"


def test_rows_of_an_overwrite_that_it_is_not_about_are_told(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.range(3).write.format("delta").save(path)
    to = spark.range(7, 8).write.format("delta").mode("overwrite").option("replaceWhere", "id = 1")

    with pytest.raises(Exception, match="DELTA_REPLACE_WHERE_MISMATCH") as caught:
        to.save(path)

    assert " - id : 7" in str(caught.value)


@pytest.mark.parametrize(
    ("column", "value", "kind", "text"),
    [
        ("v VARCHAR(3)", "'abcd'", "varchar(3) of the column v", "abcd"),
        ("s STRUCT<v: CHAR(2)>", "named_struct('v', 'abc')", "char(2) of the column s.v", "abc"),
        ("a ARRAY<VARCHAR(2)>", "array('a', 'abc')", "varchar(2) of the column a.element", "abc"),
        ("m MAP<STRING, VARCHAR(1)>", "map('k', 'xy')", "varchar(1) of the column m.value", "xy"),
    ],
)
def test_texts_that_are_too_long_are_told(spark, table_name, column, value, kind, text):
    spark.sql(f"CREATE TABLE {table_name} ({column}) USING delta")

    error = refused(lambda: spark.sql(f"INSERT INTO {table_name} VALUES ({value})"))

    assert error.getMessageParameters() == {"value": text, "expr": kind}
