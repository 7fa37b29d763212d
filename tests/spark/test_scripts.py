"""SQL scripts: statements that Spark does not know run inside of them, in their turn."""

import pytest

from puredelta import DeltaTable
from puredelta.engine.exceptions import DeltaInvariantViolationException


@pytest.fixture(autouse=True)
def scripting(setting):
    setting("spark.sql.scripting.enabled", "true")


def operations(spark, table):
    rows = spark.sql(f"DESCRIBE HISTORY {table}").collect()
    return [row.operation for row in reversed(rows)]


def test_statements_run_in_their_turn(spark, table_name, tmp_path):
    spark.range(3).write.parquet(str(tmp_path / "files"))

    spark.sql(
        f"""BEGIN
          DECLARE found INT DEFAULT 0;
          CREATE TABLE {table_name} (id INT CHECK (id > 0), n INT GENERATED ALWAYS AS (id + 1))
            USING delta;
          INSERT INTO {table_name} (id) VALUES (1), (2);
          SET found = (SELECT count(*) FROM {table_name});
          IF found = 2 THEN
            ALTER TABLE {table_name} ADD CONSTRAINT `it's` CHECK (id < 10 AND 'x;' <> "it's");
          ELSE
            VACUUM {table_name};
          END IF;
          WHILE found > 0 DO
            CONVERT TO DELTA parquet.`{tmp_path / "files"}`;
            SET found = found - 2;
          END WHILE;
          ALTER TABLE {table_name} DROP CONSTRAINT {table_name}_id_check;
          DESCRIBE HISTORY {table_name};
        END"""
    )

    assert operations(spark, table_name) == [
        "CREATE TABLE",
        "WRITE",
        "ADD CONSTRAINT",
        "DROP CONSTRAINT",
    ]
    assert DeltaTable.isDeltaTable(spark, str(tmp_path / "files"))
    assert sorted(map(tuple, spark.table(table_name).collect())) == [(1, 2), (2, 3)]
    with pytest.raises(DeltaInvariantViolationException, match="it's"):
        spark.sql(f"INSERT INTO {table_name} (id) VALUES (10)")


def test_error_of_a_statement_reaches_the_script(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} (id INT) USING delta")
    add = f"ALTER TABLE {table_name} ADD CHECK"

    with pytest.raises(Exception, match="DELTA_NON_BOOLEAN_CHECK_CONSTRAINT"):
        spark.sql(f"BEGIN {add} (id > 0); {add} (id); {add} (id > 1); END")

    assert operations(spark, table_name) == ["CREATE TABLE", "ADD CONSTRAINT"]


def test_name_may_be_the_value_of_a_text(spark, table_name, tmp_path):
    spark.range(3).write.parquet(str(tmp_path / "files"))
    spark.sql(f"CREATE TABLE {table_name} (id INT) USING delta")

    spark.sql(f"ALTER TABLE IDENTIFIER('{table_name}') ADD CONSTRAINT c CHECK (id > 0)")
    spark.sql(f"ALTER TABLE IDENTIFIER('default.`{table_name}`') DROP CONSTRAINT c")
    spark.sql(f"CONVERT TO DELTA IDENTIFIER('parquet.`{tmp_path / 'files'}`')")

    assert operations(spark, f"IDENTIFIER('{table_name}')")[1:] == [
        "ADD CONSTRAINT",
        "DROP CONSTRAINT",
    ]
    assert DeltaTable.isDeltaTable(spark, str(tmp_path / "files"))


def test_name_may_be_a_parameter_where_spark_parses_constraints(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} (id INT) USING delta")
    statements = (
        "ALTER TABLE IDENTIFIER(:t) ADD CONSTRAINT c CHECK (id > 0 /* so */)",
        "ALTER TABLE IDENTIFIER(:t) ADD CHECK (id < 9) ENFORCED",
        "ALTER TABLE IDENTIFIER(:t) DROP CONSTRAINT IF EXISTS C",
    )
    if spark.version.startswith("4.0."):
        with pytest.raises(Exception, match="PARSE_SYNTAX_ERROR"):
            spark.sql(statements[0], {"t": table_name})
        return

    for statement in statements:
        spark.sql(statement, {"t": table_name})

    assert operations(spark, table_name)[1:] == ["ADD CONSTRAINT"] * 2 + ["DROP CONSTRAINT"]
    [left] = DeltaTable.forName(spark, table_name).constraints().collect()
    assert (left.name, left.expression) == (f"{table_name}_check", "id < 9")
