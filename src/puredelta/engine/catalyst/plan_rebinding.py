"""Parts of plans that Spark resolved, read from other files of the same table.

A statement is resolved once, against the table. What was resolved then holds for each choice of
files of the version that the statement reads: their columns are the very same.
"""

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession

from puredelta.engine.bridge.classes import kind_of, new, scala_object, static_method
from puredelta.engine.bridge.handles import each_of, first_children, items_of, sequence
from puredelta.engine.catalyst.sql_conditions import in_names_of, with_fixed_time
from puredelta.engine.session.spark_objects import frame_of_plan

_ALIAS = "org.apache.spark.sql.catalyst.expressions.Alias"
_PROJECT = "org.apache.spark.sql.catalyst.plans.logical.Project"
_SCANS = "puredelta.TableScans"
_NIL = "scala.collection.immutable.Nil"
_METADATA = "_metadata"
_PADDING = "readSidePadding"
_OF_FILES = "input_file_"


def scan_of_target(session: SparkSession, plan: Any) -> DataFrame:
    """Return the target of a statement as a scan, for what Spark resolved of the statement.

    Args:
        session: where the statement runs.
        plan: the target.
    """
    scan = frame_of_plan(session, plan)
    if _column_ids(plan) == _column_ids(_analyzed(scan)):
        return scan
    # Spark pads CHAR columns where it reads them, and gives them new ids. They get the ids back
    # that the statement knows. The columns of the scan get others, as no id may mean two things.
    fresh = _analyzed(frame_of_plan(session, _renewed(plan)))
    return frame_of_plan(session, with_known_ids(fresh, items_of(plan.output())))


def with_known_ids(plan: Any, known: Sequence[Any]) -> Any:
    """Return a plan whose columns are those that others know already.

    Args:
        plan: the plan.
        known: attributes, in the order of its columns.
    """
    nothing = (static_method("scala.Option", "empty")(), scala_object(_NIL))
    columns = [
        new(_ALIAS, attribute, old.name(), old.exprId(), old.qualifier(), *nothing)
        for attribute, old in zip(items_of(plan.output()), known, strict=True)
    ]
    return new(_PROJECT, sequence(columns), plan)


def _renewed(plan: Any) -> Any:
    """Return a plan whose columns have ids that no other plan has."""
    inner = items_of(plan.children())
    if not inner:
        return plan.newInstance()
    return plan.withNewChildren(sequence(map(_renewed, inner)))


def _column_ids(plan: Any) -> list[int]:
    return each_of(plan.output(), "exprId", "id")


def rebind_to_scan(rows: DataFrame, files: DataFrame) -> DataFrame:
    """Return the same view of a table, over some of its files.

    Conditions that were resolved against the one hold for the other.

    Args:
        rows: a scan of the table, with nothing but aliases, views and projections upon it.
        files: the scan of the files, as `file_subset.frame_of_files` makes it.
    """
    rebound = static_method(_SCANS, "rebound")(_analyzed(rows), _analyzed(files))
    return frame_of_plan(rows.sparkSession, rebound)


def columns_analysed(rows: DataFrame) -> str:
    """Return the columns that a table had when a scan of it was resolved: names and types."""
    return str(static_method(_SCANS, "columns")(_analyzed(rows)))


def is_view_of_rows(plan: Any) -> bool:
    """Say whether a resolved plan gives each row of the scan below it once: it is a plain view."""
    *outer, _ = first_children(plan)
    return all(kind in {"SubqueryAlias", "View", "Project"} for kind, _ in outer)


def is_view_of_catalog(plan: Any) -> bool:
    """Say whether a resolved plan is a view that the catalog knows, not the session alone."""
    return any(kind == "View" and not node.isTempView() for kind, node in first_children(plan))


def keeps_names(rows: DataFrame) -> bool:
    """Say whether the columns of a table, or of a plain view of one, are the table's own."""
    chain = first_children(_analyzed(rows))
    if not any(kind == "View" for kind, _ in chain):
        return True
    projections = (node for kind, node in chain if kind == "Project")
    return all(_is_passed_on(item) for node in projections for item in items_of(node.projectList()))


def _is_passed_on(item: Any) -> bool:
    """Say whether an item of a SELECT is a column under its own name.

    Views cast it to its type, and CHAR columns are padded.
    """
    if kind_of(item) != "Alias":
        return True
    value = item.child()
    while kind_of(value) == "Cast" and value.dataType().equals(value.child().dataType()):
        value = value.child()
    if kind_of(value) == "StaticInvoke" and value.functionName() == _PADDING:
        value = value.arguments().head()
    return kind_of(value) == "AttributeReference" and value.name() == item.name()


def resolved_condition(rows: DataFrame, condition: Column) -> Any:
    """Return the Catalyst expression of a condition, resolved against a scan.

    The current time in it is fixed to that of this call.

    Raises:
        AnalysisException: Spark's, for a condition that it cannot resolve.
    """
    chain = first_children(_analyzed(rows.where(condition)))
    found = next(node for kind, node in chain if kind == "Filter")
    # Several queries evaluate the condition: the search for the affected rows, then their rewrite.
    # Each would have a current time of its own.
    named = in_names_of(found.condition(), found.child())
    return with_fixed_time(named, found.child())


def asks_for_files(rows: DataFrame) -> bool:
    """Say whether what a query selects depends on the files that its rows lie in.

    Args:
        rows: a projection.
    """
    # A column may have such a name, too; then the answer is on the safe side.
    return any(_OF_FILES in text for text in each_of(_analyzed(rows).expressions(), "sql"))


def names_metadata(expression: Any) -> bool:
    """Return whether an expression names hidden columns of files, which each scan has itself."""
    return _METADATA in each_of(expression.references(), "name")


def _analyzed(rows: DataFrame) -> Any:
    return rows._jdf.queryExecution().analyzed()
