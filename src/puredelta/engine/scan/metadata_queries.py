"""Answers the optimizer: aggregates and limits that the log alone can answer or narrow."""

import json
import logging
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace
from pyspark.errors import PySparkException
from pyspark.sql.types import StructType

from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.bridge.classes import new, scala_object
from puredelta.engine.bridge.deferred import settled
from puredelta.engine.bridge.handles import items_of, sequence
from puredelta.engine.bridge.jvm_parts import Py4JError
from puredelta.engine.catalyst.plan_shape import (
    Shape,
    ShapeUnknownError,
    aggregates_of,
    limit_of,
    shape_of,
)
from puredelta.engine.scan.distributed_log import is_big
from puredelta.engine.scan.file_index import listing_of, snapshot_of
from puredelta.engine.scan.handle import ScanHandle, ScanQuestion
from puredelta.engine.session.sessions import active_session, setting, time_zone
from puredelta.engine.session.spark_objects import frame_of_rows
from puredelta.settings import ANSWERS_FROM_LOG, LIMITS_FROM_LOG
from puredelta.table.aggregates import Aggregate, answers

logger = logging.getLogger(__name__)

_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions"
_DATASOURCES = "org.apache.spark.sql.execution.datasources"
_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"

# With fewer files, narrowing a limit is not worth another plan.
_MANY_FILES = 8

# What aggregates ask of a file.
_OF_AGGREGATES = ("stats", "partition_values", "deletion_vector")


@serve("scan.shortcut")
def answer_from_metadata(text: str, plan: Any, _second: Any) -> Any:
    """Return a plan that needs fewer files than an aggregate or a limit, or None."""
    handle = ScanHandle.from_json(text)
    # A scan with a limit comes from `_limited`: its plan has been changed already.
    if handle.limit is not None:
        return None
    snapshot = snapshot_of(handle)
    # The files of a big version are not in memory, and the job that lists them is what an answer is
    # to save.
    if is_big(snapshot):
        return None
    try:
        shape = shape_of(json.loads(plan.toJSON()), snapshot.partition_columns)
        wanted = aggregates_of(shape)
        key = LIMITS_FROM_LOG if wanted is None else ANSWERS_FROM_LOG
        if setting(active_session(), key, "true") == "false":
            return None
        with settled():
            if wanted is None:
                return _limited(handle, plan, shape)
            return _answered(handle, plan, shape, wanted)
    except ShapeUnknownError:
        return None
    except (Py4JError, PySparkException, LookupError, TypeError, ValueError):
        # A query must not fail for what only makes it faster.
        logger.warning("the log is not asked for an answer", exc_info=True)
        return None


# --------------------------------------------------------------------------------- aggregates


def _answered(handle: ScanHandle, plan: Any, shape: Shape, wanted: Sequence[Aggregate]) -> Any:
    relation, filters = _below(plan, shape)
    if filters.isEmpty():
        files = listing_of(handle).files
    else:
        location = relation.relation().location()
        question = ScanQuestion.from_json(location.question(filters, plan.conf()))
        files, _ = listing_of(handle).chosen(question.keep, None, _OF_AGGREGATES)
    found = answers(snapshot_of(handle), files, wanted)
    if found is None:
        return None
    session = active_session()
    values = iter(found)
    given = items_of(plan.aggregateExpressions())
    columns = [
        _with_answers(expression, iter(nodes), values)
        for expression, nodes in zip(given, shape.expressions, strict=True)
    ]
    row = frame_of_rows(session, [{}], StructType([]))._jdf.queryExecution().analyzed()
    return new(f"{_LOGICAL}.Project", sequence(columns), row)


def _with_answers(
    expression: Any, nodes: Iterator[dict[str, Any]], values: Iterator[str | None]
) -> Any:
    """Put the answer in the place of each aggregate in an expression."""
    node = next(nodes)
    # The JSON of the plan names the classes, which would take a round trip for each node otherwise.
    if node["class"].endswith(".AggregateExpression"):
        kind = expression.dataType()
        _pass_over(node, nodes)
        return _literal(next(values), kind)
    if not node["num-children"]:
        return expression
    children = expression.children()
    replaced = [
        _with_answers(children.apply(place), nodes, values) for place in range(node["num-children"])
    ]
    return expression.withNewChildren(sequence(replaced))


def _pass_over(node: dict[str, Any], nodes: Iterator[dict[str, Any]]) -> None:
    for _ in range(node["num-children"]):
        _pass_over(next(nodes), nodes)


def _literal(text: str | None, kind: Any) -> Any:
    value = scala_object(f"{_EXPRESSIONS}.Literal").apply(text)
    zone = new("scala.Some", time_zone(active_session()))
    return scala_object(f"{_EXPRESSIONS}.Cast").apply(value, kind, zone, True)


# ------------------------------------------------------------------------------------- limits


def _limited(handle: ScanHandle, plan: Any, shape: Shape) -> Any:
    if snapshot_of(handle).num_files < _MANY_FILES:
        return None
    relation, _ = _below(plan, shape)
    limited = replace(handle, limit=limit_of(shape)).to_json()
    files = relation.relation()
    of_files = new(
        f"{_DATASOURCES}.HadoopFsRelation",
        files.location().chosen(limited),
        files.partitionSchema(),
        files.dataSchema(),
        files.bucketSpec(),
        files.fileFormat(),
        files.options(),
        files.sparkSession(),
    )
    copied = new(
        f"{_DATASOURCES}.LogicalRelation",
        of_files,
        relation.output(),
        relation.catalogTable(),
        relation.isStreaming(),
        relation.stream(),
    )
    return _rebuilt(plan, copied, len(shape.between) + 1)


def _rebuilt(plan: Any, bottom: Any, depth: int) -> Any:
    if not depth:
        return bottom
    return plan.withNewChildren(sequence([_rebuilt(plan.child(), bottom, depth - 1)]))


# ------------------------------------------------------------------------------------ both


def _below(plan: Any, shape: Shape) -> tuple[Any, Any]:
    """Return the relation under a plan, and its filters on partition columns."""
    filters: list[Any] = []
    for step in shape.between:
        plan = plan.child()
        if step.conditions:
            filters += _chosen(plan.condition(), iter(step.conditions))
    relation = plan.child()
    # A query may write the names of columns in other letters than the table.
    strategy = scala_object(f"{_DATASOURCES}.DataSourceStrategy")
    return relation, strategy.normalizeExprs(sequence(filters), relation.output())


def _chosen(condition: Any, is_wanted: Iterator[bool]) -> list[Any]:
    """Return the conjuncts of a condition that are wanted, in the order of `Step`."""
    if not condition.deterministic():
        raise ShapeUnknownError
    if condition.nodeName() == "And":
        return [
            *_chosen(condition.left(), is_wanted),
            *_chosen(condition.right(), is_wanted),
        ]
    return [condition] if next(is_wanted) else []
