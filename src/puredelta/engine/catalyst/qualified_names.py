"""Frames under a name of several parts, as the tables of a catalog have them."""

from collections.abc import Sequence

from pyspark.sql import DataFrame

from puredelta.engine.bridge.classes import new, scala_object
from puredelta.engine.bridge.handles import sequence
from puredelta.engine.session.spark_objects import frame_of_plan

_CATALYST = "org.apache.spark.sql.catalyst"


def qualify(frame: DataFrame, name: Sequence[str]) -> DataFrame:
    """Return the same rows, whose columns are known under a name.

    Args:
        frame: the rows.
        name: its parts in order: `spark_catalog`, `default`, `t`; empty for none.
    """
    if not name:
        return frame
    *qualifier, last = name
    identifier = scala_object(f"{_CATALYST}.AliasIdentifier").apply(last, sequence(qualifier))
    plan = frame._jdf.queryExecution().analyzed()
    alias = new(f"{_CATALYST}.plans.logical.SubqueryAlias", identifier, plan)
    return frame_of_plan(frame.sparkSession, alias)
