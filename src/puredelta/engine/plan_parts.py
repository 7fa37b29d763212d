"""Parts of plans that Spark resolved, read from other files of the same table.

A statement is resolved once, against the table. What was resolved then holds for each choice of
files of the version that the statement reads: their columns are the very same.
"""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession

from puredelta.engine.bridge.classes import scala_object
from puredelta.engine.scala import copied, items_of, sequence
from puredelta.engine.spark import frame_of_plan

_ONE_TIME = "org.apache.spark.sql.catalyst.optimizer.ComputeCurrentTime"
_METADATA = "_metadata"


def scan_of_target(session: SparkSession, plan: Any) -> DataFrame:
    """Return the target of a statement as a scan, for what Spark resolved of the statement.

    Spark pads CHAR columns where it reads them and gives them new ids then; they keep theirs here.

    Args:
        session: where the statement runs.
        plan: the target.
    """
    known = {one.exprId().id() for one in items_of(plan.output())}
    analyzed = _analyzed(frame_of_plan(session, plan))
    return frame_of_plan(session, _with_ids(analyzed, known))


def _with_ids(plan: Any, known: set[int]) -> Any:
    if _name(plan) == "Project":
        items = [_with_id(item, known) for item in items_of(plan.projectList())]
        return copied(plan, projectList=sequence(items))
    inner = items_of(plan.children())
    return plan.withNewChildren(sequence(_with_ids(one, known) for one in inner)) if inner else plan


def _with_id(item: Any, known: set[int]) -> Any:
    """Give a column that was computed from a known one of its name the id of that one."""
    if _name(item) != "Alias" or item.exprId().id() in known:
        return item
    for one in items_of(item.child().references()):
        if one.name() == item.name() and one.exprId().id() in known:
            rest = (item.qualifier(), item.explicitMetadata(), item.nonInheritableMetadataKeys())
            return item.copy(item.child(), item.name(), one.exprId(), *rest)
    return item


def read_from(rows: DataFrame, files: DataFrame) -> DataFrame:
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
    if _name(plan) == "View":
        # A view hides the columns that tell a row's file.
        return _over(inner[0], relation)
    return plan.withNewChildren(sequence(_over(one, relation) for one in inner))


def columns_analysed(rows: DataFrame) -> str:
    """Return the columns that a table had when a scan of it was resolved: names and types."""
    *_, leaf = _chain(_analyzed(rows))
    return str(leaf.relation().dataSchema().catalogString())


def is_view_of_rows(plan: Any) -> bool:
    """Say whether a resolved plan gives each row of the scan below it once: it is a plain view."""
    *outer, _ = _chain(plan)
    return all(_name(node) in {"SubqueryAlias", "View", "Project"} for node in outer)


def is_view_of_catalog(plan: Any) -> bool:
    """Say whether a resolved plan is a view that the catalog knows, not the session alone."""
    return any(_name(node) == "View" and not node.isTempView() for node in _chain(plan))


def keeps_names(rows: DataFrame) -> bool:
    """Say whether columns of a plain view are those of the table that have their names."""
    projections = (node for node in _chain(_analyzed(rows)) if _name(node) == "Project")
    return all(_is_passed_on(item) for node in projections for item in items_of(node.projectList()))


def _is_passed_on(item: Any) -> bool:
    """Say whether an item of a SELECT is a column under its own name.

    Views cast it to its type, and CHAR columns are padded under the same id.
    """
    if _name(item) != "Alias":
        return True
    value = item.child()
    if item.exprId().id() in {one.exprId().id() for one in items_of(value.references())}:
        return True
    while _name(value) == "Cast" and value.dataType().equals(value.child().dataType()):
        value = value.child()
    return _name(value) == "AttributeReference" and value.name() == item.name()


def resolved_condition(rows: DataFrame, condition: Column) -> Any:
    """Return the Catalyst expression of a condition, resolved against a scan.

    What it says of the current time is the time of this call from here on.

    Raises:
        AnalysisException: Spark's, for a condition that it cannot resolve.
    """
    fixed = scala_object(_ONE_TIME).apply(_analyzed(rows.where(condition)))
    return next(node.condition() for node in _chain(fixed) if _name(node) == "Filter")


def names_metadata(expression: Any) -> bool:
    """Say whether an expression is about the hidden columns of files, as each scan has its own."""
    return any(one.name() == _METADATA for one in items_of(expression.references()))


def _analyzed(rows: DataFrame) -> Any:
    return rows._jdf.queryExecution().analyzed()


def _chain(plan: Any) -> Iterator[Any]:
    """Yield a plan and what lies below it, one upon the other."""
    yield plan
    for inner in items_of(plan.children())[:1]:
        yield from _chain(inner)


def _name(node: Any) -> str:
    return str(node.getClass().getSimpleName())
