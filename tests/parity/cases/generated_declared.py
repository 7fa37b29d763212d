"""Generated columns declared: what the log says of them, statements that make tables of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.generating import MAPPED, dated, generated_table, summed

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

_MADE = "CREATE TABLE u (a INT, b INT, c INT) USING delta LOCATION '{path}'"


def case_declared_with_all_else(t: Recorder) -> None:
    made = t.tables.DeltaTable.create(t.spark).tableName("t").comment("days")
    made = made.addColumn("ts", "TIMESTAMP", comment="when")
    made = made.addColumn(
        "d", "DATE", nullable=False, generatedAlwaysAs="CAST(ts AS DATE)", comment="which day"
    )
    made.partitionedBy("d").property("mine", "x").execute()
    t.log("t")
    t.detail("t")
    t.history("t")


def case_declared_expressions_stay_as_written(t: Recorder) -> None:
    generated_table(
        t,
        "a INT",
        "b STRING",
        "c INT := a   +  1",
        "d INT := A + 1 /* more */",
        "e STRING := concat( b,'(',\"x\" )",
    )
    t.log("t")


def case_declared_beside_identity_and_default(t: Recorder) -> None:
    made = t.tables.DeltaTable.create(t.spark).tableName("t").addColumn("a", "INT")
    generator = t.tables.IdentityGenerator(start=5, step=-2)
    made = made.addColumn("i", "BIGINT", generatedByDefaultAs=generator)
    made = made.addColumn("g", "INT", generatedAlwaysAs="a * 2")
    made.property("delta.feature.allowColumnDefaults", "supported").execute()
    t.sql("ALTER TABLE t ALTER COLUMN a SET DEFAULT 7")
    t.log("t")
    t.sql("INSERT INTO t (i) VALUES (1)")
    t.sql("SELECT * FROM t")


def case_declared_by_wrong_arguments(t: Recorder) -> None:
    generator = t.tables.IdentityGenerator()
    for label, told in {
        "both": {"generatedAlwaysAs": "a", "generatedByDefaultAs": generator},
        "a number": {"generatedAlwaysAs": 1},
        "by default a text": {"generatedByDefaultAs": "a"},
        "a step of zero": {"generatedAlwaysAs": t.tables.IdentityGenerator(step=0)},
    }.items():
        made = t.tables.DeltaTable.create(t.spark).tableName("t")
        t.value(label, lambda made=made, told=told: _error(made, told))


def _error(made: object, told: dict[str, object]) -> str:
    try:
        made.addColumn("g", "BIGINT", **told)  # type: ignore[attr-defined]
    except (TypeError, ValueError) as error:
        return type(error).__name__
    return "none"


def case_declared_by_texts_that_are_none(t: Recorder) -> None:
    for text in ("", "a +", "a, a"):
        made = t.tables.DeltaTable.create(t.spark).tableName("t").addColumn("a", "INT")
        t.attempt(
            f"generated as '{text}'",
            lambda made=made, text=text: made.addColumn(
                "g", "INT", generatedAlwaysAs=text
            ).execute(),
        )


def case_declared_by_fields_that_carry_it(t: Recorder) -> None:
    from pyspark.sql.types import IntegerType, StringType, StructField, StructType

    fields = StructType(
        [
            StructField("a", IntegerType(), True, {"comment": "base", "mine": {"k": [1]}}),
            StructField("g", IntegerType(), True, {"delta.generationExpression": "a + 1"}),
            StructField("s", StringType(), False),
        ]
    )
    t.tables.DeltaTable.create(t.spark).tableName("t").addColumns(fields).execute()
    t.log("t")
    t.attempt(
        "createTable", lambda: t.spark.catalog.createTable("u", source="delta", schema=fields)
    )
    t.log("u")


def case_declared_by_the_schema_of_a_read(t: Recorder) -> None:
    summed(t)
    fields = t.spark.table("t").schema
    t.value("its metadata", lambda: [dict(field.metadata) for field in fields])
    t.tables.DeltaTable.create(t.spark).tableName("u").addColumns(fields).execute()
    t.log("u")


def case_declared_by_a_frame_that_carries_it(t: Recorder) -> None:
    from pyspark.sql.types import IntegerType, StructField, StructType

    fields = StructType(
        [
            StructField("a", IntegerType()),
            StructField("g", IntegerType(), True, {"delta.generationExpression": "a + 1"}),
        ]
    )
    right = t.spark.createDataFrame([(1, 2)], fields)
    wrong = t.spark.createDataFrame([(1, 3)], fields)
    t.attempt("saved", lambda: right.write.format("delta").saveAsTable("t"))
    t.log("t")
    t.attempt("wrong", lambda: wrong.write.format("delta").saveAsTable("u"))
    t.attempt("at a path", lambda: wrong.write.format("delta").save(t.path))
    t.attempt("created", lambda: right.writeTo("v").using("delta").create())
    t.sql("INSERT INTO v (a) VALUES (4)")
    t.sql("SELECT * FROM v")


def case_declared_again(t: Recorder) -> None:
    summed(t)
    replaced = t.tables.DeltaTable.replace(t.spark).tableName("t").addColumn("a", "INT")
    replaced.addColumn("c", "INT", generatedAlwaysAs="a * 3").execute()
    t.log("t", 1)
    t.sql("CREATE OR REPLACE TABLE t (a INT, c INT) USING delta")
    t.log("t", 2)
    anew = t.tables.DeltaTable.createOrReplace(t.spark).tableName("t").addColumn("a", "INT")
    anew.addColumn("d", "INT", generatedAlwaysAs="a").execute()
    t.sql("REPLACE TABLE t USING delta AS SELECT 1 AS a, 5 AS d")
    t.log("t", 3)


def case_declared_if_there_is_none(t: Recorder) -> None:
    t.sql("CREATE TABLE t (a INT, c INT) USING delta")
    made = t.tables.DeltaTable.createIfNotExists(t.spark).tableName("t").addColumn("a", "INT")
    made.addColumn("c", "INT", generatedAlwaysAs="a * 3").execute()
    t.history("t")
    t.sql("INSERT INTO t VALUES (1, 1)")


def case_declared_over_a_table_that_is_there(t: Recorder) -> None:
    summed(t, t.path)
    t.sql(_MADE.format(path=t.path))
    for label, text in {"another": "a - b", "the same": "a + b"}.items():
        made = t.tables.DeltaTable.create(t.spark).tableName("v").location(t.path)
        made = made.addColumn("a", "INT").addColumn("b", "INT")
        t.attempt(
            label,
            lambda made=made, text=text: made.addColumn(
                "c", "INT", generatedAlwaysAs=text
            ).execute(),
        )
    t.sql(f"CREATE TABLE w USING delta LOCATION '{t.path}'")
    t.sql("INSERT INTO w (a, b) VALUES (1, 2)")
    t.sql("SELECT * FROM v")


def case_declared_like_another(t: Recorder) -> None:
    dated(t, by="d")
    t.sql("CREATE TABLE u LIKE t")
    t.log("u")
    t.sql("INSERT INTO u (id, ts) VALUES (1, '2024-05-01 10:00:00')")
    t.sql("SELECT * FROM u")


def case_declared_with_mapped_columns(t: Recorder) -> None:
    generated_table(t, "a INT", "g INT := a + 1", properties=MAPPED)
    t.sql("ALTER TABLE t RENAME COLUMN g TO h")
    t.sql("INSERT INTO t (a) VALUES (1)")
    t.sql("SELECT * FROM t")


def case_declared_protocols(t: Recorder) -> None:
    asked = {
        "t": {"delta.minReaderVersion": "1", "delta.minWriterVersion": "4"},
        "u": {"delta.minReaderVersion": "1", "delta.minWriterVersion": "2"},
        "v": {"delta.feature.generatedColumns": "supported"},
    }
    for name, properties in asked.items():
        summed(t, name, properties=properties)
        t.detail(name)


def case_declared_and_described(t: Recorder) -> None:
    dated(t, by="d")
    t.sql("DESCRIBE t")
    t.sql("DESCRIBE t d")
    t.sql("DESCRIBE t ts")
    t.sql("SHOW COLUMNS IN t")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("SHOW CREATE TABLE t")
    t.value("schema", t.spark.table("t").schema.json)


def case_declared_in_sql(t: Recorder) -> None:
    t.sql("CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a + 1)) USING delta")
    t.sql("CREATE OR REPLACE TABLE u (a INT, b BIGINT GENERATED ALWAYS AS IDENTITY) USING delta")
    t.sql(f"CREATE TABLE delta.`{t.path}` (a INT, b INT GENERATED ALWAYS AS (a)) USING delta")


def case_declared_in_sql_as_it_cannot_be(t: Recorder) -> None:
    for columns in (
        "b INT GENERATED ALWAYS AS (a) GENERATED ALWAYS AS (a)",
        "b INT GENERATED ALWAYS AS (a) DEFAULT 4",
        "b BIGINT DEFAULT 4 GENERATED ALWAYS AS IDENTITY",
        "b INT GENERATED BY DEFAULT AS (a)",
        "b BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 1, INCREMENT BY 2)",
        "b BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 1 START WITH 2)",
        "b BIGINT GENERATED ALWAYS AS IDENTITY (INCREMENT BY 0)",
        "s STRUCT<b: INT GENERATED ALWAYS AS (a)>",
    ):
        t.sql(f"CREATE TABLE t (a INT, {columns}) USING delta")
    t.sql("CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a)) USING parquet")
    t.sql("CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a)) USING delta AS SELECT 1 AS a")
