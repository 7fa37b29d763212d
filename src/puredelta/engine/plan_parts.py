"""Parts of plans that Spark resolved, read from other files of the same table.

A statement is resolved once, against the table. What was resolved then holds for each choice of
files of the version that the statement reads: their columns are the very same.
"""

from typing import Any

from pyspark.sql import Column, DataFrame

from puredelta.engine.bridge.classes import new
from puredelta.engine.scala import copied, items_of, sequence
from puredelta.engine.spark import column_of, frame_of_plan

_FILTER = "org.apache.spark.sql.catalyst.plans.logical.Filter"


def read_from(rows: DataFrame, files: DataFrame) -> DataFrame:
    """Return the same view of a table, over some of its files.

    Conditions that were resolved against the one hold for the other.

    Args:
        rows: a scan of the table, with nothing but aliases, views and projections upon it.
        files: the scan of the files, as `file_subset.frame_of_files` makes it.
    """
    relation = files._jdf.queryExecution().analyzed().relation()
    plan = _over(rows._jdf.queryExecution().analyzed(), relation)
    return frame_of_plan(rows.sparkSession, plan)


def _over(plan: Any, relation: Any) -> Any:
    inner = items_of(plan.children())
    if not inner:
        return copied(plan, relation=relation)
    if plan.getClass().getSimpleName() == "View":
        # A view hides the columns that tell a row's file.
        return _over(inner[0], relation)
    return plan.withNewChildren(sequence(_over(one, relation) for one in inner))


def resolved_condition(rows: DataFrame, condition: Column) -> Any:
    """Return the Catalyst expression of a condition, resolved against a scan.

    Raises:
        AnalysisException: Spark's, for a condition that it cannot resolve.
    """
    return rows.where(condition)._jdf.queryExecution().analyzed().condition()


def filtered(rows: DataFrame, expression: Any) -> DataFrame:
    """Return the rows for which a resolved condition is true."""
    plan = new(_FILTER, expression, rows._jdf.queryExecution().analyzed())
    return frame_of_plan(rows.sparkSession, plan)


def resolved_column(expression: Any) -> Column:
    """Return a resolved expression as a column of the scan that it was resolved against."""
    return column_of(expression)
