"""The shape of a plan over one table, from the JSON in which Spark shows it.

A known shape is a limit, or an aggregate without groups, over plain columns of a table and
conditions on its partition columns: the log may have the answer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from puredelta.table.aggregates import COUNT, MAX, MIN, Aggregate

# The column by which a scan marks rows that a deletion vector takes away (PinRule.java).
DELETED_MARK = "__puredelta_deleted"

_FUNCTIONS = {"Count": COUNT, "Min": MIN, "Max": MAX}

Node = dict[str, Any]


class ShapeUnknownError(Exception):
    """A plan of another shape."""


@dataclass(frozen=True, slots=True)
class PlanStep:
    """A node between the top and the table.

    Attributes:
        conditions: for each conjunct of a filter, whether it names partition columns. The others
            name the mark of deleted rows.
    """

    conditions: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """A plan over one table.

    Attributes:
        top: the limit or the aggregate.
        between: projections and filters under it, from the top down.
        columns: names of the table's columns by expression id.
    """

    top: Node
    between: tuple[PlanStep, ...]
    columns: dict[int, str]

    @property
    def expressions(self) -> list[list[Node]]:
        """The aggregate's expressions, each with its nodes in pre-order."""
        found: list[list[Node]] = self.top["aggregateExpressions"]
        return found


def shape_of(nodes: Sequence[Node], partition_columns: Sequence[str]) -> Shape:
    """Read the shape of a plan.

    Args:
        nodes: the plan's nodes in pre-order.
        partition_columns: of the table at its bottom.

    Raises:
        ShapeUnknownError: it is another plan.
    """
    top, *between, relation = nodes
    columns = {node["exprId"]["id"]: node["name"] for [node] in relation["output"]}
    partitions = {i for i, name in columns.items() if name in partition_columns}
    mark = {i for i, name in columns.items() if name == DELETED_MARK}
    steps = tuple(_step(node, partitions, mark) for node in between)
    return Shape(top, steps, columns)


def aggregates_of(shape: Shape) -> list[Aggregate] | None:
    """Return the aggregates, in the order in which the expressions name them; None for a limit.

    Raises:
        ShapeUnknownError: a function is not known, or its argument is no column.
    """
    if _name(shape.top) == "LocalLimit":
        return None
    found = []
    for nodes in shape.expressions:
        each = iter(nodes)
        for node in each:
            if _name(node) == "AggregateExpression":
                found.append(_aggregate(node, each, shape.columns))
            elif "AttributeReference" in _name(node):
                raise ShapeUnknownError
    return found


def limit_of(shape: Shape) -> int:
    """Return how many rows a limit asks for.

    Raises:
        ShapeUnknownError: it is no plain number.
    """
    literal = shape.top["limitExpr"][0]
    if _name(literal) != "Literal":
        raise ShapeUnknownError
    return int(literal["value"])


def _aggregate(node: Node, rest: Iterator[Node], columns: dict[int, str]) -> Aggregate:
    function, argument = next(rest), next(rest)
    known = _FUNCTIONS.get(_name(function))
    # A FILTER clause is a second child of the aggregate, a second argument one of the function.
    alone = node["num-children"] == function["num-children"] == 1 and not argument["num-children"]
    if known is None or node["isDistinct"] or not alone:
        raise ShapeUnknownError
    if _name(argument) == "AttributeReference":
        return Aggregate(known, _column(argument, columns))
    if known != COUNT or _name(argument) != "Literal" or argument["value"] is None:
        raise ShapeUnknownError
    return Aggregate(COUNT)


def _step(node: Node, partitions: set[int], mark: set[int]) -> PlanStep:
    if _name(node) == "Filter":
        return PlanStep(tuple(_conditions(iter(node["condition"]), partitions, mark)))
    # What a projection computes has ids that are not the table's.
    return PlanStep()


def _conditions(nodes: Iterator[Node], partitions: set[int], mark: set[int]) -> Iterator[bool]:
    node = next(nodes)
    if _name(node) == "And":
        yield from _conditions(nodes, partitions, mark)
        yield from _conditions(nodes, partitions, mark)
        return
    asked = _attributes(node, nodes)
    # The log can decide whole files only: all rows of a file have the same partition values.
    if not asked or not (asked <= partitions or asked <= mark):
        raise ShapeUnknownError
    yield asked <= partitions


def _attributes(node: Node, nodes: Iterator[Node]) -> set[int]:
    """Return the ids of the columns in an expression, whose other nodes are taken along."""
    # Only a subquery has a plan.
    if "plan" in node or "UDF" in _name(node):
        raise ShapeUnknownError
    found = {node["exprId"]["id"]} if _name(node) == "AttributeReference" else set()
    for _ in range(node["num-children"]):
        found |= _attributes(next(nodes), nodes)
    return found


def _column(node: Node, columns: dict[int, str]) -> str:
    name = columns.get(node["exprId"]["id"])
    if name is None:
        raise ShapeUnknownError
    return name


def _name(node: Node) -> str:
    return str(node["class"]).rpartition(".")[2]
