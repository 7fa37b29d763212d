"""Ways in which a row might get past a rule: names of queries, casts, positions, odd names."""

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.rows.row_constraints import requirements_of
from puredelta.engine.exceptions import DeltaInvariantViolationException
from puredelta.table.expressions.constraints import constraints_of


@pytest.fixture
def table(spark, tmp_path):
    """Make a table with a constraint; return its name for SQL."""

    def make(columns, *conditions):
        name = f"delta.`{tmp_path}/t`"
        spark.sql(f"CREATE TABLE {name} ({columns}) USING delta")
        for place, text in enumerate(conditions):
            spark.sql(f"ALTER TABLE {name} ADD CONSTRAINT c{place} CHECK ({text})")
        return name

    return make


def refused(write):
    with pytest.raises(DeltaInvariantViolationException) as caught:
        write()
    return caught.value


def test_the_name_of_a_view_is_not_taken_for_a_struct(spark, table):
    name = table("s STRUCT<b: INT>, b INT", "s.b > 5")
    spark.sql("SELECT named_struct('b', 1) AS s, 10 AS b").createOrReplaceTempView("s")

    refused(lambda: spark.sql(f"INSERT INTO {name} SELECT * FROM s"))

    spark.sql("DROP VIEW s")


def test_the_alias_of_a_frame_is_not_taken_for_a_struct(spark, table, tmp_path):
    table("s STRUCT<b: INT>, b INT", "s.b > 5")
    rows = spark.sql("SELECT named_struct('b', 1) AS s, 10 AS b").alias("s")

    refused(lambda: rows.write.format("delta").mode("append").save(f"{tmp_path}/t"))


def test_null_that_a_cast_makes_is_no_value(spark, table):
    name = table("id INT NOT NULL, x INT")
    spark.conf.set("spark.sql.storeAssignmentPolicy", "LEGACY")
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        refused(lambda: spark.sql(f"INSERT INTO {name} SELECT 'abc', 1"))
    finally:
        spark.conf.unset("spark.sql.storeAssignmentPolicy")
        spark.conf.unset("spark.sql.ansi.enabled")


def test_fields_of_structs_are_checked_where_they_are_stored(spark, table):
    name = table("s STRUCT<a: INT NOT NULL, b: INT>")
    other = "named_struct('b', cast(NULL AS INT), 'a', 1)"

    error = refused(lambda: spark.sql(f"INSERT INTO {name} SELECT {other}"))

    assert error.getMessageParameters() == {"columnName": "s.a"}


def test_a_column_may_have_the_name_of_the_check(spark, table):
    name = table("id INT, `__broken_rule` STRING", "id > 5")

    spark.sql(f"INSERT INTO {name} VALUES (7, 'kept')")

    assert [tuple(row) for row in spark.sql(f"SELECT * FROM {name}").collect()] == [(7, "kept")]


def test_a_constraint_may_hold_the_marks_of_messages(spark, table):
    name = table("t STRING", "t != ' :value: ' AND t != ' :puredelta'")

    error = refused(lambda: spark.sql(f"INSERT INTO {name} VALUES (' :value: ')"))

    assert error.getMessageParameters()["values"] == " - t :  :value: "


def test_functions_without_parentheses_are_no_columns(spark, table):
    name = table("d DATE", "d <= current_date", "d > DATE'1900-01-01'")

    spark.sql(f"INSERT INTO {name} VALUES (DATE'2020-01-01')")

    refused(lambda: spark.sql(f"INSERT INTO {name} SELECT date_add(current_date, 5)"))
    assert spark.table(name).where(F.col("d") == "2020-01-01").count() == 1


def test_variables_are_replaced_before_a_constraint_is_stored(spark, table):
    name = table("id INT")
    spark.sql("SET least=5")
    try:
        spark.sql(f"ALTER TABLE {name} ADD CONSTRAINT c CHECK (id > ${{least}})")
    finally:
        spark.conf.unset("least")

    error = refused(lambda: spark.sql(f"INSERT INTO {name} VALUES (3)"))

    assert error.getMessageParameters()["expression"] == "(id > 5)"


def test_a_table_whose_columns_all_partition_it_takes_no_rows(spark, tmp_path):
    name = f"delta.`{tmp_path}/t`"
    spark.sql(
        f"CREATE TABLE {name} (a INT, p STRING) USING delta PARTITIONED BY (p) "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    spark.sql(f"ALTER TABLE {name} DROP COLUMN a")

    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"INSERT INTO {name} VALUES ('z')")

    condition = "DELTA_NON_PARTITION_COLUMN_ABSENT.ALL_PARTITION_COLUMNS"
    assert caught.value.getCondition() == condition


def test_two_constraints_of_one_name_are_refused(spark, tmp_path):
    with pytest.raises(AnalysisException) as caught:
        spark.sql(
            f"CREATE TABLE delta.`{tmp_path}/t` (id INT, CONSTRAINT a CHECK (id > 5)) USING delta "
            "TBLPROPERTIES ('delta.constraints.A' = 'id > 7')"
        )

    assert caught.value.getCondition() == "DELTA_CONSTRAINT_ALREADY_EXISTS"


@pytest.mark.parametrize("rule", ["CHECK", "NOT NULL"])
def test_a_first_column_without_a_type_carries_no_rule_away(spark, tmp_path, rule):
    name = f"delta.`{tmp_path}/t`"
    spark.sql(f"CREATE TABLE {name} (a VOID, id INT{' NOT NULL' * (rule != 'CHECK')}) USING delta")
    if rule == "CHECK":
        spark.sql(f"ALTER TABLE {name} ADD CONSTRAINT c CHECK (id > 5)")
    rows = spark.range(2).selectExpr("NULL AS a", "CAST(IF(id = 0, NULL, 1) AS INT) AS id")

    refused(lambda: rows.write.format("delta").mode("append").save(f"{tmp_path}/t"))


def test_constraints_of_another_writer_that_differ_in_case_alone_both_count():
    both = {"delta.constraints.A": "id > 5", "delta.constraints.a": "id < 9"}

    assert [one.expression for one in constraints_of(both)] == ["id < 9", "id > 5"]
    assert len(requirements_of(both).constraints) == 2
