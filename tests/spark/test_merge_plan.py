"""The plan of a MERGE: which strategy it shows, and what it then runs."""

import pytest
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.merge.dry_run import merge_plan
from puredelta.commands.merge.merge import Merge
from puredelta.commands.merge.request import DeleteClause, InsertClause, MergeClauses
from puredelta.engine.session.context import context_of
from puredelta.frontend.catalog.lookup import find_by_name, parse_name
from puredelta.settings import SEARCH_ON_DRIVER


@pytest.mark.parametrize(
    ("properties", "clauses", "by_job", "by_keys"),
    [
        (
            "",
            MergeClauses(matched=(DeleteClause(),)),
            "find affected rows; rewrite their files",
            "find matches by key in the driver; rewrite their files",
        ),
        (
            "'delta.enableDeletionVectors' = 'true'",
            MergeClauses(matched=(DeleteClause(),)),
            "find affected rows; mark rows in deletion vectors",
            "find matches by key in the driver; mark rows in deletion vectors",
        ),
        (
            "",
            MergeClauses(not_matched=(InsertClause(),)),
            "insert by anti-join with the matches",
            "find matches by key in the driver; insert source rows that the search does not list",
        ),
    ],
)
def test_plan_shows_the_strategy(spark, table_name, properties, clauses, by_job, by_keys):
    shown = f"TBLPROPERTIES ({properties})" if properties else ""
    spark.sql(f"CREATE TABLE {table_name} USING delta {shown} AS SELECT 1 AS id, 'x' AS v")
    merge = Merge(
        table=find_by_name(spark, parse_name(spark, table_name)).table,
        source=spark.sql("SELECT 1 AS id, 'y' AS v").alias("s"),
        condition=F.expr("t.id = s.id"),
        clauses=clauses,
        alias=("t",),
    )

    assert merge_plan(merge, context_of(spark)).strategy == by_keys
    spark.conf.set(SEARCH_ON_DRIVER, "0")
    try:
        assert merge_plan(merge, context_of(spark)).strategy == by_job
    finally:
        spark.conf.unset(SEARCH_ON_DRIVER)
