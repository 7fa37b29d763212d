"""A shuffle before a write, so that few and large files are written: optimizeWrite."""

from collections.abc import Sequence

from pyspark.sql import DataFrame

from puredelta.engine.bridge.classes import static_method
from puredelta.engine.bridge.handles import items_of, sequence
from puredelta.engine.session.scala import new_case_class
from puredelta.engine.session.sessions import setting
from puredelta.engine.session.spark_objects import frame_of_plan
from puredelta.engine.write.cached_rows import is_local_relation

_REBALANCE = "org.apache.spark.sql.catalyst.plans.logical.RebalancePartitions"
_ADAPTIVE = "spark.sql.adaptive.enabled"


def rebalance(frame: DataFrame, partition_columns: Sequence[str], bin_bytes: int) -> DataFrame:
    """Return the rows of each partition of the table together, in parts of about a size.

    Spark joins small parts and splits large ones when it knows their sizes. Local
    relations are left as they are: the driver writes them, in few files.

    Args:
        frame: the rows to be written.
        partition_columns: the table's.
        bin_bytes: how many bytes a part should have, as they are shuffled.
    """
    # Only adaptive execution learns the sizes of parts.
    if is_local_relation(frame) or setting(frame.sparkSession, _ADAPTIVE, "true") != "true":
        return frame
    plan = frame._jdf.queryExecution().analyzed()
    by_name = {str(attribute.name()): attribute for attribute in items_of(plan.output())}
    columns = sequence([by_name[name] for name in partition_columns])
    none = static_method("scala.Option", "empty")()
    # py4j hands a small int over as an Integer, and the size has to be a Long.
    size = static_method("java.util.OptionalLong", "of")(bin_bytes)
    bin_size = static_method("scala.jdk.javaapi.OptionConverters", "toScala")(size)
    return frame_of_plan(
        frame.sparkSession, new_case_class(_REBALANCE, columns, plan, none, bin_size)
    )
