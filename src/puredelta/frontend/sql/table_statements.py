"""Statements on a table that Spark parses and Python answers: what they show, and how they run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql.types import StringType, StructField, StructType

from puredelta.commands.show_partitions import ShowPartitions
from puredelta.commands.table_ref import TableRef
from puredelta.commands.truncate import Truncate
from puredelta.engine.context import Context

Rows = list[dict[str, Any]]

_NAMES = StructType([StructField("col_name", StringType())])


@dataclass(frozen=True, slots=True, kw_only=True)
class TableStatement:
    """How a statement is answered.

    Attributes:
        columns: of its result; asked when the statement is analysed, with Spark's plan of it.
        rows: runs it, with the plan too.
    """

    columns: Callable[[TableRef, Any], StructType]
    rows: Callable[[Context, TableRef, Any], Rows]


def _nothing(_table: TableRef, _plan: Any) -> StructType:
    return StructType([])


def _names(_table: TableRef, _plan: Any) -> StructType:
    return _NAMES


def _show_names(_context: Context, table: TableRef, _plan: Any) -> Rows:
    return [{"col_name": name} for name in table.log().latest().schema.names]


def _truncate(context: Context, table: TableRef, _plan: Any) -> Rows:
    Truncate(table=table).run(context)
    return []


def _partition_columns(table: TableRef, plan: Any) -> StructType:
    return ShowPartitions(table=table, wanted=_wanted(plan)).columns()


def _show_partitions(_context: Context, table: TableRef, plan: Any) -> Rows:
    return ShowPartitions(table=table, wanted=_wanted(plan)).rows()


def _wanted(plan: Any) -> Mapping[str, str | None]:
    """Read the clause PARTITION of a statement."""
    pattern = plan.pattern()
    if pattern.isEmpty():
        return {}
    found = {}
    pairs = pattern.get().spec().iterator()
    while pairs.hasNext():
        pair = pairs.next()
        found[str(pair._1())] = pair._2()
    return found


STATEMENTS: Mapping[str, TableStatement] = {
    "ShowColumns": TableStatement(columns=_names, rows=_show_names),
    "ShowPartitions": TableStatement(columns=_partition_columns, rows=_show_partitions),
    "TruncateTable": TableStatement(columns=_nothing, rows=_truncate),
}
"""By the name of Spark's plan."""
