"""Rows of a query that are needed more than once and must be the same each time."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from pyspark import StorageLevel
from pyspark.sql import DataFrame

from puredelta.engine.bridge.classes import kind_of, scala_object
from puredelta.engine.bridge.handles import items_of, sequence
from puredelta.engine.catalyst.plan_rebinding import with_known_ids
from puredelta.engine.session.scala import new_case_class
from puredelta.engine.session.spark_objects import frame_of_plan

_LOCAL = "org.apache.spark.sql.catalyst.plans.logical.LocalRelation"
_ROW = "org.apache.spark.sql.catalyst.InternalRow"

_COMPRESSED = "spark.sql.inMemoryColumnarStorage.compressed"
# Two threads that cache rows of one session must not put back the value that the other has set.
_keeping = Lock()


@contextmanager
def cached(frame: DataFrame) -> Iterator[DataFrame]:
    """Keep a query's rows while a statement runs: a query run again may give others.

    Local relations, and rows that the user has cached, are not cached again.

    Args:
        frame: the query.

    Yields:
        Its rows, under the same columns.
    """
    planned = replan(frame)
    if is_local_relation(planned):
        yield frame
        return
    rows, level = frozen_plan(planned), frame.storageLevel
    if level.useMemory or level.useDisk:
        yield rows
        return
    cache(rows)
    try:
        yield rows
    finally:
        rows.unpersist()


def cache(rows: DataFrame) -> None:
    """Keep a query's rows from its first use on, until they are unpersisted.

    They are not compressed: to do it takes longer than a statement gains by it.

    Args:
        rows: the query.
    """
    session = rows.sparkSession
    with _keeping:
        # A setting that the session does not have is unset again; a put-back default would count as
        # the user's choice.
        is_set = session._jsparkSession.sessionState().conf().contains(_COMPRESSED)
        before = session.conf.get(_COMPRESSED) if is_set else None
        session.conf.set(_COMPRESSED, "false")
        try:
            # Spark copies the settings for what it keeps.
            rows.persist(StorageLevel.MEMORY_AND_DISK)
        finally:
            if before is None:
                session.conf.unset(_COMPRESSED)
            else:
                session.conf.set(_COMPRESSED, before)


def frozen_plan(frame: DataFrame) -> DataFrame:
    """Return a query's rows under the same columns, from what it is planned to read now.

    Spark plans a cached query again after a write to a table that it reads, and drops its rows
    together with those of any other query of the same plan. The rows of the result stay.

    Args:
        frame: the query, as `replan` gives it.
    """
    session, execution = frame.sparkSession, frame._jdf.queryExecution()
    if not execution.observedMetrics().isEmpty():
        # An observer of a query is notified when an action of the query ends. `toRdd` is none.
        return frame.localCheckpoint()
    made = session._jsparkSession.internalCreateDataFrame(
        execution.toRdd(), frame._jdf.schema(), False
    )
    known = items_of(execution.analyzed().output())
    return frame_of_plan(session, with_known_ids(made.queryExecution().analyzed(), known))


def is_local_relation(frame: DataFrame) -> bool:
    """Return whether a query is a local relation: its rows are in the driver's memory."""
    return _is_local(frame._jdf.queryExecution().optimizedPlan())


def local_plan(frame: DataFrame) -> Any | None:
    """Return the plan of the rows themselves, where the driver can compute them; else None.

    So it is for lists of values, and for a SELECT of values without FROM, for which Spark alone
    would run a job.

    Args:
        frame: the query.
    """
    plan = frame._jdf.queryExecution().optimizedPlan()
    if kind_of(plan) == "Project" and kind_of(plan.child()) == "OneRowRelation":
        nothing = sequence([scala_object(_ROW).empty()])
        one_row = new_case_class(_LOCAL, sequence([]), nothing)
        selected = frame_of_plan(frame.sparkSession, plan.withNewChildren(sequence([one_row])))
        plan = selected._jdf.queryExecution().optimizedPlan()
    return plan if _is_local(plan) else None


def replan(frame: DataFrame) -> DataFrame:
    """Return a query with a plan of its own: the one that a frame keeps is as old as its first use.

    Its tables are read in the versions of that time.
    """
    return frame_of_plan(frame.sparkSession, frame._jdf.queryExecution().analyzed())


def _is_local(plan: Any) -> bool:
    return kind_of(plan) == "LocalRelation"
