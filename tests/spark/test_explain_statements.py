"""EXPLAIN of statements that Delta has, and Spark has not: a plan is shown, nothing is done."""

import pytest

STATEMENTS = [
    ("ALTER TABLE {t} ADD CONSTRAINT c CHECK (id > 9)", "Delta addConstraint"),
    ("ALTER TABLE {t} DROP FEATURE deletionVectors", "Delta dropFeature"),
    ("CONVERT TO DELTA parquet.`/nowhere`", "Delta convert"),
    ("DESCRIBE HISTORY {t}", "Delta history"),
    ("REORG TABLE {t} APPLY (PURGE)", "Delta reorg"),
    ("DELETE FROM {t} WHERE id > 1", "Delta DeleteFromTable"),
    ("UPDATE {t} SET id = 7", "Delta UpdateTable"),
    ("INSERT INTO {t} VALUES (8)", "Delta AppendData"),
    ("INSERT WITH SCHEMA EVOLUTION INTO {t} SELECT 1L id, 2 b", "Delta AppendData"),
    (
        "MERGE INTO {t} USING (SELECT 1L id) s ON {t}.id = s.id WHEN MATCHED THEN DELETE",
        "Delta MergeIntoTable",
    ),
    ("ALTER TABLE {t} SET LOCATION '/nowhere'", "Delta SetTableLocation"),
    ("CREATE TABLE {t}_2 (CHECK (id > 9)) USING delta AS SELECT 1 id", "CreateTableAsSelect"),
]


@pytest.fixture
def table(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} (id BIGINT) USING delta")
    return table_name


def test_plans_are_shown_and_nothing_is_done(spark, table):
    for text, named in STATEMENTS:
        plan = spark.sql("EXPLAIN " + text.format(t=table)).first()[0]

        assert plan.startswith("== Physical Plan ==")
        assert named in plan
        assert not spark.catalog.tableExists(f"{table}_2")
    assert spark.sql(f"DESCRIBE HISTORY {table}").count() == 1


@pytest.mark.parametrize("mode", ["EXTENDED", "FORMATTED", "COST", "CODEGEN"])
def test_every_mode_shows_the_statement(spark, table, mode):
    text = f"ALTER TABLE {table} ADD CONSTRAINT c CHECK (id > 9)"

    plan = spark.sql(f"EXPLAIN {mode} {text}").first()[0]

    assert (text in plan) == (mode != "CODEGEN")
    assert spark.sql(f"DESCRIBE HISTORY {table}").count() == 1
