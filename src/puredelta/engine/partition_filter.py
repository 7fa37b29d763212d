"""Which partitions a condition selects, by Spark's own evaluation on the driver."""

from collections.abc import Mapping, Sequence

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import LongType, StringType, StructField, StructType

from puredelta.engine.spark import frame_of_rows
from puredelta.errors.classes import DeltaAnalysisError

_PLACE = "__place"

Partition = tuple[str | None, ...]


def selected(
    session: SparkSession,
    condition: str,
    partitions: Sequence[Partition],
    columns: Sequence[StructField],
    all_columns: Sequence[str] = (),
) -> set[Partition]:
    """Return the partitions that a condition on partition columns is true for.

    Args:
        session: whose SQL the condition is in.
        condition: SQL over the partition columns.
        partitions: partition values as the log has them, in the order of the columns.
        columns: the partition columns with their types.
        all_columns: the names of all columns, to tell a data column from none at all.

    Raises:
        DeltaAnalysisError: PUREDELTA_REPLACE_WHERE_DATA_COLUMN when it names other columns.
    """
    names = [field.name for field in columns]
    rows = [
        {_PLACE: place, **dict(zip(names, values, strict=True))}
        for place, values in enumerate(partitions)
    ]
    texts = StructType(
        [StructField(_PLACE, LongType()), *(StructField(n, StringType()) for n in names)]
    )
    typed = [F.col(f"`{f.name}`").cast(f.dataType).alias(f.name) for f in columns]
    frame = frame_of_rows(session, rows, texts).select(_PLACE, *typed)
    kept = _kept(frame, condition, names, all_columns or names)
    return {partitions[row[0]] for row in kept.collect()}


def _kept(
    frame: DataFrame, condition: str, names: Sequence[str], all_columns: Sequence[str]
) -> DataFrame:
    try:
        return frame.where(F.expr(condition)).select(_PLACE)
    except ParseException as error:
        raise DeltaAnalysisError("DELTA_FAILED_RECOGNIZE_PREDICATE", predicate=condition) from error
    except AnalysisException as error:
        unknown = (error.getMessageParameters() or {}).get("objectName", "").strip("`")
        if unknown.lower() in {name.lower() for name in all_columns}:
            raise DeltaAnalysisError(
                "PUREDELTA_REPLACE_WHERE_DATA_COLUMN", condition=condition, columns=names
            ) from error
        raise


def partition_key(values: Mapping[str, str | None], columns: Sequence[str]) -> Partition:
    """Return a file's partition values in the order of the columns; '' means null."""
    return tuple(values.get(name) or None for name in columns)
