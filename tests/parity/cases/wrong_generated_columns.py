"""Generated columns that a table cannot be made with, and those beside them that it can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.types import IntegerType, LongType, StructField, StructType

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

BASE = (
    ("i", "INT"),
    ("s", "STRING"),
    ("d", "DATE"),
    ("ts", "TIMESTAMP"),
    ("x", "DECIMAL(10,2)"),
    ("st", "STRUCT<a: INT, b: STRUCT<c: STRING>>"),
    ("l", "ARRAY<STRUCT<v: INT>>"),
    ("m", "MAP<STRING, INT>"),
)


def define(t: Recorder, *expressions: str, of: str = "INT") -> None:
    """Make a table for each expression, of which a column `g` is generated."""
    for text in expressions:
        _define(t, text, of)


def _define(t: Recorder, text: str, of: str) -> None:
    builder = t.tables.DeltaTable.createOrReplace(t.spark).tableName("t")
    for name, kind in BASE:
        builder.addColumn(name, kind)
    builder.addColumn("g", of, generatedAlwaysAs=text)
    t.attempt(f"{of} AS {text}", builder.execute)


def case_wrong_generated_of_unknown_columns(t: Recorder) -> None:
    define(t, "nope", "nope + i", "t.i", "a.b", "_metadata.row_index", "_change_type", "DEFAULT")
    define(t, "st.nope")
    t.sql("SELECT * FROM t")


def case_wrong_generated_of_itself(t: Recorder) -> None:
    define(t, "g", "G + 1", "`g`", "coalesce(i, g)")


def case_wrong_generated_of_generated(t: Recorder) -> None:
    for first, second in (("i + 1", "g + 1"), ("h + 1", "i + 1"), ("H", "g")):
        builder = t.tables.DeltaTable.create(t.spark).tableName("t").addColumn("i", "INT")
        builder.addColumn("g", "INT", generatedAlwaysAs=first)
        builder.addColumn("h", "INT", generatedAlwaysAs=second)
        t.attempt(f"g AS {first}, h AS {second}", builder.execute)
    t.sql("SHOW TABLES")


def case_wrong_generated_right_columns(t: Recorder) -> None:
    define(t, "I + 1", "`i`", "st.a", "ST.A", "l[0].v", "st['a']", "1", "i -- all of it")
    define(t, "st.b.c", "concat(s, '--', s)", of="STRING")
    t.log("t", 0)


def case_wrong_generated_of_names_with_signs(t: Recorder) -> None:
    columns = StructType([StructField("a.b", IntegerType()), StructField("c d", IntegerType())])
    for text in ("`a.b`", "`A.B` + `c d`", "a.b"):
        builder = t.tables.DeltaTable.createOrReplace(t.spark).tableName("t").addColumns(columns)
        builder.addColumn("g", "INT", generatedAlwaysAs=text)
        builder.property("delta.columnMapping.mode", "name")
        t.attempt(text, builder.execute)


def case_wrong_generated_by_functions_of_users(t: Recorder) -> None:
    t.spark.udf.register("of_user", lambda value: value, "int")
    define(t, "of_user(i)", "i + of_user(i)", "coalesce(of_user(1), 2)", "nope(i)")
    t.sql("CREATE TEMPORARY FUNCTION in_sql(v INT) RETURNS INT RETURN v + 1")
    define(t, "in_sql(i)")
    t.sql("DROP TEMPORARY FUNCTION in_sql")


def case_wrong_generated_by_chance(t: Recorder) -> None:
    define(t, "rand()", "random(1)", "rand() + i", "cast(i AS DOUBLE) + randn()", of="DOUBLE")
    define(t, "uuid()", "input_file_name()", of="STRING")
    define(t, "monotonically_increasing_id()", of="BIGINT")
    define(t, "spark_partition_id()", "count(i) + cast(rand() AS INT)")


def case_wrong_generated_by_the_clock(t: Recorder) -> None:
    define(
        t, "current_date()", "current_date", "curdate()", "date_add(current_date(), i)", of="DATE"
    )
    define(t, "current_timestamp()", "current_timestamp", of="TIMESTAMP")
    define(t, "unix_timestamp()", of="BIGINT")
    define(t, "localtimestamp()", of="TIMESTAMP_NTZ")


def case_wrong_generated_by_now(t: Recorder) -> None:
    define(t, "now()", of="TIMESTAMP")


def case_wrong_generated_by_the_session(t: Recorder) -> None:
    t.sql("DECLARE OR REPLACE VARIABLE of_session INT DEFAULT 5")
    define(t, "of_session", "i + session.of_session")
    t.sql("DROP TEMPORARY VARIABLE of_session")
    define(t, "current_user()", "user", "current_database()", "current_timezone()", of="STRING")


def case_wrong_generated_by_many_rows(t: Recorder) -> None:
    define(t, "max(i)", "i + max(i)", "max(i) FILTER (WHERE i > 1)")
    define(t, "count(*)", "sum(DISTINCT i)", of="BIGINT")
    define(t, "row_number() OVER (ORDER BY i)", "max(i) OVER ()", "lag(i) OVER (ORDER BY i)")


def case_wrong_generated_by_subqueries(t: Recorder) -> None:
    t.sql("CREATE TABLE other (id INT) USING delta")
    define(t, "(SELECT 1)", "i + (SELECT max(id) FROM other)")
    define(t, "i IN (SELECT id FROM other)", "EXISTS (SELECT 1 FROM other)", of="BOOLEAN")


def case_wrong_generated_by_several_values(t: Recorder) -> None:
    define(t, "explode(array(i))", "explode(array(i)) + 1", "stack(2, i, i)", "inline(l)")
    define(t, "*", "st.*", "i, i", "struct(*)")


def case_wrong_generated_by_texts(t: Recorder) -> None:
    define(t, "", " ", "i +", "i)", "(i", "i; i", "SELECT 1", "'", "?", ":v")


def case_wrong_generated_under_an_alias(t: Recorder) -> None:
    define(t, "i AS g2", "(i AS g2)")


def case_wrong_generated_by_unlisted_functions(t: Recorder) -> None:
    define(t, "i BETWEEN 1 AND 2", "s ILIKE 'a%'", "contains(s, 'a')", of="BOOLEAN")
    define(t, "nullif(i, 1)", "m['a']", "get(array(i), 0)", "floor(x, 1)", "try_add(i, 1)")
    define(t, "transform(array(i), v -> v + 1)", "l.v", of="ARRAY<INT>")
    define(t, "ts + INTERVAL 1 DAY", of="TIMESTAMP")
    define(t, "java_method('java.util.UUID', 'randomUUID')", of="STRING")


def case_wrong_generated_by_listed_functions(t: Recorder) -> None:
    define(t, "CAST(ts AS DATE)", "to_date(ts)", "trunc(d, 'MM')", "d + 1", of="DATE")
    define(t, "year(ts)", "hour(ts)", "extract(MONTH FROM d)", "nvl(i, 0)", "hash(i, s)")
    define(t, "date_format(ts, 'yyyy-MM')", "substring(s, 1, 3)", "to_json(st)", of="STRING")
    define(t, "date_trunc('HOUR', ts)", "timestampadd(DAY, 1, ts)", of="TIMESTAMP")
    define(t, "CASE WHEN i IN (1, 2) THEN 1 ELSE element_at(array(i), 1) END")


def case_wrong_generated_types(t: Recorder) -> None:
    define(t, "i", "ts", of="BIGINT")
    define(t, "CAST(i AS BIGINT)", "s", "NULL", "CAST(NULL AS INT)", "d = d")
    define(t, "x", of="DECIMAL(12,2)")
    define(t, "x", of="DECIMAL(10,2)")
    define(t, "i", "s", of="STRING")
    define(t, "ts", of="DATE")


def case_wrong_generated_nested_types(t: Recorder) -> None:
    define(t, "st", of="STRUCT<a: INT, b: STRUCT<c: STRING>>")
    define(t, "st", of="STRUCT<A: INT, b: STRUCT<c: STRING>>")
    define(t, "named_struct('a', 1)", of="STRUCT<a: INT NOT NULL>")
    define(t, "named_struct('a', i)", "named_struct('b', i)", of="STRUCT<a: INT>")
    define(t, "array(i)", "array(1)", of="ARRAY<INT>")
    define(t, "array(i)", of="ARRAY<BIGINT>")
    define(t, "map('a', i)", of="MAP<STRING, INT>")


def case_wrong_generated_variants(t: Recorder) -> None:
    define(t, "parse_json(s)", of="VARIANT")
    define(t, "variant_get(parse_json(s), '$.a', 'int')")


def case_wrong_generated_texts_of_a_length(t: Recorder) -> None:
    define(t, "s", "CAST(s AS VARCHAR(5))", "i", of="VARCHAR(5)")
    define(t, "s", of="CHAR(5)")


def case_wrong_generated_partitions(t: Recorder) -> None:
    for names in (["g"], ["i"]):
        builder = t.tables.DeltaTable.createOrReplace(t.spark).tableName("t").addColumn("i", "INT")
        builder.addColumn("s", "STRING").addColumn("g", "INT", generatedAlwaysAs="i + 1")
        t.attempt(f"by {names}", builder.partitionedBy(*names).execute)
    builder = t.tables.DeltaTable.create(t.spark).tableName("all_are").addColumn("i", "INT")
    builder.addColumn("g", "INT", generatedAlwaysAs="1").partitionedBy("g", "i")
    t.attempt("by all", builder.execute)
    builder = t.tables.DeltaTable.create(t.spark).tableName("wrong").addColumn("i", "INT")
    builder.addColumn("g", "DOUBLE", generatedAlwaysAs="rand()").partitionedBy("g")
    t.attempt("by a wrong one", builder.execute)


def case_wrong_generated_leaves_the_table_alone(t: Recorder) -> None:
    t.sql("CREATE TABLE t (i INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    define(t, "rand()", of="DOUBLE")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_wrong_generated_of_identity(t: Recorder) -> None:
    start = t.tables.IdentityGenerator
    builder = t.tables.DeltaTable.create(t.spark).tableName("t")
    builder.addColumn("id", LongType(), generatedAlwaysAs=start())
    builder.addColumn("g", "BIGINT", generatedAlwaysAs="id * 2")
    t.attempt("always", builder.execute)
    builder = t.tables.DeltaTable.createOrReplace(t.spark).tableName("t")
    builder.addColumn("id", LongType(), generatedByDefaultAs=start())
    builder.addColumn("g", "BIGINT", generatedAlwaysAs="id * 2", nullable=False)
    t.attempt("by default", builder.execute)
