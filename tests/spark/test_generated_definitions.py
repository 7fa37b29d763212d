"""Generated columns that tables are made with, and those that none is made with."""

import json
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import ArrayType, IntegerType, LongType, StructField, StructType

from puredelta import DeltaTable
from puredelta.engine.exceptions import DeltaAnalysisException

COLUMNS = (
    "i INT, s STRING, ts TIMESTAMP, st STRUCT<a: INT, b: STRUCT<c: STRING>>,"
    " l ARRAY<STRUCT<v: INT>>, h INT GENERATED ALWAYS AS (i + 1)"
)
REFERENCES = "DELTA_INVALID_GENERATED_COLUMN_REFERENCES"
USER = "DELTA_UDF_IN_GENERATED_COLUMN"
CHANCE = "DELTA_NON_DETERMINISTIC_EXPRESSION_IN_GENERATED_COLUMN"
AGGREGATE = "DELTA_AGGREGATE_IN_GENERATED_COLUMN"
UNLISTED = "DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN"
MISMATCH = "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH"
VALUES = "DELTA_UNSUPPORTED_DATA_TYPE_IN_GENERATED_COLUMN"


@pytest.fixture
def root(tmp_path) -> Path:
    """Where nothing is yet."""
    return tmp_path / "t"


@pytest.fixture(scope="module", autouse=True)
def functions_of_users(spark):
    """Functions and a variable that only this session has."""
    spark.udf.register("of_user", lambda value: value, "int")
    spark.udf.register("of_chance", F.udf(lambda v: v, "int").asNondeterministic())
    spark.sql("CREATE OR REPLACE TEMPORARY FUNCTION in_sql(v INT) RETURNS INT RETURN v + 1")
    spark.sql("DECLARE OR REPLACE VARIABLE of_session INT DEFAULT 5")
    yield
    for statement in ("FUNCTION IF EXISTS in_sql", "VARIABLE IF EXISTS of_session"):
        spark.sql(f"DROP TEMPORARY {statement}")
    for name in ("of_user", "of_chance"):
        spark.sql(f"DROP TEMPORARY FUNCTION IF EXISTS {name}")


def create(spark, root, column, rest=""):
    spark.sql(f"CREATE TABLE delta.`{root}` ({COLUMNS}, {column}) USING delta {rest}")


def generated(spark, root, of, text):
    create(spark, root, f"g {of} GENERATED ALWAYS AS ({text})")


def expression_in(root) -> str:
    lines = (root / "_delta_log" / f"{0:020}.json").read_text("utf-8").splitlines()
    metadata = next(found["metaData"] for found in map(json.loads, lines) if "metaData" in found)
    fields = json.loads(metadata["schemaString"])["fields"]
    return fields[-1]["metadata"]["delta.generationExpression"]


@pytest.mark.parametrize(
    ("of", "text", "condition", "told"),
    [
        ("INT", "nope + i", REFERENCES, "`nope` is not a column to compute it from"),
        ("INT", "G", REFERENCES, "`G` is not"),
        ("INT", "H + 1", REFERENCES, "`H` is not"),
        ("INT", "t.i", REFERENCES, "`t`.`i` is not"),
        ("STRING", "_metadata.file_path", REFERENCES, "i, s, ts, st, l."),
        ("INT", "i + of_user(i)", USER, "of_user(i) is a user-defined function"),
        ("INT", "of_chance(i)", USER, "of_chance(i)"),
        ("INT", "in_sql(i)", UNLISTED, "in_sql(i) is not among"),
        ("DOUBLE", "1 + rand()", CHANCE, "rand()) is not deterministic"),
        ("STRING", "uuid()", CHANCE, "uuid()"),
        ("BIGINT", "monotonically_increasing_id()", CHANCE, "monotonically_increasing_id()"),
        ("DATE", "date_add(CURRENT_DATE, i)", UNLISTED, "current_date() is not among"),
        ("TIMESTAMP", "now()", UNLISTED, "now() is not among"),
        ("INT", "1 + max(i)", AGGREGATE, "max(i) is computed over many rows"),
        ("INT", "max(i) OVER ()", UNLISTED, "max(i) OVER () is not among"),
        ("INT", "explode(array(i))", UNLISTED, "explode(array(i)) is not among"),
        ("INT", "i + (SELECT 1)", UNLISTED, "scalarsubquery() is not among"),
        ("BOOLEAN", "i IN (SELECT 1)", UNLISTED, "IN (listquery())"),
        ("INT", "i + of_session", UNLISTED, "of_session"),
        ("ARRAY<INT>", "transform(array(i), x -> x)", UNLISTED, "is not among"),
        ("BIGINT", "i", MISMATCH, "g is bigint, but i gives int. Generate it as CAST(i AS bigint)"),
        ("STRUCT<V: INT>", "l[0]", MISMATCH, "struct<v:int>"),
        ("VARIANT", "parse_json(s)", VALUES, "values of variant cannot be compared"),
    ],
)
def test_definition_is_refused_before_anything_is_written(spark, root, of, text, condition, told):
    with pytest.raises(DeltaAnalysisException) as caught:
        generated(spark, root, of, text)

    assert caught.value.getCondition() == condition
    assert " g " in str(caught.value)
    assert text in str(caught.value)
    assert told in str(caught.value)
    assert not root.exists()


@pytest.mark.parametrize(
    ("of", "text"),
    [
        ("INT", "I + 1"),
        ("INT", "`i` * ST.A"),
        ("INT", "l[0].v"),
        ("STRING", "st.B.c"),
        ("STRING", "concat('(', s, ')')"),
        ("DATE", "CAST(ts AS DATE)"),
        ("VARCHAR(5)", "substring(s, 1, 5)"),
        ("STRUCT<a: INT>", "named_struct('a', 1)"),
        ("INT", "CAST(NULL AS INT)"),
    ],
)
def test_definition_is_kept_as_it_was_written(spark, root, of, text):
    generated(spark, root, of, text)

    assert expression_in(root) == text


@pytest.mark.parametrize("text", ["", "i +", "i; i", "i, i", "SELECT 1", "i AS x", "i)"])
def test_text_that_is_no_expression_is_refused(spark, root, text):
    builder = DeltaTable.create(spark).location(str(root)).addColumn("i", "INT")

    with pytest.raises(ParseException):
        builder.addColumn("g", "INT", generatedAlwaysAs=text).execute()

    assert not root.exists()


@pytest.mark.parametrize("text", ["*", "(*)", "st.*"])
def test_star_is_refused_even_where_it_stands_for_one_column(spark, root, text):
    builder = DeltaTable.create(spark).location(str(root)).addColumn("st", "STRUCT<a: INT>")

    with pytest.raises(AnalysisException) as caught:
        builder.addColumn("g", "STRUCT<a: INT>", generatedAlwaysAs=text).execute()

    assert caught.value.getCondition() == "INVALID_USAGE_OF_STAR_OR_REGEX"
    assert not root.exists()


def test_star_inside_a_function_names_the_column_itself_and_is_refused(spark, root):
    builder = DeltaTable.create(spark).location(str(root)).addColumn("a", "INT")

    with pytest.raises(AnalysisException) as caught:
        builder.addColumn("g", "INT", generatedAlwaysAs="hash(*)").execute()

    assert caught.value.getCondition() == "DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN"
    assert not root.exists()


def test_columns_whose_names_have_signs_are_named_in_quotes(spark, root):
    columns = StructType([StructField("a.b", IntegerType()), StructField("c d", IntegerType())])
    builder = DeltaTable.create(spark).location(str(root)).addColumns(columns)
    builder.addColumn("g", "INT", generatedAlwaysAs="`a.b` + `c d`")

    builder.property("delta.columnMapping.mode", "name").execute()

    assert expression_in(root) == "`a.b` + `c d`"


def test_identity_column_may_be_computed_from(spark, root):
    spark.sql(
        f"CREATE TABLE delta.`{root}` (id BIGINT GENERATED ALWAYS AS IDENTITY,"
        " g BIGINT GENERATED ALWAYS AS (id * 2)) USING delta"
    )

    assert expression_in(root) == "id * 2"


@pytest.mark.parametrize(
    ("field", "condition"),
    [
        (
            StructField("g", IntegerType(), True, {"CURRENT_DEFAULT": "1"}),
            "GENERATED_COLUMN_WITH_DEFAULT_VALUE",
        ),
        (
            StructField(
                "g",
                LongType(),
                True,
                {
                    "delta.identity.start": 1,
                    "delta.identity.step": 1,
                    "delta.identity.allowExplicitInsert": False,
                },
            ),
            "DELTA_IDENTITY_COLUMNS_WITH_GENERATED_EXPRESSION",
        ),
    ],
)
def test_value_from_elsewhere_beside_an_expression_is_refused(spark, root, field, condition):
    field.metadata["delta.generationExpression"] = f"CAST(1 AS {field.dataType.simpleString()})"
    builder = DeltaTable.create(spark).location(str(root)).addColumn("i", "INT")

    with pytest.raises(AnalysisException) as caught:
        builder.addColumns([field]).property(
            "delta.feature.allowColumnDefaults", "supported"
        ).execute()

    assert caught.value.getCondition() == condition
    assert not root.exists()


@pytest.mark.parametrize("wrap", [lambda inner: inner, ArrayType])
def test_field_inside_a_column_is_refused(spark, root, wrap):
    field = StructField("f", IntegerType(), True, {"delta.generationExpression": "i + 1"})
    column = StructField("s", wrap(StructType([field])))

    with pytest.raises(DeltaAnalysisException) as caught:
        DeltaTable.create(spark).location(str(root)).addColumn("i", "INT").addColumns(
            [column]
        ).execute()

    assert caught.value.getCondition() == "PUREDELTA_GENERATED_COLUMN_IN_STRUCT"
    assert not root.exists()


def test_frame_that_brings_a_wrong_definition_makes_no_table(spark, root):
    field = StructField("g", IntegerType(), True, {"delta.generationExpression": "nope + 1"})
    rows = spark.createDataFrame([(1,)], StructType([field]))

    with pytest.raises(DeltaAnalysisException) as caught:
        rows.write.format("delta").save(str(root))

    assert caught.value.getCondition() == REFERENCES
    assert not root.exists()


@pytest.mark.parametrize("statement", ["CREATE OR REPLACE", "REPLACE"])
def test_table_stays_when_its_replacement_is_refused(spark, root, statement):
    spark.sql(f"CREATE TABLE delta.`{root}` USING delta AS SELECT 1 AS i")

    with pytest.raises(DeltaAnalysisException) as caught:
        spark.sql(
            f"{statement} TABLE delta.`{root}`"
            " (i INT, g DOUBLE GENERATED ALWAYS AS (rand())) USING delta"
        )

    assert caught.value.getCondition() == CHANCE
    assert spark.read.format("delta").load(str(root)).collect() == [(1,)]


def test_wrong_partition_column_is_refused_like_any_other(spark, root):
    with pytest.raises(DeltaAnalysisException) as caught:
        create(spark, root, "g INT GENERATED ALWAYS AS (h)", "PARTITIONED BY (g)")

    assert caught.value.getCondition() == REFERENCES


@pytest.mark.parametrize("text", ["i BETWEEN 1 AND 2", "i > (1 + 0 * of_user(1))"])
def test_table_that_is_trusted_is_written_whatever_its_expression(spark, root, text):
    spark.sql(
        f"CREATE TABLE delta.`{root}` (i INT, g BOOLEAN GENERATED ALWAYS AS (i > 1)) USING delta"
    )
    log = root / "_delta_log" / f"{0:020}.json"
    log.write_text(log.read_text("utf-8").replace("i > 1", text), "utf-8")
    for checksum in (root / "_delta_log").glob("*.crc"):
        checksum.unlink()
    for checksum in (root / "_delta_log").glob(".*.crc"):
        checksum.unlink()
    DeltaTable.forPath(spark, str(root)).toDF().count()
    spark.conf.set("spark.puredelta.trustTableExpressions", "true")

    spark.sql(f"INSERT INTO delta.`{root}` (i) VALUES (2)")

    assert spark.read.format("delta").load(str(root)).collect() == [(2, True)]
