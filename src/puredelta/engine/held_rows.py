"""Rows of a query that are needed more than once and must be the same each time."""

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark import StorageLevel
from pyspark.sql import DataFrame


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
    plan = frame._jdf.queryExecution().optimizedPlan()
    return bool(plan.getClass().getSimpleName() == "LocalRelation")
