"""Writes into tables with generated columns, as far as no scenario shows them on delta-spark."""

import json

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.exceptions import DeltaInvariantViolationException
from puredelta.log import open_table
from tests.spark.hand_made import allow, commit

DAYS = "id INT, ts TIMESTAMP, d DATE GENERATED ALWAYS AS (CAST(ts AS DATE))"
SUMS = "a INT, b INT, c INT GENERATED ALWAYS AS (a + b)"
MAPPED = "TBLPROPERTIES ('delta.columnMapping.mode' = '{}')"


@pytest.fixture
def table(spark, tmp_path):
    """Make a table; return its name for SQL."""

    def make(columns, rest=""):
        name = f"delta.`{tmp_path}/t`"
        spark.sql(f"CREATE TABLE {name} ({columns}) USING delta {rest}")
        return name

    return make


@pytest.fixture
def conf(spark):
    """Set settings of the session until the test ends."""
    before = {}

    def put(key, value):
        before.setdefault(key, spark.conf.get(key, None))
        spark.conf.set(key, value)

    yield put
    for key, value in before.items():
        if value is None:
            spark.conf.unset(key)
        else:
            spark.conf.set(key, value)


def rows(spark, name, columns="*"):
    found = spark.sql(f"SELECT {columns} FROM {name}").collect()
    return sorted((tuple(map(str, row)) for row in found), key=str)


def append(frame, name, **options):
    path = name.split("`")[1]
    frame.write.format("delta").mode("append").options(**options).save(path)


def refused(write):
    with pytest.raises(DeltaInvariantViolationException) as caught:
        write()
    return caught.value


def test_day_is_that_of_the_session_that_writes(spark, table, conf):
    name = table(DAYS, "PARTITIONED BY (d)")
    conf("spark.sql.session.timeZone", "Pacific/Auckland")
    late = "TIMESTAMP'2024-03-01 23:30:00 UTC'"

    spark.sql(f"INSERT INTO {name} (id, ts) VALUES (1, {late})")
    spark.sql(f"INSERT INTO {name} VALUES (2, {late}, DATE'2024-03-02')")
    refused(lambda: spark.sql(f"INSERT INTO {name} VALUES (3, {late}, DATE'2024-03-01')"))

    assert rows(spark, name, "id, d") == [("1", "2024-03-02"), ("2", "2024-03-02")]


def test_refused_rows_leave_no_version_and_no_row(spark, table, tmp_path):
    name = table(SUMS)
    spark.sql(f"INSERT INTO {name} (a, b) VALUES (1, 2)")
    data = spark.range(1000).selectExpr(
        "CAST(id AS INT) AS a", "1 AS b", "CAST(if(id = 999, 0, id + 1) AS INT) AS c"
    )

    refused(lambda: append(data, name))
    refused(lambda: data.write.format("delta").mode("overwrite").save(f"{tmp_path}/t"))

    assert open_table(str(tmp_path / "t")).version == 1
    assert rows(spark, name) == [("1", "2", "3")]


def test_error_tells_base_columns_and_the_generated_one(spark, table):
    name = table(
        "A INT, s STRUCT<x: INT>, `a b` INT GENERATED ALWAYS AS (a+s.x)", MAPPED.format("name")
    )

    error = refused(lambda: spark.sql(f"INSERT INTO {name} VALUES (1, named_struct('x', NULL), 3)"))

    assert error.getCondition() == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    told = error.getMessageParameters()
    assert told["constraintName"] == "Generated Column"
    assert told["expression"] == "(`a b` <=> (a + s.x))"
    assert sorted(told["values"].splitlines()) == [" - `a b` : 3", " - a : 1", " - s.x : null"]


def test_name_of_a_view_is_not_taken_for_a_struct(spark, table):
    name = table("s STRUCT<b: INT>, b INT, g INT GENERATED ALWAYS AS (s.b)")
    spark.sql("SELECT named_struct('b', 1) AS s, 10 AS b").createOrReplaceTempView("s")
    spark.sql("SELECT named_struct('b', 1) AS s, 10 AS b, 10 AS g").createOrReplaceTempView("g")

    spark.sql(f"INSERT INTO {name} (s, b) SELECT * FROM s")
    append(spark.table("s").alias("s"), name)
    refused(lambda: spark.sql(f"INSERT INTO {name} SELECT * FROM g AS s"))

    assert rows(spark, name, "g") == [("1",), ("1",)]
    spark.catalog.dropTempView("s")
    spark.catalog.dropTempView("g")


def test_columns_of_a_frame_that_differ_in_case_alone_are_refused(spark, table, conf):
    name = table(SUMS)
    conf("spark.sql.caseSensitive", "true")
    frame = spark.sql("SELECT 1 AS a, 2 AS A, 3 AS b")

    with pytest.raises(AnalysisException) as caught:
        append(frame, name)

    assert caught.value.getCondition().startswith("DELTA_DUPLICATE_COLUMNS_FOUND")


def test_names_in_another_case_are_the_same_in_a_session_that_tells_cases_apart(spark, table, conf):
    name = table("Id INT, Twice INT GENERATED ALWAYS AS (ID * 2)")
    conf("spark.sql.caseSensitive", "true")

    spark.sql(f"INSERT INTO {name} (Id) VALUES (4)")
    append(spark.sql("SELECT 5 AS iD"), name)
    refused(lambda: append(spark.sql("SELECT 6 AS Id, 7 AS TWICE"), name))

    assert rows(spark, name) == [("4", "8"), ("5", "10")]


@pytest.mark.parametrize("mode", ["name", "id"])
def test_mapped_columns_are_computed_and_checked(spark, table, mode):
    name = table("`a b` INT, c INT GENERATED ALWAYS AS (`a b` * 2)", MAPPED.format(mode))

    spark.sql(f"INSERT INTO {name} (`a b`) VALUES (1)")
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN c TO `c,d`")
    append(spark.sql("SELECT 2 AS `a b`"), name)
    refused(lambda: spark.sql(f"INSERT INTO {name} VALUES (3, 7)"))

    assert rows(spark, name) == [("1", "2"), ("2", "4")]


def test_rows_on_the_driver_and_those_of_a_job_are_computed_alike(spark, table):
    name = table(
        "kind STRING, ts TIMESTAMP, s STRING, n INT GENERATED ALWAYS AS (length(s)),"
        " day STRING GENERATED ALWAYS AS (date_format(ts, 'yyyy-MM'))"
    )
    times = ("TIMESTAMP'1969-12-31 23:59:59.999999'", "NULL", "TIMESTAMP'0001-01-01 00:00:00'")
    values = "VALUES " + ", ".join(
        f"({time}, {text})" for time, text in zip(times, ("'ä'", "''", "NULL"), strict=True)
    )

    spark.sql(f"INSERT INTO {name} (kind, ts, s) SELECT 'local', * FROM ({values})")
    spark.sql(
        f"INSERT INTO {name} (kind, ts, s) SELECT /*+ REPARTITION(2) */ 'job', * FROM ({values})"
    )

    columns = "CAST(ts AS STRING), s, day, n"
    local = rows(spark, name, columns + ", kind")
    assert len(local) == 6
    assert rows(spark, f"{name} WHERE kind = 'job'", columns) == rows(
        spark, f"{name} WHERE kind = 'local'", columns
    )


def test_generated_partitions_of_an_optimized_write(spark, table):
    name = table(DAYS, "PARTITIONED BY (d)")
    data = spark.range(0, 100, 1, 4).selectExpr(
        "CAST(id AS INT) AS id", "TIMESTAMP'2024-03-01 12:00:00' + make_dt_interval(id % 2) AS ts"
    )

    append(data, name, optimizeWrite="true")

    assert rows(spark, f"(SELECT d, count(*) FROM {name} GROUP BY d)") == [
        ("2024-03-01", "50"),
        ("2024-03-02", "50"),
    ]
    assert spark.sql(f"SELECT * FROM {name} WHERE d <=> CAST(ts AS DATE)").count() == 100


def test_empty_texts_in_partitions_are_null_for_expressions_and_checks(spark, table):
    name = table(
        "p STRING, i INT, n INT GENERATED ALWAYS AS (length(p)),"
        " q STRING GENERATED ALWAYS AS (substring(p, 1, 1))",
        "PARTITIONED BY (p, q)",
    )

    spark.sql(f"INSERT INTO {name} (p, i) VALUES ('', 1), ('ab', 2), (NULL, 3)")
    spark.sql(f"INSERT INTO {name} VALUES ('', 4, NULL, '')")
    refused(lambda: spark.sql(f"INSERT INTO {name} VALUES ('', 5, 0, '')"))

    assert rows(spark, name, "i, p, n, q") == [
        ("1", "None", "None", "None"),
        ("2", "ab", "2", "a"),
        ("3", "None", "None", "None"),
        ("4", "None", "None", "None"),
    ]


def test_empty_text_that_is_generated_for_a_partition_is_null(spark, table):
    name = table(
        "s STRING, p STRING GENERATED ALWAYS AS (substring(s, 2, 1))", "PARTITIONED BY (p)"
    )

    spark.sql(f"INSERT INTO {name} (s) VALUES ('a'), ('')")
    spark.sql(f"INSERT INTO {name} VALUES ('b', ''), ('c', NULL)")

    assert rows(spark, name, "s, p") == [(s, "None") for s in ("", "a", "b", "c")]


def test_keyword_default_computes_in_each_form_of_insert(spark, table):
    name = table(SUMS)

    spark.sql(f"INSERT INTO {name} VALUES (1, 2, DEFAULT), (3, 4, DEFAULT)")
    spark.sql(f"INSERT INTO {name} (c, b, a) SELECT DEFAULT, id, 5 FROM range(1)")
    spark.sql(f"INSERT INTO {name} (c) VALUES (DEFAULT)")
    spark.sql(f"INSERT WITH SCHEMA EVOLUTION INTO {name} VALUES (6, 7, DEFAULT)")
    spark.sql(f"INSERT INTO {name} VALUES (:a, :b, DEFAULT)", args={"a": 8, "b": 9})

    assert rows(spark, name) == [
        ("1", "2", "3"),
        ("3", "4", "7"),
        ("5", "0", "5"),
        ("6", "7", "13"),
        ("8", "9", "17"),
        ("None", "None", "None"),
    ]


def test_a_generated_column_gets_no_default(spark, table):
    name = table(SUMS, "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')")

    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"ALTER TABLE {name} ALTER COLUMN c SET DEFAULT 5")

    assert caught.value.getCondition() == "GENERATED_COLUMN_WITH_DEFAULT_VALUE"


def test_computed_columns_stand_where_the_table_has_them(spark, table):
    name = table(
        "x INT GENERATED ALWAYS AS (a * 2), a INT, y INT GENERATED ALWAYS AS (a * 3), b INT"
    )

    append(spark.sql("SELECT 1 AS b, 2 AS a"), name)
    append(spark.sql("SELECT 6 AS b, 7 AS new, 5 AS a, 15 AS y"), name, mergeSchema="true")

    assert rows(spark, name) == [("10", "5", "15", "6", "7"), ("4", "2", "6", "1", "None")]


def test_struct_that_grows_beside_a_generated_column(spark, table):
    name = table("s STRUCT<x: INT>, g INT GENERATED ALWAYS AS (s.x + 1)")

    append(spark.sql("SELECT named_struct('y', 5, 'x', 1) AS s"), name, mergeSchema="true")
    append(spark.sql("SELECT named_struct('y', 6) AS s"), name)

    assert rows(spark, name, "s.x, s.y, g") == [("1", "5", "2"), ("None", "6", "None")]


def test_a_limit_takes_no_part_in_what_is_checked(spark, table):
    name = table(SUMS)
    data = spark.range(10).selectExpr(
        "CAST(id AS INT) AS a", "0 AS b", "CAST(if(id < 2, id, -1) AS INT) AS c"
    )

    append(data.orderBy("a").limit(2), name)

    assert rows(spark, name) == [("0", "0", "0"), ("1", "0", "1")]


def test_insert_into_a_view_of_the_table_computes(spark, table):
    name = table(SUMS)
    spark.table(name).createOrReplaceTempView("sums")

    spark.sql("INSERT INTO sums (a, b) VALUES (1, 2)")
    refused(lambda: spark.sql("INSERT INTO sums VALUES (1, 2, 4)"))

    assert rows(spark, name) == [("1", "2", "3")]
    spark.catalog.dropTempView("sums")


def test_expression_that_names_its_value_is_computed(spark, tmp_path, table):
    name = table("a INT, c INT GENERATED ALWAYS AS (a + 1)")
    _reexpressed(tmp_path / "t", "a * 2 AS twice")

    spark.sql(f"INSERT INTO {name} (a) VALUES (4)")
    refused(lambda: spark.sql(f"INSERT INTO {name} VALUES (4, 5)"))

    assert rows(spark, name) == [("4", "8")]


def test_generation_counts_only_under_a_protocol_that_knows_it(spark, tmp_path, table):
    name = table("a INT, c INT GENERATED ALWAYS AS (a + 1)")
    protocol = {"minReaderVersion": 1, "minWriterVersion": 2}
    commit(tmp_path / "t", {"protocol": protocol})

    spark.sql(f"INSERT INTO {name} (a) VALUES (4)")
    spark.sql(f"INSERT INTO {name} VALUES (5, 50)")

    assert rows(spark, name) == [("4", "None"), ("5", "50")]


def test_computed_column_is_what_constraints_see(spark, table):
    name = table(SUMS)
    spark.sql(f"ALTER TABLE {name} ADD CONSTRAINT even CHECK (c % 2 = 0)")

    append(spark.sql("SELECT 1 AS a, 3 AS b"), name)
    error = refused(lambda: append(spark.sql("SELECT 1 AS a, 4 AS b"), name))

    assert error.getMessageParameters()["values"] == " - c : 5"
    assert spark.table(name).where(F.col("c") == 4).count() == 1


def _reexpressed(root, text):
    """Give the generated column of a table another expression, as another engine might."""
    metadata = open_table(str(root)).metadata
    schema = json.loads(metadata.schema_string)
    schema["fields"][-1]["metadata"]["delta.generationExpression"] = text
    told = {
        "id": metadata.id,
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps(schema),
        "partitionColumns": [],
        "configuration": {},
    }
    commit(root, allow("generatedColumns"), {"metaData": told})
