"""The plan of a batch as Spark asks for it: one of a stream."""

from pyspark.sql import DataFrame

from puredelta.engine.bridge.classes import new, scala_object
from puredelta.engine.session.spark_objects import frame_of_plan

_RELATION = "org.apache.spark.sql.execution.datasources.LogicalRelation"


def as_stream(frame: DataFrame) -> DataFrame:
    """Return a DataFrame that is a scan, marked as one of a stream.

    Spark refuses a batch without such a scan, and counts the rows that come out of it.

    Args:
        frame: a scan, and nothing on top of it.
    """
    scan = frame._jdf.queryExecution().analyzed()
    nothing = scala_object("scala.Option").empty()
    plan = new(_RELATION, scan.relation(), scan.output(), nothing, True, nothing)
    return frame_of_plan(frame.sparkSession, plan)
