"""Rows of a query that are needed more than once and must be the same each time."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark import StorageLevel
from pyspark.sql import DataFrame

from puredelta.engine.bridge.classes import scala_object
from puredelta.engine.scala import new_case_class, sequence
from puredelta.engine.spark import frame_of_plan

_LOCAL = "org.apache.spark.sql.catalyst.plans.logical.LocalRelation"
_ROW = "org.apache.spark.sql.catalyst.InternalRow"


@contextmanager
def held(frame: DataFrame) -> Iterator[None]:
    """Keep a query's rows while a statement runs: a query run again may give others.

    Rows that the driver has already, and those that the user keeps, are left as they are.
    """
    level = frame.storageLevel
    if is_local(frame) or level.useMemory or level.useDisk:
        yield
        return
    frame.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        yield
    finally:
        frame.unpersist()


def is_local(frame: DataFrame) -> bool:
    """Say whether the rows of a query are on the driver already."""
    return _is_local(frame._jdf.queryExecution().optimizedPlan())


def local_plan(frame: DataFrame) -> Any | None:
    """Return the plan of the rows themselves, where the driver can tell them; else None.

    So it is for lists of values, and for a SELECT of values without FROM, for which Spark alone
    would run a job.

    Args:
        frame: the query.
    """
    plan = frame._jdf.queryExecution().optimizedPlan()
    if _kind(plan) == "Project" and _kind(plan.child()) == "OneRowRelation":
        nothing = sequence([scala_object(_ROW).empty()])
        one_row = new_case_class(_LOCAL, sequence([]), nothing)
        selected = frame_of_plan(frame.sparkSession, plan.withNewChildren(sequence([one_row])))
        plan = selected._jdf.queryExecution().optimizedPlan()
    return plan if _is_local(plan) else None


def _is_local(plan: Any) -> bool:
    return _kind(plan) == "LocalRelation"


def _kind(plan: Any) -> str:
    return str(plan.getClass().getSimpleName())
