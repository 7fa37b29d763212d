"""`DeltaTable.merge` and its builder: which arguments they take, and what they make of them."""

import pytest
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta import DeltaTable
from puredelta.engine.exceptions import DeltaAnalysisException
from puredelta.tables import DeltaMergeBuilder


@pytest.fixture
def table(spark, tmp_path) -> DeltaTable:
    """Ids 0 to 4 with ten times their value, a file each."""
    path = str(tmp_path / "t")
    spark.range(0, 5, 1, 5).selectExpr("id", "id * 10 AS v").write.format("delta").save(path)
    return DeltaTable.forPath(spark, path)


@pytest.fixture
def news(spark):
    """Ids 3 to 6 with a hundred times their value."""
    return spark.range(3, 7).selectExpr("id", "id * 100 AS v").alias("s")


@pytest.fixture
def builder(table, news) -> DeltaMergeBuilder:
    return table.alias("t").merge(news, "t.id = s.id")


def rows(table):
    return {row["id"]: row["v"] for row in table.toDF().collect()}


# ------------------------------------------------------------------------ arguments


@pytest.mark.parametrize(
    ("source", "condition", "error"),
    [
        (None, "a", ValueError),
        ("x", "a", TypeError),
        ("x", None, TypeError),
        ("frame", None, ValueError),
        ("frame", 5, TypeError),
        ("frame", "a = = b", ParseException),
        ("frame", "", ParseException),
    ],
)
def test_source_and_condition_are_checked(table, news, source, condition, error):
    with pytest.raises(error):
        table.merge(news if source == "frame" else source, condition)


@pytest.mark.parametrize(
    ("method", "argument"),
    [
        ("whenMatchedUpdate", "set"),
        ("whenNotMatchedBySourceUpdate", "set"),
        ("whenNotMatchedInsert", "values"),
    ],
)
@pytest.mark.parametrize(
    ("given", "error"),
    [
        (None, ValueError),
        ([("v", "1")], TypeError),
        (type("Ours", (dict,), {})(v="1"), TypeError),
        ({1: "1"}, TypeError),
        ({"v": 1}, TypeError),
        ({"v": None}, TypeError),
        ({"v": "1 +"}, ParseException),
    ],
)
def test_assignments_are_checked(builder, method, argument, given, error):
    with pytest.raises(error, match=None if error is ParseException else argument):
        getattr(builder, method)(**{argument: given})


def test_assignments_are_checked_before_the_condition(builder):
    with pytest.raises(ValueError, match="'set' in whenMatchedUpdate"):
        builder.whenMatchedUpdate(condition=1)
    with pytest.raises(TypeError, match="condition"):
        builder.whenMatchedUpdate(1, {"v": "1"})


@pytest.mark.parametrize(
    "method",
    [
        "whenMatchedUpdateAll",
        "whenMatchedDelete",
        "whenNotMatchedInsertAll",
        "whenNotMatchedBySourceDelete",
    ],
)
def test_conditions_are_sql_or_columns(builder, method):
    clause = getattr(builder, method)

    assert isinstance(clause(F.col("s.id") > 1), DeltaMergeBuilder)
    with pytest.raises(TypeError, match="condition"):
        clause(True)
    with pytest.raises(ParseException):
        clause("a = = b")


def test_value_that_is_no_expression_is_told_with_its_column(builder):
    with pytest.raises(TypeError, match=r"found '5' of type .* for 'v'; .*lit"):
        builder.whenMatchedUpdate(set={"v": 5})


def test_retry_is_a_whole_number(builder):
    with pytest.raises(ValueError, match="retry"):
        builder.whenMatchedDelete().execute(retry=-1)


# --------------------------------------------------------------------------- clauses


def test_each_method_returns_another_builder(builder):
    more = builder.whenMatchedDelete("s.id = 3")
    evolving = more.withSchemaEvolution()

    assert "no clause" in repr(builder)
    assert "delete" in repr(more)
    assert evolving is not more
    assert "update, delete, insert" in repr(
        builder.whenNotMatchedInsertAll().whenMatchedUpdateAll("s.id = 1").whenMatchedDelete()
    )


def test_without_a_clause_nothing_can_be_done(builder):
    for one in (builder, builder.withSchemaEvolution(), builder.whenMatchedUpdate(set={})):
        with pytest.raises(DeltaAnalysisException) as caught:
            one.execute()
        assert caught.value.getCondition() == "DELTA_MERGE_MISSING_WHEN"


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("whenMatchedDelete", "MATCHED"),
        ("whenNotMatchedInsertAll", "NOT_MATCHED"),
        ("whenNotMatchedBySourceDelete", "NOT_MATCHED_BY_SOURCE"),
    ],
)
def test_only_the_last_clause_of_a_kind_may_have_no_condition(builder, method, kind):
    twice = getattr(getattr(builder, method)(), method)("id = 1")

    with pytest.raises(DeltaAnalysisException) as caught:
        twice.execute()
    assert caught.value.getCondition() == f"DELTA_NON_LAST_{kind}_CLAUSE_OMIT_CONDITION"


def test_update_of_nothing_for_all_rows_is_no_clause(builder, table):
    counts = builder.whenMatchedUpdate(set={}).whenMatchedDelete().execute().first()

    assert counts.asDict() == {
        "num_affected_rows": 2,
        "num_updated_rows": 0,
        "num_deleted_rows": 2,
        "num_inserted_rows": 0,
    }
    assert rows(table) == {0: 0, 1: 10, 2: 20}


def test_update_of_nothing_for_some_rows_keeps_them_from_later_clauses(builder, table):
    counts = builder.whenMatchedUpdate("s.id = 3", {}).whenMatchedDelete().execute().first()

    assert (counts.num_updated_rows, counts.num_deleted_rows) == (1, 1)
    assert rows(table) == {0: 0, 1: 10, 2: 20, 3: 30}


def test_all_kinds_of_clauses_in_one_version(builder, table):
    counts = (
        builder.whenMatchedUpdate("s.id = 3", {"v": "t.v + s.v"})
        .whenMatchedDelete()
        .whenNotMatchedInsert("s.id = 5", {"id": "s.id", "v": F.lit(-1)})
        .whenNotMatchedInsertAll()
        .whenNotMatchedBySourceUpdate("t.id = 0", {"v": F.col("t.v") - 5})
        .whenNotMatchedBySourceDelete("t.id = 1")
        .execute()
        .first()
    )

    assert rows(table) == {0: -5, 2: 20, 3: 330, 5: -1, 6: 600}
    assert tuple(counts) == (6, 2, 2, 2)
    last = table.history(1).first()
    assert (last["version"], last["operation"]) == (1, "MERGE")


def test_names_without_alias_where_they_are_not_in_doubt(spark, table):
    source = spark.range(2).withColumnRenamed("id", "k")

    table.merge(source, "id = k").whenMatchedUpdate(set={"v": "k + 1000"}).execute()

    assert rows(table) == {0: 1000, 1: 1001, 2: 20, 3: 30, 4: 40}


def test_table_of_the_catalog_is_called_by_its_name(spark, news):
    spark.sql("CREATE TABLE merged_by_name (id BIGINT, v BIGINT) USING delta")
    try:
        spark.sql("INSERT INTO merged_by_name VALUES (3, 1)")
        table = DeltaTable.forName(spark, "merged_by_name")
        for name in ("merged_by_name", "default.merged_by_name"):
            table.merge(news, f"{name}.id = s.id").whenMatchedUpdate(
                set={"v": f"{name}.v + 1"}
            ).execute()
        assert rows(table) == {3: 3}
    finally:
        spark.sql("DROP TABLE merged_by_name")


def test_columns_of_another_frame_are_not_those_of_the_table(spark, table, news):
    other = spark.read.format("delta").load(table.detail().first()["location"])
    merge = table.merge(news, other["id"] == news["id"])

    with pytest.raises(AnalysisException):
        merge.whenMatchedDelete().execute()


def test_table_merged_into_itself(table):
    source = table.toDF().where("id > 2").alias("s")

    merge = table.alias("t").merge(source, "t.id = s.id").whenMatchedUpdate(set={"v": "s.v + 1"})

    assert merge.execute().first().num_updated_rows == 2
    assert rows(table) == {0: 0, 1: 10, 2: 20, 3: 31, 4: 41}


def test_frame_of_the_table_reads_what_others_wrote(spark, table):
    frame = table.toDF()
    assert frame.count() == 5
    column = frame["id"]

    spark.sql(f"DELETE FROM delta.`{table.detail().first()['location']}` WHERE id = 1")
    table.delete(column == 2)

    assert table.toDF().count() == 3
    assert table.toDF().where(column > 2).count() == 2


def test_builder_can_be_run_again(builder, table):
    upsert = builder.whenMatchedUpdateAll().whenNotMatchedInsertAll()

    assert tuple(upsert.execute().first()) == (4, 2, 0, 2)
    assert tuple(upsert.execute().first()) == (4, 4, 0, 0)
    assert rows(table) == {0: 0, 1: 10, 2: 20, 3: 300, 4: 400, 5: 500, 6: 600}


def test_schema_evolution_takes_up_new_columns(table, news):
    more = news.withColumn("w", F.lit("new")).alias("s")
    merge = table.alias("t").merge(more, "t.id = s.id").whenNotMatchedInsertAll()

    merge.withSchemaEvolution().execute()

    assert table.toDF().columns == ["id", "v", "w"]
    assert table.toDF().where("w = 'new'").count() == 2
