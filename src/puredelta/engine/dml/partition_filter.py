"""Which partitions a condition selects, by Spark's own evaluation on the driver."""

from collections.abc import Mapping, Sequence

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import LongType, StringType, StructField, StructType

from puredelta.engine.session.spark_objects import frame_of_rows
from puredelta.schema.column_path import quote_name

_PLACE = "__puredelta_place"

Partition = tuple[str | None, ...]


def select_partitions(
    session: SparkSession,
    condition: str,
    partitions: Sequence[Partition],
    columns: Sequence[StructField],
) -> set[Partition]:
    """Return the partitions that a condition on partition columns is true for.

    Args:
        session: whose SQL the condition is in.
        condition: SQL over the partition columns.
        partitions: partition values as the log has them, in the order of the columns.
        columns: the partition columns with their types.
    """
    names = [field.name for field in columns]
    rows = [
        {_PLACE: place, **dict(zip(names, values, strict=True))}
        for place, values in enumerate(partitions)
    ]
    # Protocol: Partition Value Serialization. The log has strings, which Spark casts.
    texts = StructType(
        [StructField(_PLACE, LongType()), *(StructField(n, StringType()) for n in names)]
    )
    typed = [F.col(quote_name(f.name)).cast(f.dataType).alias(f.name) for f in columns]
    frame = frame_of_rows(session, rows, texts).select(_PLACE, *typed)
    # The position identifies a partition: its values may not survive the casts unchanged.
    kept = frame.where(F.expr(condition)).select(_PLACE)
    return {partitions[row[0]] for row in kept.collect()}


def partition_key(values: Mapping[str, str | None], columns: Sequence[str]) -> Partition:
    """Return a file's partition values in the order of the columns; '' means null."""
    return tuple(values.get(name) or None for name in columns)
