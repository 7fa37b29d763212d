"""Whether a query, a subquery or an expression reads a table of ours."""

from collections.abc import Iterable
from typing import Any

from pyspark.sql import Column, DataFrame

from puredelta.engine.bridge.classes import new, static_method
from puredelta.engine.bridge.handles import items_of, sequence
from puredelta.engine.session.spark_objects import expression_of

_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions"
_PLANS = "org.apache.spark.sql.catalyst.plans.logical"


def plan_reads_table(frame: DataFrame, root: str) -> bool:
    """Say whether a DataFrame's query reads a table, also in a subquery.

    Args:
        frame: the query.
        root: the table's folder, as Hadoop names it.
    """
    return _reads(frame._jdf.queryExecution().analyzed(), root)


def subqueries_read(frame: DataFrame, root: str) -> bool:
    """Say whether a subquery of a DataFrame's query reads a table; see `plan_reads_table`."""
    plan = frame._jdf.queryExecution().analyzed()
    return any(_reads(subquery, root) for subquery in items_of(plan.subqueriesAll()))


def expressions_read(columns: Iterable[Column], root: str) -> bool:
    """Say whether a subquery in resolved expressions reads a table; see `plan_reads_table`."""
    # Spark looks for subqueries in plans only, so the expressions become the condition of a filter:
    # all of them together, because each plan would be a call. It is never run.
    together = new(f"{_EXPRESSIONS}.Coalesce", sequence(map(expression_of, columns)))
    plan = new(f"{_PLANS}.Filter", together, new(f"{_PLANS}.OneRowRelation"))
    return any(_reads(inner, root) for inner in items_of(plan.subqueriesAll()))


def _reads(plan: Any, root: str) -> bool:
    return root in items_of(static_method("puredelta.TableScans", "rootsIn")(plan))
