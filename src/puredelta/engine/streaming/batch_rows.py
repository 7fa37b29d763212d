"""The rows of a batch, computed by the query's own execution."""

import json
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from puredelta.engine.bridge.classes import static_method

# Spark marks columns in this way while a query runs. As a part of a table's schema the mark would
# give every stream that reads the table a watermark that nothing moves on.
_WATERMARK = "spark.watermarkDelayMs"


def rows_of_batch(session: SparkSession, jvm_data: Any) -> DataFrame:
    """Return the rows of a batch as an ordinary DataFrame, which each action computes again.

    The query's own execution knows state and watermark. A frame that is derived from the batch
    would be planned anew, without them, so the rows are taken from the execution itself.

    Args:
        session: the session of the query.
        jvm_data: what Spark gave to the sink.
    """
    schema = json.loads(jvm_data.schema().json())
    for field in schema["fields"]:
        field["metadata"].pop(_WATERMARK, None)
    jvm_schema = static_method("org.apache.spark.sql.types.DataType", "fromJson")(
        json.dumps(schema)
    )
    rows = jvm_data.queryExecution().toRdd()
    return DataFrame(
        session._jsparkSession.internalCreateDataFrame(rows, jvm_schema, False), session
    )
