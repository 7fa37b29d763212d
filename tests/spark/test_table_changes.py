"""`DeltaTable` changes columns, constraints and properties, and tells what it would do."""

from __future__ import annotations

import pytest
from pyspark.sql.types import (
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    VarcharType,
)

from puredelta import DeltaTable
from puredelta.engine.exceptions import DeltaAnalysisException

MAPPED = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableTypeWidening' = 'true')"


@pytest.fixture
def table(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.sql(
        f"CREATE TABLE delta.`{path}` (a INT, b STRING COMMENT 'old', s STRUCT<x: INT, y: INT>)"
        f" USING delta {MAPPED}"
    )
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, 'u', struct(10, 20)), (2, NULL, NULL)")
    return DeltaTable.forPath(spark, path)


def columns(table):
    return [f"{field.name} {field.dataType.simpleString()}" for field in table.toDF().schema]


def newest(table):
    return table.history(1).collect()[0]


def refusal(action):
    with pytest.raises(DeltaAnalysisException) as raised:
        action()
    return raised.value.getCondition()


def test_columns_are_added_from_ddl_and_from_schemas(table):
    table.addColumns("c VARCHAR(3) COMMENT 'short', l ARRAY<STRUCT<q: INT>>")
    table.addColumns(StructType([StructField("d", LongType())]))
    table.addColumns([StructField("e", VarcharType(2)), StructField("f", IntegerType())])

    assert columns(table)[3:] == [
        "c string",
        "l array<struct<q:int>>",
        "d bigint",
        "e string",
        "f int",
    ]
    assert newest(table).operation == "ADD COLUMNS"
    rows = table.toDF().select("a", "c", "f").orderBy("a").collect()
    assert [tuple(row) for row in rows] == [(1, None, None), (2, None, None)]
    assert refusal(lambda: table.addColumns("A STRING")) == (
        "DELTA_DUPLICATE_COLUMNS_FOUND.ADDING_COLUMNS"
    )


def test_something_else_than_columns_is_refused(table):
    with pytest.raises(TypeError, match="columns must be"):
        table.addColumns(["c INT"])


def test_column_is_renamed_and_dropped(table):
    table.renameColumn("s.x", "x 2")
    table.renameColumn("a", "id")
    table.dropColumns("b", "s.y")
    table.dropColumns("nope", ifExists=True)

    assert columns(table) == ["id int", "s struct<x 2:int>"]
    assert [tuple(row) for row in table.toDF().orderBy("id").collect()] == [(1, (10,)), (2, None)]
    assert newest(table).operation == "DROP COLUMNS"
    assert refusal(lambda: table.dropColumns("nope")) == "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"
    assert refusal(lambda: table.renameColumn("nope", "a")) == "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"


def test_column_is_altered_in_one_version(table):
    table.alterColumn("b", comment="new", position="FIRST")
    table.alterColumn("s.x", type="bigint", position="after Y")
    table.alterColumn("a", type=LongType(), nullable=False)

    assert columns(table) == ["b string", "a bigint", "s struct<y:int,x:bigint>"]
    fields = table.toDF().schema
    assert fields["b"].metadata["comment"] == "new"
    assert [row.operation for row in table.history(3).collect()] == ["CHANGE COLUMN"] * 3
    assert [row.version for row in table.history(1).collect()] == [4]
    table.alterColumn("b", comment="")
    assert "comment" not in table.toDF().schema["b"].metadata
    assert refusal(lambda: table.alterColumn("a", type="string")) == (
        "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP"
    )


def test_column_with_nulls_does_not_become_not_null(table):
    assert refusal(lambda: table.alterColumn("b", nullable=False)) == (
        "DELTA_NEW_NOT_NULL_CONSTRAINT_VIOLATION"
    )
    assert refusal(lambda: table.alterColumn("s.x", nullable=False)) == (
        "DELTA_NEW_NOT_NULL_CONSTRAINT_VIOLATION"
    )
    assert newest(table).version == 1


def test_default_is_set_and_taken_away(table, spark):
    table.addFeatureSupport("allowColumnDefaults")
    table.alterColumn("b", default="'d'")
    spark.sql(f"INSERT INTO delta.`{table._table.root}` (a) VALUES (3)")
    table.alterColumn("b", default="")
    spark.sql(f"INSERT INTO delta.`{table._table.root}` (a) VALUES (4)")

    rows = table.toDF().where("a > 2").orderBy("a").select("b").collect()
    assert [row.b for row in rows] == ["d", None]


def test_position_in_other_words_is_refused(table):
    with pytest.raises(ValueError, match="FIRST or AFTER"):
        table.alterColumn("a", position="LAST")


def test_columns_are_replaced(table):
    table.replaceColumns("b STRING, a BIGINT, s STRUCT<x: INT, y: INT>, n INT")

    assert columns(table) == ["b string", "a bigint", "s struct<x:int,y:int>", "n int"]


def test_constraints_are_added_listed_and_dropped(table, spark):
    table.addConstraint("Positive", "a > 0")
    table.addConstraint("later", "b IS NOT NULL", notValid=True)
    shown = table.constraints()

    assert shown.columns == ["name", "expression", "state"]
    assert sorted(tuple(row) for row in shown.collect()) == [
        ("later", "b IS NOT NULL", "not validated"),
        ("positive", "a > 0", "validated"),
    ]
    assert refusal(lambda: table.addConstraint("c", "a > 1")) == (
        "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"
    )
    assert refusal(lambda: table.validateConstraint("later")) == (
        "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"
    )
    assert refusal(lambda: table.renameColumn("a", "z")) == (
        "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE"
    )
    table.dropConstraint("POSITIVE")
    table.dropConstraint("nope", ifExists=True)
    assert refusal(lambda: table.dropConstraint("nope")) == "DELTA_CONSTRAINT_DOES_NOT_EXIST"
    assert [row.name for row in table.constraints().collect()] == ["later"]


def test_constraint_is_validated_once_rows_meet_it(table):
    table.addConstraint("c", "a < 3", notValid=True)

    table.validateConstraint("C")

    assert [row.state for row in table.constraints().collect()] == ["validated"]


def test_properties_are_set_and_unset(table):
    table.setProperties({"delta.appendOnly": "true", "comment": "what it is"})
    assert table.detail().collect()[0].properties["delta.appendOnly"] == "true"

    table.unsetProperties("delta.appendOnly", "comment")

    found = table.detail().collect()[0]
    assert "delta.appendOnly" not in found.properties
    assert found.description is None


@pytest.mark.parametrize(
    ("action", "shown"),
    [
        (
            lambda table: table.renameColumn("s.x", "z", dryRun=True),
            "RENAME COLUMN on {}, version 1 (dry run)\n  column: s.x: renamed to z",
        ),
        (
            lambda table: table.dropColumns("b", dryRun=True),
            (
                "DROP COLUMNS on {}, version 1 (dry run)\n"
                "  column: b: dropped, it was STRING COMMENT 'old'"
            ),
        ),
        (
            lambda table: table.addColumns("n INT", dryRun=True),
            (
                "ADD COLUMNS on {}, version 1 (dry run)\n"
                "  column: n: added, INT\n"
                "  property: delta.columnMapping.maxColumnId: 5 -> 6"
            ),
        ),
        (
            lambda table: table.alterColumn("a", "bigint", position="AFTER s", dryRun=True),
            (
                "CHANGE COLUMN on {}, version 1 (dry run)\n"
                "  column: a: INT -> BIGINT\n"
                "  column: a: FIRST -> AFTER s"
            ),
        ),
        (
            lambda table: table.alterColumn("a", nullable=False, dryRun=True),
            "CHANGE COLUMN on {}, version 1 (dry run)\n  column: a: INT -> INT NOT NULL",
        ),
        (
            lambda table: table.replaceColumns(
                "a INT, b STRING COMMENT 'old', s STRUCT<x: INT, y: INT>, n INT", dryRun=True
            ),
            (
                "REPLACE COLUMNS on {}, version 1 (dry run)\n"
                "  column: n: added, INT\n"
                "  property: delta.columnMapping.maxColumnId: 5 -> 6"
            ),
        ),
        (
            lambda table: table.setProperties({"delta.appendOnly": "true"}, dryRun=True),
            (
                "SET TBLPROPERTIES on {}, version 1 (dry run)\n"
                "  property: delta.appendOnly: set to true"
            ),
        ),
        (
            lambda table: table.unsetProperties("delta.enableTypeWidening", dryRun=True),
            (
                "UNSET TBLPROPERTIES on {}, version 1 (dry run)\n"
                "  property: delta.enableTypeWidening: removed, it was true"
            ),
        ),
        (
            lambda table: table.dropColumns("nope", ifExists=True, dryRun=True),
            "nothing to do on {}, version 1 (dry run)",
        ),
    ],
)
def test_dry_run_tells_and_changes_nothing(table, action, shown):
    told = str(action(table))

    assert told.startswith(shown.format(table._table.label) + "\n  protocol: ")
    assert told.endswith("unchanged\n  lose access: no known reader")
    assert newest(table).version == 1


def test_dry_run_of_a_constraint_counts_files(table):
    proven = table.addConstraint("c", "a > 0", dryRun=True)
    open_one = table.addConstraint("d", "length(b) > 0", dryRun=True)
    later = table.addConstraint("e", "a > 5", notValid=True, dryRun=True)

    assert (proven.files_proven, proven.files_to_scan) == (1, 0)
    assert (open_one.files_proven, open_one.files_to_scan) == (0, 1)
    assert later.files_to_scan is None
    assert proven.features_added == ("checkConstraints",)
    assert "delta.constraints.c: set to a > 0" in str(proven)
    assert newest(table).version == 1


def test_dry_run_says_who_loses_access(spark, tmp_path):
    path = str(tmp_path / "plain")
    spark.sql(f"CREATE TABLE delta.`{path}` (a INT) USING delta")
    table = DeltaTable.forPath(spark, path)

    told = table.setProperties(
        {"delta.columnMapping.mode": "name", "delta.enableTypeWidening": "true"}, dryRun=True
    )

    assert told.protocol_before == (1, 2)
    assert told.protocol_after == (3, 7)
    assert {"columnMapping", "typeWidening"} <= set(told.features_added)
    assert "deltalake 1.6" in told.readers_losing_access
    assert "duckdb 1.5" not in told.readers_losing_access
    assert "<th>lose access</th>" in told._repr_html_()
    assert newest(table).version == 0


def test_dry_run_refuses_what_the_change_would_refuse(table):
    assert refusal(lambda: table.alterColumn("b", nullable=False, dryRun=True)) == (
        "DELTA_NEW_NOT_NULL_CONSTRAINT_VIOLATION"
    )
    assert refusal(lambda: table.addConstraint("c", "a", dryRun=True)) == (
        "DELTA_NON_BOOLEAN_CHECK_CONSTRAINT"
    )
    assert refusal(lambda: table.alterColumn("a", StringType(), dryRun=True)) == (
        "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP"
    )
