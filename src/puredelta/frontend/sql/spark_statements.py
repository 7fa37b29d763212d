"""Statements on a table that Spark parses and Python answers: what they show, and how they run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql.types import StringType, StructField, StructType

from puredelta.commands.alter.set_location import SetLocation
from puredelta.commands.dml.truncate import Truncate
from puredelta.commands.show_partitions import ShowPartitions
from puredelta.commands.table_ref import TableRef
from puredelta.engine.bridge.handles import items_of
from puredelta.engine.session.context import Context
from puredelta.engine.session.sessions import time_zone
from puredelta.frontend.catalog import alter_table
from puredelta.frontend.sql import (
    constraint_commands,
    describe_commands,
    dml_commands,
    merge_command,
)
from puredelta.schema.changes import find_column_position

Rows = list[dict[str, Any]]

_NAMES = StructType([StructField("col_name", StringType())])


@dataclass(frozen=True, slots=True, kw_only=True)
class TableStatement:
    """How a statement is answered.

    Attributes:
        columns: of its result; asked when the statement is analysed, with Spark's plan of it.
        rows: runs it, with the plan too.
        takes: is this one ours? The others are left to Spark.
        describes: it describes columns alone, which the folder of one partition has, too.
    """

    columns: Callable[[TableRef, Any], StructType]
    rows: Callable[[Context, TableRef, Any], Rows]
    takes: Callable[[TableRef, Any], bool] = lambda _table, _plan: True
    describes: bool = False


def _nothing(_table: TableRef, _plan: Any) -> StructType:
    return StructType([])


def _names(_table: TableRef, _plan: Any) -> StructType:
    return _NAMES


def _show_names(_context: Context, table: TableRef, _plan: Any) -> Rows:
    return [{"col_name": name} for name in table.log().latest().schema.names]


def _truncate(context: Context, table: TableRef, _plan: Any) -> Rows:
    Truncate(table=table).run(context)
    return []


def _alter(context: Context, table: TableRef, plan: Any) -> Rows:
    alter_table.alter(context, table, items_of(plan.changes()))
    return []


def _sets_not_null(table: TableRef, plan: Any) -> bool:
    """Spark refuses NOT NULL for a column that may be null, whatever is in it."""
    if not plan.resolved():
        return False
    specs = items_of(plan.specs())
    # Before it is optimized, the plan cannot tell us its defaults: Spark must run it.
    if any(spec.newDefaultExpression().isDefined() for spec in specs):
        return False
    set_by = [change for change in specs if change.newNullability().isDefined()]
    paths = [_names_of(change.column()) for change in set_by if not change.newNullability().get()]
    schema = table.log().latest().schema if paths else None
    return any(schema and find_column_position(schema, path).field.nullable for path in paths)


def _names_of(column: Any) -> tuple[str, ...]:
    """Return the path of a column that Spark resolved."""
    return tuple(str(part) for part in items_of(column.name()))


def _set_location(context: Context, table: TableRef, plan: Any) -> Rows:
    entry = plan.table().identifier()
    database = [*entry.namespace()][-1]
    command = SetLocation(
        table=table, database=str(database), entry=str(entry.name()), location=str(plan.location())
    )
    command.run(context)
    return []


def _is_of_the_table(_table: TableRef, plan: Any) -> bool:
    """Spark refuses to move one partition."""
    return bool(plan.partitionSpec().isEmpty())


def _changes_case_only(_table: TableRef, plan: Any) -> bool:
    """Spark takes the column itself for another one that has the new name already."""
    if not plan.resolved():
        return False
    [change] = items_of(plan.changes())
    old, new = alter_table.path_of(change)[-1], str(change.newName())
    return old != new and old.lower() == new.lower()


def _partition_columns(table: TableRef, plan: Any) -> StructType:
    return ShowPartitions(table=table, wanted=_wanted(plan)).columns()


def _show_partitions(context: Context, table: TableRef, plan: Any) -> Rows:
    zone = time_zone(context.session)
    return ShowPartitions(table=table, wanted=_wanted(plan)).rows(zone)


def _wanted(plan: Any) -> Mapping[str, str | None]:
    """Read the clause PARTITION of a statement."""
    pattern = plan.pattern()
    if pattern.isEmpty():
        return {}
    return {str(pair._1()): pair._2() for pair in items_of(pattern.get().spec())}


STATEMENTS: Mapping[str, TableStatement] = {
    "AddCheckConstraint": TableStatement(columns=_nothing, rows=constraint_commands.add_constraint),
    "DropConstraint": TableStatement(columns=_nothing, rows=constraint_commands.drop_constraint),
    "DeleteFromTable": TableStatement(
        columns=dml_commands.affected, rows=dml_commands.delete, takes=dml_commands.is_ready
    ),
    "DescribeColumn": TableStatement(
        columns=describe_commands.columns,
        rows=describe_commands.describe_column,
        takes=describe_commands.describes_generated_column,
        describes=True,
    ),
    "DescribeRelation": TableStatement(
        columns=describe_commands.columns,
        rows=describe_commands.describe_table,
        takes=describe_commands.describes_generated_table,
        describes=True,
    ),
    "AlterColumns": TableStatement(columns=_nothing, rows=_alter, takes=_sets_not_null),
    "RenameColumn": TableStatement(columns=_nothing, rows=_alter, takes=_changes_case_only),
    "MergeIntoTable": TableStatement(
        columns=merge_command.merge_columns,
        rows=merge_command.run_merge,
        takes=merge_command.takes_merge,
    ),
    "SetTableLocation": TableStatement(
        columns=_nothing, rows=_set_location, takes=_is_of_the_table
    ),
    "ShowCreateTable": TableStatement(
        columns=describe_commands.columns,
        rows=describe_commands.show_create_table,
        takes=describe_commands.shows_creation,
    ),
    "ShowColumns": TableStatement(columns=_names, rows=_show_names),
    "ShowPartitions": TableStatement(columns=_partition_columns, rows=_show_partitions),
    "TruncateTable": TableStatement(columns=_nothing, rows=_truncate),
    "UpdateTable": TableStatement(
        columns=dml_commands.affected, rows=dml_commands.update, takes=dml_commands.is_ready
    ),
}
"""By the name of Spark's plan."""
