"""The values of an identity column for the rows of a write, as Spark's own expressions.

Each task assigns values without knowing of the others: of k tasks task i assigns
`base + i * step`, `base + (i + k) * step`, and so on.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.bridge.classes import new, scala_object, static_method
from puredelta.engine.row_checks.rules import describe_violation
from puredelta.engine.session.scala import copied, new_case_class
from puredelta.engine.session.spark_objects import column_of
from puredelta.schema.column_path import quote_name
from puredelta.table.expressions.identity_columns import IdentityColumn

_CALLS = "org.apache.spark.sql.catalyst.expressions.objects"
_TYPES = "org.apache.spark.sql.types"
_TASK = "org.apache.spark.TaskContext"

# Spark's monotonically_increasing_id has the task above these bits and the row below.
_ROW_BITS = 33


def with_identity_values(column: IdentityColumn) -> Column:
    """Return the values of an identity column; the job fails when the column has none left.

    Rows that the driver computes itself are those of one task.

    Raises:
        DeltaArithmeticError: PUREDELTA_IDENTITY_OVERFLOW: not one number is left.
    """
    task = F.spark_partition_id().cast("bigint")
    row = F.monotonically_increasing_id() - F.shiftleft(task, _ROW_BITS)
    place = row * _tasks().cast("bigint") + task
    # An overflow must not wrap to a number that another row has. It becomes null here, and then our
    # error.
    way = F.try_multiply(F.lit(column.step).cast("bigint"), place)
    value = F.try_add(F.lit(column.base).cast("bigint"), way)
    none_left = describe_violation("PUREDELTA_IDENTITY_OVERFLOW", colName=column.name)
    return F.coalesce(value, F.raise_error(none_left).cast("bigint"))


def bounds_in_files(
    session: SparkSession, paths: Sequence[str], name: str, options: Mapping[str, str]
) -> tuple[int, int]:
    """Read the minimum and the maximum of a column in files whose footers do not have them.

    Args:
        session: runs the job.
        paths: the files, as Hadoop names them.
        name: of the column in the files.
        options: of the table's file system.
    """
    schema = f"{quote_name(name)} BIGINT"
    found = bounds_of(session.read.options(**options).schema(schema).parquet(*paths), name)
    assert found is not None  # noqa: S101  # files of rows that all have a number
    return found


def bounds_of(rows: DataFrame, name: str) -> tuple[int, int] | None:
    """Return the minimum and the maximum of a column; None where no row has a value."""
    column = F.col(quote_name(name))
    [found] = rows.agg(F.min(column), F.max(column)).collect()
    return None if found[0] is None else (found[0], found[1])


def _tasks() -> Column:
    """Return how many tasks compute the rows; Spark has no function for that."""
    return F.coalesce(column_of(_task_count()), F.lit(1))


def _task_count() -> Any:
    """Return a call of `TaskContext.get().numPartitions()`, null outside of tasks."""
    kind = static_method("java.lang.Class", "forName")(_TASK)
    task = new_case_class(f"{_CALLS}.StaticInvoke", kind, new(f"{_TYPES}.ObjectType", kind), "get")
    integer = scala_object(f"{_TYPES}.IntegerType")
    count = new_case_class(f"{_CALLS}.Invoke", _varying(task), "numPartitions", integer)
    return _varying(count)


def _varying(call: Any) -> Any:
    """Return a call that Spark does not evaluate ahead of the rows."""
    return copied(call, isDeterministic=False)
