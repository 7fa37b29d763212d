"""Parts of plans that Spark resolved, read from other files of the same table.

A statement is resolved once, against the table. What was resolved then holds for each choice of
files of the version that the statement reads: their columns are the very same.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession

from puredelta.engine.bridge.classes import kind_of, new, scala_object, static_method
from puredelta.engine.bridge.handles import items_of, sequence
from puredelta.engine.catalyst.sql_conditions import in_names_of, with_fixed_time
from puredelta.engine.session.scala import copied
from puredelta.engine.session.spark_objects import frame_of_plan

_ALIAS = "org.apache.spark.sql.catalyst.expressions.Alias"
_PROJECT = "org.apache.spark.sql.catalyst.plans.logical.Project"
_NIL = "scala.collection.immutable.Nil"
_METADATA = "_metadata"
_PADDING = "readSidePadding"


def scan_of_target(session: SparkSession, plan: Any) -> DataFrame:
    """Return the target of a statement as a scan, for what Spark resolved of the statement.

    Args:
        session: where the statement runs.
        plan: the target.
    """
    scan = frame_of_plan(session, plan)
    known = items_of(plan.output())
    if [_id(attribute) for attribute in known] == [
        _id(attribute) for attribute in items_of(_analyzed(scan).output())
    ]:
        return scan
    # Spark pads CHAR columns where it reads them, and gives them new ids. They get the ids back
    # that the statement knows. The columns of the scan get others, as no id may mean two things.
    fresh = _analyzed(frame_of_plan(session, _renewed(plan)))
    return frame_of_plan(session, with_known_ids(fresh, known))


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


def _id(attribute: Any) -> int:
    return int(attribute.exprId().id())


def rebind_to_scan(rows: DataFrame, files: DataFrame) -> DataFrame:
    """Return the same view of a table, over some of its files.

    Conditions that were resolved against the one hold for the other.

    Args:
        rows: a scan of the table, with nothing but aliases, views and projections upon it.
        files: the scan of the files, as `file_subset.frame_of_files` makes it.
    """
    *_, scan = _chain(_analyzed(files))
    return frame_of_plan(rows.sparkSession, _over(_analyzed(rows), scan.relation()))


def _over(plan: Any, relation: Any) -> Any:
    inner = items_of(plan.children())
    if not inner:
        return copied(plan, relation=relation)
    if kind_of(plan) == "View":
        # A view hides the columns that name a row's file.
        return _over(inner[0], relation)
    made = plan.withNewChildren(sequence(_over(child, relation) for child in inner))
    return _seen_through(made) if kind_of(made) == "SubqueryAlias" else made


def _seen_through(alias: Any) -> Any:
    """Return an alias below which the hidden columns of files are still found.

    Before Spark 4.2 an alias hides them where a projection lies below it: one that pads CHAR
    columns, or that of a view. A projection gives the same columns under the same qualifier.
    """
    below = alias.child()
    if alias.metadataOutput().nonEmpty() or below.metadataOutput().isEmpty():
        return alias
    return new(_PROJECT, alias.output(), below)


def columns_analysed(rows: DataFrame) -> str:
    """Return the columns that a table had when a scan of it was resolved: names and types."""
    *_, leaf = _chain(_analyzed(rows))
    return str(leaf.relation().dataSchema().catalogString())


def is_view_of_rows(plan: Any) -> bool:
    """Say whether a resolved plan gives each row of the scan below it once: it is a plain view."""
    *outer, _ = _chain(plan)
    return all(kind_of(node) in {"SubqueryAlias", "View", "Project"} for node in outer)


def is_view_of_catalog(plan: Any) -> bool:
    """Say whether a resolved plan is a view that the catalog knows, not the session alone."""
    return any(kind_of(node) == "View" and not node.isTempView() for node in _chain(plan))


def keeps_names(rows: DataFrame) -> bool:
    """Say whether the columns of a table, or of a plain view of one, are the table's own."""
    chain = list(_chain(_analyzed(rows)))
    if not any(kind_of(node) == "View" for node in chain):
        return True
    projections = (node for node in chain if kind_of(node) == "Project")
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
    found = next(
        node for node in _chain(_analyzed(rows.where(condition))) if kind_of(node) == "Filter"
    )
    # Several queries evaluate the condition: the search for the affected rows, then their rewrite.
    # Each would have a current time of its own.
    named = in_names_of(found.condition(), found.child())
    return with_fixed_time(named, found.child())


def names_metadata(expression: Any) -> bool:
    """Return whether an expression names hidden columns of files, which each scan has itself."""
    return any(reference.name() == _METADATA for reference in items_of(expression.references()))


def _analyzed(rows: DataFrame) -> Any:
    return rows._jdf.queryExecution().analyzed()


def _chain(plan: Any) -> Iterator[Any]:
    """Yield a plan and the first child of each node, from the top down."""
    yield plan
    for inner in items_of(plan.children())[:1]:
        yield from _chain(inner)
