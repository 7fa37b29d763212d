"""What Spark's parser reads off the text of an expression, unresolved: the columns it names."""

from collections.abc import Iterator
from typing import Any

from pyspark.errors import ParseException

from puredelta.engine.bridge.classes import kind_of, scala_object
from puredelta.engine.bridge.deferred import settled
from puredelta.engine.bridge.handles import items_of
from puredelta.engine.catalyst.double_quotes import readable

Path = tuple[str, ...]

_PARSER = "org.apache.spark.sql.catalyst.parser.CatalystSqlParser"

# Between the parts of a name: no name that a user can type has it.
_PART = "\x1f"

_LAMBDA = "->"

# What Spark takes for a call without parentheses where no column has the name.
_FUNCTIONS = frozenset(
    {
        "current_catalog",
        "current_database",
        "current_date",
        "current_schema",
        "current_time",
        "current_timestamp",
        "current_user",
        "localtime",
        "localtimestamp",
        "session_user",
        "user",
    }
)


def is_function(name: str) -> bool:
    """Say whether a name that is no column stands for a function."""
    return name.lower() in _FUNCTIONS


def columns_of(text: str) -> frozenset[Path] | None:
    """Return the columns that an expression names, as it spells them.

    Variables of lambda functions are none; of `m['k']` and `a[0].b` it is `m` and `a`.

    Args:
        text: The expression, in SQL, as tables hold it.

    Returns:
        The paths; None for a text that Spark's parser does not take.
    """
    expression = _parsed(text)
    if expression is None:
        return None
    paths = {_parts(name) for name in items_of(expression.references())}
    # The walk asks the JVM at each node, and most expressions have no lambda function.
    if _LAMBDA in text:
        paths.update(_in_lambdas(expression, frozenset()))
    return frozenset(paths)


def unaliased(text: str) -> str:
    """Return an expression without the name that it may give its value."""
    expression = _parsed(text)
    is_alias = expression is not None and kind_of(expression) == "Alias"
    return str(expression.child().sql()) if is_alias else text


def expression_text(text: str) -> str:
    """Return an expression as Spark writes it; the text itself if Spark cannot read it."""
    expression = _parsed(text)
    return text if expression is None else str(expression.sql())


def _parsed(text: str) -> Any:
    """Return what Spark's parser makes of a text; None where that is nothing."""
    try:
        with settled():
            return scala_object(_PARSER).parseExpression(readable(text))
    except ParseException:
        return None


def _in_lambdas(node: Any, bound: frozenset[str]) -> Iterator[Path]:
    """Yield the columns in the bodies of lambda functions: all names but arguments.

    The parser takes every name in a body for a variable.
    """
    kind = kind_of(node)
    if kind == "UnresolvedNamedLambdaVariable":
        path = _parts(node)
        if bound and path[0].lower() not in bound:
            yield path
        return
    if kind == "LambdaFunction":
        names = (_parts(argument)[0].lower() for argument in items_of(node.arguments()))
        bound = bound | frozenset(names)
    for inner in items_of(node.children()):
        yield from _in_lambdas(inner, bound)


def _parts(name: Any) -> Path:
    return tuple(name.nameParts().mkString(_PART).split(_PART))
