"""MERGE INTO: what each clause does to rows, what is refused, and what it leaves alone."""

import time

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.merge import source as source_of_merge
from puredelta.commands.merge.dry_run import merge_plan
from puredelta.commands.merge.merge import Merge
from puredelta.commands.merge.request import DeleteClause, MergeClauses
from puredelta.commands.merge.rewrite import MergeExecutor
from puredelta.engine.exceptions import (
    DeltaAnalysisException,
    DeltaInvariantViolationException,
    DeltaUnsupportedOperationException,
)
from puredelta.engine.session.context import context_of
from puredelta.frontend.catalog.lookup import find_by_name, parse_name


@pytest.fixture
def table(spark, table_name):
    """Ids 1 to 4 in two files."""
    spark.sql(f"CREATE TABLE {table_name} (id INT, v STRING) USING delta")
    spark.sql(
        f"INSERT INTO {table_name} SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'a'), (2, 'b')"
    )
    spark.sql(
        f"INSERT INTO {table_name} SELECT /*+ COALESCE(1) */ * FROM VALUES (3, 'c'), (4, 'd')"
    )
    return table_name


@pytest.fixture
def source(spark):
    """Ids 2 and 5."""
    spark.sql(
        "CREATE OR REPLACE TEMP VIEW s AS SELECT * FROM VALUES (2, 'B'), (5, 'E') AS r(id, v)"
    )
    return "s"


def rows(spark, table):
    return sorted(map(tuple, spark.table(table).collect()), key=str)


def files(spark, table):
    return set(spark.table(table).inputFiles())


def last(spark, table):
    return spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").collect()[0]


# ---------------------------------------------------------------------------- clauses


def test_each_kind_of_clause_acts_on_its_rows(spark, table, source):
    [answer] = spark.sql(
        f"""MERGE INTO {table} t USING {source} s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET v = concat(t.v, s.v)
        WHEN NOT MATCHED THEN INSERT *
        WHEN NOT MATCHED BY SOURCE AND t.id = 1 THEN DELETE
        WHEN NOT MATCHED BY SOURCE AND t.id = 3 THEN UPDATE SET v = 'old'"""
    ).collect()

    assert tuple(answer) == (4, 2, 1, 1)
    assert rows(spark, table) == [(2, "bB"), (3, "old"), (4, "d"), (5, "E")]
    metrics = last(spark, table).operationMetrics
    assert metrics["numTargetRowsMatchedUpdated"] == "1"
    assert metrics["numTargetRowsNotMatchedBySourceUpdated"] == "1"
    assert metrics["numTargetRowsNotMatchedBySourceDeleted"] == "1"
    assert metrics["numTargetRowsCopied"] == "1"


def test_first_clause_that_holds_acts(spark, table):
    spark.sql(
        f"""MERGE INTO {table} t USING (SELECT explode(sequence(1, 6)) AS id) s ON t.id = s.id
        WHEN MATCHED AND s.id = 1 THEN DELETE
        WHEN MATCHED AND s.id < 3 THEN UPDATE SET v = 'small'
        WHEN NOT MATCHED AND id = 5 THEN INSERT (id, v) VALUES (id, 'five')
        WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id * 10)"""
    )

    assert rows(spark, table) == [(2, "small"), (3, "c"), (4, "d"), (5, "five"), (60, None)]


def test_null_condition_is_no_match(spark, table):
    spark.sql(
        f"""MERGE INTO {table} t USING (SELECT CAST(NULL AS INT) AS id) s ON t.id = s.id
        WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (v) VALUES ('null')"""
    )

    assert (None, "null") in rows(spark, table)
    assert len(rows(spark, table)) == 5


def test_null_safe_condition_matches_null(spark, table):
    spark.sql(f"INSERT INTO {table} VALUES (NULL, 'n')")

    spark.sql(
        f"""MERGE INTO {table} t USING (SELECT CAST(NULL AS INT) AS id) s ON t.id <=> s.id
        WHEN MATCHED THEN UPDATE SET v = 'N' WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"""
    )

    assert (None, "N") in rows(spark, table)
    assert len(rows(spark, table)) == 5


def test_files_without_a_change_stay(spark, table, source):
    before = files(spark, table)

    spark.sql(
        f"""MERGE INTO {table} t USING {source} s ON t.id = s.id
        WHEN MATCHED AND t.v = 'nothing' THEN DELETE WHEN NOT MATCHED THEN INSERT *"""
    )

    assert before < files(spark, table)


def test_nothing_to_do_makes_no_version(spark, table):
    before = last(spark, table).version

    spark.sql(
        f"MERGE INTO {table} t USING (SELECT 9 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE"
    )

    assert last(spark, table).version == before


def test_vectors_take_rows_away_while_others_come(spark, table, source):
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")

    [answer] = spark.sql(
        f"""MERGE INTO {table} t USING {source} s ON t.id = s.id
        WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *"""
    ).collect()

    assert tuple(answer) == (2, 0, 1, 1)
    assert rows(spark, table) == [(1, "a"), (3, "c"), (4, "d"), (5, "E")]


@pytest.mark.parametrize("where", ["one process", "a cluster"])
def test_source_that_is_random_is_asked_once(spark, table, monkeypatch, where):
    monkeypatch.setattr(source_of_merge, "is_cache_safe", lambda _: where == "one process")
    [answer] = spark.sql(
        f"""MERGE INTO {table} t
        USING (SELECT CAST(rand() * 1000000 AS INT) + 10 AS id FROM range(50)) s ON t.id = s.id
        WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"""
    ).collect()

    assert answer.num_inserted_rows == 50
    assert spark.table(table).count() == 54


def test_table_is_its_own_source(spark, table):
    spark.sql(
        f"""MERGE INTO {table} t USING (SELECT id + 2 AS id, v FROM {table}) s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"""
    )

    expected = [(1, "a"), (2, "b"), (3, "a"), (4, "b"), (5, "c"), (6, "d")]
    assert rows(spark, table) == expected


# ------------------------------------------------------------------- several matches


def test_several_matches_are_refused_with_their_keys(spark, table):
    with pytest.raises(DeltaUnsupportedOperationException, match="id = 2") as caught:
        spark.sql(
            f"""MERGE INTO {table} t USING (SELECT 2 AS id FROM range(2)) s ON t.id = s.id
            WHEN MATCHED THEN UPDATE SET v = 'x'"""
        )

    expected = "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE"
    assert caught.value.getCondition() == expected


@pytest.mark.parametrize("vectors", ["true", "false"])
def test_several_matches_delete_a_row_once(spark, table, vectors):
    spark.sql(
        f"ALTER TABLE {table} SET TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}')"
    )

    [answer] = spark.sql(
        f"""MERGE INTO {table} t USING (SELECT 2 AS id FROM range(2)) s ON t.id = s.id
        WHEN MATCHED THEN DELETE WHEN NOT MATCHED BY SOURCE AND t.id = 1 THEN UPDATE SET v = 'x'"""
    ).collect()

    assert tuple(answer) == (2, 1, 1, 0)
    assert rows(spark, table) == [(1, "x"), (3, "c"), (4, "d")]


# -------------------------------------------------------------------------- rules


def test_vectors_mark_what_changes(spark, table, source):
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    before = files(spark, table)

    spark.sql(
        f"""MERGE INTO {table} t USING {source} s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *
        WHEN NOT MATCHED BY SOURCE AND id = 4 THEN DELETE"""
    )

    assert rows(spark, table) == [(1, "a"), (2, "B"), (3, "c"), (5, "E")]
    assert before < files(spark, table)
    metrics = last(spark, table).operationMetrics
    assert metrics["numTargetRowsCopied"] == "0"
    assert metrics["numTargetDeletionVectorsAdded"] == "2"


def test_changes_are_told(spark, table, source):
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    spark.sql(
        f"""MERGE INTO {table} t USING {source} s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *
        WHEN NOT MATCHED BY SOURCE AND t.id = 3 THEN DELETE"""
    )
    version = last(spark, table).version

    reader = spark.read.option("readChangeFeed", "true").option("startingVersion", version)
    told = reader.table(table).select("id", "v", "_change_type").collect()

    assert sorted(map(tuple, told)) == [
        (2, "B", "update_postimage"),
        (2, "b", "update_preimage"),
        (3, "c", "delete"),
        (5, "E", "insert"),
    ]


def test_constraint_stops_the_merge(spark, table, source):
    spark.sql(f"ALTER TABLE {table} ADD CONSTRAINT small CHECK (id < 5)")

    with pytest.raises(DeltaInvariantViolationException):
        spark.sql(
            f"MERGE INTO {table} t USING {source} s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *"
        )


def test_generated_and_default_columns_are_filled(spark, table_name):
    spark.sql(
        f"""CREATE TABLE {table_name} (id INT, twice INT GENERATED ALWAYS AS (id * 2),
        n BIGINT GENERATED ALWAYS AS IDENTITY, d INT DEFAULT 7) USING delta
        TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"""
    )
    spark.sql(f"INSERT INTO {table_name} (id, d) VALUES (1, 1)")

    spark.sql(
        f"""MERGE INTO {table_name} t USING (SELECT explode(array(1, 2)) AS id) s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET id = 10, d = DEFAULT
        WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"""
    )

    first, second = rows(spark, table_name)
    assert first[:2] + first[3:] == (10, 20, 7)
    assert second[:2] + second[3:] == (2, 4, 7)
    assert first[2] != second[2]


def test_default_of_a_column_that_the_table_fills_is_what_the_table_fills_in(spark, table_name):
    spark.sql(
        f"""CREATE TABLE {table_name} (id INT, twice INT GENERATED ALWAYS AS (id * 2),
        n BIGINT GENERATED ALWAYS AS IDENTITY) USING delta"""
    )
    spark.sql(f"INSERT INTO {table_name} (id) VALUES (1), (5)")

    spark.sql(
        f"""MERGE INTO {table_name} t USING (SELECT explode(array(1, 2)) AS id) s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET id = 10, twice = DEFAULT
        WHEN NOT MATCHED THEN INSERT (id, twice, n) VALUES (s.id, DEFAULT, DEFAULT)
        WHEN NOT MATCHED BY SOURCE THEN UPDATE SET twice = DEFAULT, id = 50"""
    )

    found = sorted(rows(spark, table_name))
    assert [row[:2] for row in found] == [(2, 4), (10, 20), (50, 100)]
    assert len({row[2] for row in found}) == 3


def test_partition_column_can_change(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} (id INT, p STRING) USING delta PARTITIONED BY (p)")
    spark.sql(f"INSERT INTO {table_name} VALUES (1, 'a'), (2, 'b')")

    spark.sql(
        f"""MERGE INTO {table_name} t USING (SELECT 1 AS id) s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET p = ''"""
    )

    assert rows(spark, table_name) == [(1, None), (2, "b")]


# --------------------------------------------------------------------- schema evolution


def test_star_brings_new_columns(spark, table):
    spark.sql(
        f"""MERGE WITH SCHEMA EVOLUTION INTO {table} t
        USING (SELECT 2 AS id, 'B' AS v, 1.5 AS extra) s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET *"""
    )

    assert spark.table(table).columns == ["id", "v", "extra"]
    assert rows(spark, table)[1] == (2, "B", spark.sql("SELECT 1.5 AS e").first().e)


def test_missing_field_keeps_its_value_under_star(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} (id INT, st STRUCT<a: INT, b: INT>) USING delta")
    spark.sql(f"INSERT INTO {table_name} VALUES (1, struct(1, 2))")
    merge = f"""INTO {table_name} t USING (SELECT 1 AS id, struct(9 AS a) AS st) s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET"""

    with pytest.raises(DeltaAnalysisException, match="DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION"):
        spark.sql(f"MERGE {merge} *")
    spark.sql(f"MERGE WITH SCHEMA EVOLUTION {merge} *")
    assert rows(spark, table_name) == [(1, (9, 2))]
    spark.sql(f"MERGE WITH SCHEMA EVOLUTION {merge} st = s.st")
    assert rows(spark, table_name) == [(1, (9, None))]


# ----------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("clauses", "condition"),
    [
        ("WHEN MATCHED THEN UPDATE SET nope = 1", "DELTA_MERGE_UNRESOLVED_EXPRESSION"),
        ("WHEN MATCHED THEN UPDATE SET v = s.nope", "DELTA_MERGE_UNRESOLVED_EXPRESSION"),
        ("WHEN MATCHED THEN UPDATE SET v = 'a', t.v = 'b'", "DELTA_CONFLICT_SET_COLUMN"),
        (
            "WHEN MATCHED AND rand() > 0 THEN DELETE",
            "DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED",
        ),
        ("WHEN MATCHED AND max(s.id) > 0 THEN DELETE", "DELTA_AGGREGATION_NOT_SUPPORTED"),
        (
            "WHEN NOT MATCHED THEN INSERT (id, ID) VALUES (1, 2)",
            "DELTA_DUPLICATE_COLUMNS_ON_INSERT",
        ),
        ("WHEN NOT MATCHED THEN INSERT (id) VALUES (t.id)", "DELTA_MERGE_UNRESOLVED_EXPRESSION"),
    ],
)
def test_clause_that_cannot_be_is_refused(spark, table, source, clauses, condition):
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"MERGE INTO {table} t USING {source} s ON t.id = s.id {clauses}")

    assert caught.value.getCondition() == condition


# ---------------------------------------------------------------------------- pruning


@pytest.mark.parametrize(
    ("ids", "looked_at"), [("SELECT 150 AS id", 1), ("SELECT id + 100 AS id FROM range(150)", 2)]
)
def test_keys_of_the_source_keep_files_out(spark, table_name, ids, looked_at):
    frame = spark.range(0, 1000, 1, 10).selectExpr("CAST(id AS INT) AS id", "'x' AS v")
    frame.write.format("delta").saveAsTable(table_name)
    context = context_of(spark)
    merge = Merge(
        table=find_by_name(spark, parse_name(spark, table_name)).table,
        source=spark.sql(ids).selectExpr("CAST(id AS INT) AS id").alias("s"),
        condition=F.expr("t.id = s.id"),
        clauses=MergeClauses(matched=(DeleteClause(),)),
        alias=("t",),
    )

    plan = merge_plan(merge, context)

    assert plan.candidates.num_rows == looked_at
    assert plan.rows.deleted == spark.sql(ids).count()


# ------------------------------------------------------- what must be the same in all jobs


@pytest.fixture
def between(monkeypatch):
    """Lets something happen once between the job that finds rows and the one that writes them."""
    pending = []
    write = MergeExecutor.write

    def held_up(self):
        if pending:
            pending.pop()()
        return write(self)

    monkeypatch.setattr(MergeExecutor, "write", held_up)
    return pending.append


UPSERT = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"


@pytest.mark.parametrize("kind", ["delta", "parquet"])
def test_rows_that_come_to_the_source_meanwhile_are_not_seen(spark, table, tmp_path, between, kind):
    path = f"{kind}.`{tmp_path}/s`"
    spark.sql("SELECT 2 AS id, 'B' AS v").write.format(kind).save(f"{tmp_path}/s")
    more = spark.sql("SELECT * FROM VALUES (3, 'C'), (5, 'E') AS more(id, v)")
    between(lambda: more.write.format(kind).mode("append").save(f"{tmp_path}/s"))

    spark.sql(f"MERGE INTO {table} t USING {path} s ON t.id = s.id {UPSERT}")

    assert rows(spark, table) == [(1, "a"), (2, "B"), (3, "c"), (4, "d")]


def test_source_stays_when_nothing_is_kept_any_more(spark, table, between):
    source = spark.range(2, 6, 3, 2).selectExpr("cast(id AS INT) id", "uuid() v").repartition(3)
    source.createOrReplaceTempView("many")
    between(spark.catalog.clearCache)

    spark.sql(f"MERGE INTO {table} t USING many s ON t.id = s.id {UPSERT}")

    assert [row[0] for row in rows(spark, table)] == [1, 2, 3, 4, 5]


def test_current_time_is_the_same_in_all_jobs(spark, table, between):
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    soon = int(time.time()) + 15
    between(lambda: time.sleep(max(0.0, soon + 0.1 - time.time())))

    spark.sql(
        f"""MERGE INTO {table} t
        USING (SELECT 1 AS id UNION ALL SELECT 3) s ON t.id = s.id
        WHEN MATCHED AND (t.id = 1 OR timestamp_seconds({soon}) < current_timestamp())
        THEN UPDATE SET v = 'new'"""
    )

    assert rows(spark, table) == [(1, "new"), (2, "b"), (3, "c"), (4, "d")]


# --------------------------------------------------------------- keys told by the source


def test_keys_that_are_no_text_find_their_rows(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} (id STRING, v INT) USING delta")
    for key in ("FF", "FE", "61"):
        spark.sql(f"INSERT INTO {table_name} SELECT CAST(X'{key}' AS STRING), 0")

    spark.sql(
        f"""MERGE INTO {table_name} t
        USING (SELECT CAST(X'FF' AS STRING) AS id, 1 AS v) s ON t.id = s.id {UPSERT}"""
    )

    found = spark.sql(f"SELECT hex(id), v FROM {table_name}").collect()
    assert sorted(map(tuple, found)) == [("61", 0), ("FE", 0), ("FF", 1)]


@pytest.mark.parametrize("day", ["date_add(DATE'9999-12-31', 10)", "DATE'-0005-01-01'"])
def test_keys_are_dates_of_any_year(spark, table_name, day):
    spark.sql(f"CREATE TABLE {table_name} (id DATE, v INT) USING delta")
    for key in (day, "DATE'2020-01-01'"):
        spark.sql(f"INSERT INTO {table_name} SELECT {key}, 0")

    spark.sql(
        f"""MERGE INTO {table_name} t USING (SELECT {day} AS id, 1 AS v FROM range(1)) s
        ON t.id = s.id {UPSERT}"""
    )

    found = spark.sql(f"SELECT v FROM {table_name} ORDER BY v").collect()
    assert [row.v for row in found] == [0, 1]


@pytest.mark.parametrize("value", ["explode(array(s.v))", "row_number() OVER (ORDER BY s.id)"])
def test_values_are_made_of_one_row(spark, table, source, value):
    with pytest.raises(DeltaAnalysisException) as caught:
        spark.sql(
            f"""MERGE INTO {table} t USING {source} s ON t.id = s.id
            WHEN MATCHED THEN UPDATE SET v = {value}"""
        )

    assert caught.value.getCondition() == "DELTA_AGGREGATION_NOT_SUPPORTED"


@pytest.mark.parametrize("vectors", ["false", "true"])
def test_all_rows_of_a_file_go_and_nothing_is_written(spark, table_name, vectors):
    spark.sql(
        f"""CREATE TABLE {table_name} (id INT, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES (
        'delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = '{vectors}')"""
    )
    spark.sql(f"INSERT INTO {table_name} VALUES (1, 1), (2, 1), (3, 2)")

    [answer] = spark.sql(
        f"""MERGE INTO {table_name} t USING (SELECT explode(array(1, 2)) AS id) s ON t.id = s.id
        WHEN MATCHED AND t.id > 9 THEN UPDATE SET id = 0
        WHEN MATCHED THEN DELETE"""
    ).collect()

    assert tuple(answer) == (2, 0, 2, 0)
    assert rows(spark, table_name) == [(3, 2)]
    metrics = last(spark, table_name).operationMetrics
    assert metrics["numTargetRowsDeleted"] == "2"
    assert metrics["numTargetRowsMatchedDeleted"] == "2"
    assert metrics["numTargetRowsCopied"] == "0"
