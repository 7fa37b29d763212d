"""DESCRIBE of tables with generated columns, and SHOW CREATE TABLE."""

import json
from typing import Any

from pyspark.sql.types import StructType

from puredelta.commands.table_ref import TableRef
from puredelta.engine.bridge.classes import kind_of, new
from puredelta.engine.bridge.jvm_parts import Py4JError
from puredelta.engine.session.context import Context
from puredelta.engine.session.spark_objects import frame_of_plan
from puredelta.frontend.catalog.show_create import create_statement
from puredelta.schema.changes import find_column_position
from puredelta.schema.datatypes import simple_string
from puredelta.table.expressions.generation_clauses import generation_clause, generation_clauses

Rows = list[dict[str, Any]]

_SECTION = "# Generated Columns"
# Spark's class of a column that it has found.
_COLUMN = "AttributeReference"
_CATALOG_CHOSE = "is_managed_location"


def columns(_table: TableRef, plan: Any) -> StructType:
    """Return the columns of a statement's result, as Spark has them."""
    return StructType.fromJson(json.loads(plan.schema().json()))


def shows_creation(_table: TableRef, plan: Any) -> bool:
    """Spark has an answer of its own to AS SERDE."""
    return not plan.asSerde()


def show_create_table(_context: Context, table: TableRef, plan: Any) -> Rows:
    """Answer SHOW CREATE TABLE."""
    found = plan.child()
    entry = found.table().properties()
    if table.name is None:
        name, location = ["delta", table.root], None
    else:
        identifier = found.identifier()
        name = [found.catalog().name(), *identifier.namespace(), identifier.name()]
        location = None if entry.get(_CATALOG_CHOSE) == "true" else table.root
    return [{"createtab_stmt": create_statement(name, table.log().latest(), location)}]


def describes_generated_table(table: TableRef, plan: Any) -> bool:
    """Spark describes all other tables, and partitions."""
    return (
        not _is_for_spark(plan)
        and not _is_about_a_partition(plan)
        and bool(generation_clauses(table.log().latest().schema))
    )


def describe_table(context: Context, table: TableRef, plan: Any) -> Rows:
    """Answer DESCRIBE: what Spark says, and how columns are generated."""
    schema = table.log().latest().schema
    clauses = generation_clauses(schema)
    rows = [
        (field.name, simple_string(field.data_type), clauses[field.name])
        for field in schema
        if field.name in clauses
    ]
    section = [("", "", ""), (_SECTION, "", ""), ("# col_name", "data_type", "generated"), *rows]
    names = ("col_name", "data_type", "comment")
    return [*_from_spark(context, plan), *(dict(zip(names, row, strict=True)) for row in section)]


def describes_generated_column(table: TableRef, plan: Any) -> bool:
    """Spark describes all other columns."""
    return not _is_for_spark(plan) and _clause_of(table, plan) is not None


def describe_column(context: Context, table: TableRef, plan: Any) -> Rows:
    """Answer DESCRIBE of one column: what Spark says, and how the column is generated."""
    rows = {"info_name": "generated", "info_value": _clause_of(table, plan)}
    return [*_from_spark(context, plan), rows]


def _is_about_a_partition(plan: Any) -> bool:
    try:
        return not plan.partitionSpec().isEmpty()
    except Py4JError:
        # Newer Sparks have another plan for it.
        return False


def _clause_of(table: TableRef, plan: Any) -> str | None:
    column = plan.column()
    if kind_of(column) != _COLUMN:
        return None
    found = find_column_position(table.log().latest().schema, (str(column.name()),))
    return generation_clause(found.field)


def _from_spark(context: Context, plan: Any) -> Rows:
    """Run a statement as Spark does, which must not ask us again."""
    plan.setTagValue(_tag(), True)
    try:
        return [row.asDict() for row in frame_of_plan(context.session, plan).collect()]
    finally:
        plan.unsetTagValue(_tag())


def _is_for_spark(plan: Any) -> bool:
    return bool(plan.getTagValue(_tag()).isDefined())


def _tag() -> Any:
    return new("org.apache.spark.sql.catalyst.trees.TreeNodeTag", "puredelta.describes")
