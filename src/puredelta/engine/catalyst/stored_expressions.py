"""Expressions that come from a table's log: read alone, and checked before Spark resolves them.

A table is data. What its log holds was written by somebody else: a constraint, a generated column,
a default or an invariant may use the table's columns and Spark's built-in, deterministic functions,
and nothing of the session that happens to open the table. No `${...}` in them is replaced.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
from pyspark.errors import ParseException
from pyspark.sql import Column, SparkSession

from puredelta.engine.bridge.classes import new, scala_object
from puredelta.engine.catalyst.double_quotes import readable
from puredelta.engine.catalyst.expression_columns import columns_of, is_function
from puredelta.engine.session.sessions import setting
from puredelta.engine.session.spark_objects import column_of
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.column_path import quote_name
from puredelta.settings import TRUST_EXPRESSIONS

_PARSER = "org.apache.spark.sql.catalyst.parser.CatalystSqlParser"
_REGISTRY = "org.apache.spark.sql.catalyst.analysis.FunctionRegistry"
_FUNCTION = "org.apache.spark.sql.catalyst.FunctionIdentifier"
_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions."
_ANALYSIS = "org.apache.spark.sql.catalyst.analysis."
_CALL = "UnresolvedFunction"
_BUILT_IN = "system, builtin, "

_CALLS_JAVA = frozenset({"java_method", "reflect", "try_reflect"})
# They read files or load classes that their arguments name.
_REACHES_OUT = frozenset(
    {
        "from_avro",
        "from_protobuf",
        "from_xml",
        "schema_of_avro",
        "schema_of_xml",
        "to_avro",
        "to_protobuf",
    }
)
_NOT_DETERMINISTIC = frozenset(
    {
        "input_file_block_length",
        "input_file_block_start",
        "input_file_name",
        "monotonically_increasing_id",
        "rand",
        "randn",
        "random",
        "randstr",
        "shuffle",
        "spark_partition_id",
        "uniform",
        "uuid",
    }
)
# Their argument at this place is a type; as JSON it would name a class that Spark loads.
_TYPE_ARGUMENTS = {"from_csv": 1, "from_json": 1, "try_variant_get": 2, "variant_get": 2}

_OF_OTHER_ROWS = frozenset(
    {
        "DynamicPruningSubquery",
        "Exists",
        "FunctionTableSubqueryArgumentExpression",
        "InSubquery",
        "LateralSubquery",
        "ListQuery",
        "ScalarSubquery",
        "WindowExpression",
    }
)
# What the parser leaves to be resolved against columns and built-in functions.
_PLAIN = frozenset({_CALL, "UnresolvedAttribute", "UnresolvedExtractValue", "UnresolvedStar"})


@dataclass(frozen=True, slots=True)
class Stored:
    """An expression in a table's log.

    Attributes:
        owner: what it belongs to, for errors.
        text: the expression, in SQL.
        remedy: how the owner loses it, for errors.
        columns: the columns that it may name, in small letters; None where others are null.
    """

    owner: str
    text: str
    remedy: str
    columns: frozenset[str] | None = None

    @classmethod
    def constraint(cls, name: str, text: str) -> "Stored":
        """Return the condition of a CHECK constraint; its name may be empty where none is known."""
        quoted = f" {quote_name(name)}" if name else ""
        return cls(f"CHECK constraint{quoted}", text, f"ALTER TABLE ... DROP CONSTRAINT{quoted}")

    @classmethod
    def invariant(cls, column: str, text: str, names: Iterable[str]) -> "Stored":
        """Return the condition in the metadata of a column, in a table of some columns."""
        columns = frozenset(name.lower() for name in names)
        return cls(f"invariant of the column {column}", text, _dropping(column), columns)

    @classmethod
    def default(cls, column: str, text: str) -> "Stored":
        """Return the default of a column."""
        remedy = f"ALTER TABLE ... ALTER COLUMN {quote_name(column)} DROP DEFAULT"
        return cls(f"default of the column {quote_name(column)}", text, remedy, frozenset())

    @classmethod
    def generation(cls, column: str, text: str) -> "Stored":
        """Return the generation expression of a column; empty where it is not known whose."""
        owner, name = "generation expression", quote_name(column) if column else "..."
        return cls(f"{owner} of the column {name}" if column else owner, text, _dropping(name))

    def refused(self, reason: str) -> DeltaAnalysisError:
        """Return the error that says why the expression is not evaluated."""
        return DeltaAnalysisError(
            "PUREDELTA_STORED_EXPRESSION_REFUSED",
            owner=self.owner,
            expression=self.text,
            reason=reason,
            remedy=self.remedy,
            setting=TRUST_EXPRESSIONS,
        )


def _dropping(column: str) -> str:
    return f"ALTER TABLE ... DROP COLUMN {column}"


def check_stored(session: SparkSession, stored: Stored) -> None:
    """Check that an expression of a table can do nothing but compute a value from its row.

    Args:
        session: whose functions and settings count.
        stored: the expression.

    Raises:
        DeltaAnalysisError: PUREDELTA_STORED_EXPRESSION_REFUSED.
    """
    try:
        parsed = parse_alone(stored.text)
    except ParseException as error:
        raise stored.refused("it is not one expression of SQL") from error
    if _is_trusting(session):
        return
    reason = first_refused(str(parsed.toJSON()), _built_in(session)) or _unknown_name(stored)
    if reason is not None:
        raise stored.refused(reason)


def check_calls(session: SparkSession, stored: Stored) -> None:
    """Check that to resolve an expression runs nothing; `check_stored` checks the rest.

    Raises:
        DeltaAnalysisError: PUREDELTA_STORED_EXPRESSION_REFUSED.
        ParseException: Spark's PARSE_SYNTAX_ERROR.
    """
    parsed = parse_alone(stored.text)
    if _is_trusting(session):
        return
    reason = first_refused(str(parsed.toJSON()), lambda _: None, only_calls=True)
    if reason is not None:
        raise stored.refused(reason)


def foreign_function(session: SparkSession, text: str) -> str | None:
    """Return the first function of an expression that is not built into Spark, if any.

    A session that trusts tables may use functions of its own.
    """
    if _is_trusting(session):
        return None
    refused = _built_in(session)
    for node in msgspec.json.decode(str(parse_alone(text).toJSON())):
        if str(node["class"]).rpartition(".")[2] != _CALL:
            continue
        full = str(node["nameParts"])[1:-1].lower()
        name = full.removeprefix(_BUILT_IN)
        if ", " in name or (name == full and refused(name) is not None):
            return name.replace(", ", ".")
    return None


def _is_trusting(session: SparkSession) -> bool:
    return (setting(session, TRUST_EXPRESSIONS, "false") or "").lower() == "true"


def parse_alone(text: str) -> Any:
    """Return what Spark's parser makes of one expression, in which `${...}` is left as it is.

    Raises:
        ParseException: Spark's PARSE_SYNTAX_ERROR.
    """
    return scala_object(_PARSER).parseExpression(readable(text))


def stored_column(text: str) -> Column:
    """Return an expression of a table as a column, unresolved.

    The text alone must be an expression, as `check_stored` checks.
    """
    # Between parentheses neither a star nor an alias may stand; the line's end closes a comment.
    return column_of(parse_alone(f"({text}\n)"))


def first_refused(
    tree: str, refused: Callable[[str], str | None], *, only_calls: bool = False
) -> str | None:
    """Return what is wrong with the first part of an expression that is refused; None for none.

    Args:
        tree: the parsed expression, as Spark's JSON lists its nodes in pre-order.
        refused: says of the name of a function why the session cannot be asked for it.
        only_calls: pass over what is refused by name alone, and can be resolved without harm.
    """
    nodes = msgspec.json.decode(tree)
    for place, node in enumerate(nodes):
        kind = str(node["class"])
        name = kind.rpartition(".")[2]
        reason = None
        if name == _CALL:
            reason = _call(nodes, place, None if only_calls else refused)
        elif name == "ExpressionWithUnresolvedIdentifier":
            reason = "IDENTIFIER(...) names something that only its value shows"
        elif not only_calls:
            reason = _other(kind, name)
        if reason is not None:
            return reason
    return None


def _unknown_name(stored: Stored) -> str | None:
    """Say which name stands for no column: the session might have a variable of that name."""
    if stored.columns is None:
        return None
    names = (path[0] for path in columns_of(stored.text) or ())
    unknown = sorted(
        name for name in names if name.lower() not in stored.columns and not is_function(name)
    )
    return f"it names {quote_name(unknown[0])}, which is no column there" if unknown else None


def _other(kind: str, name: str) -> str | None:
    """Say why a node that is no call of a function is refused."""
    if name in _OF_OTHER_ROWS:
        return "it looks at other rows (a subquery or a window)"
    if kind.startswith(_EXPRESSIONS) and not kind.startswith(f"{_EXPRESSIONS}aggregate."):
        return "it names a session variable" if name == "VariableReference" else None
    if kind.startswith(_ANALYSIS) and name in _PLAIN:
        return None
    return f"{name} is no expression over the columns of one row"


def _call(
    nodes: list[dict[str, Any]], place: int, refused: Callable[[str], str | None] | None
) -> str | None:
    """Say why a call of a function is refused."""
    full = str(nodes[place]["nameParts"])[1:-1].lower()
    name = full.removeprefix(_BUILT_IN)
    # The parser keeps a qualified name in parts; `reflect` is refused under any of them.
    if name.rpartition(", ")[2] in _CALLS_JAVA:
        return f"the function {name} calls methods of Java"
    if name.rpartition(", ")[2] in _REACHES_OUT:
        return f"the function {name} can read files or load classes"
    typed = _TYPE_ARGUMENTS.get(name)
    if typed is not None and not _is_plain_type(nodes, place, typed):
        return f"the type given to {name} is not written out in SQL"
    if refused is None:
        return None
    if name in _NOT_DETERMINISTIC:
        return f"the function {name} is not deterministic"
    if ", " in name:
        return f"the function {name.replace(', ', '.')} is not built into Spark"
    # A name that is qualified as built-in cannot mean a function of the session.
    return None if full != name else refused(name)


def _is_plain_type(nodes: list[dict[str, Any]], place: int, argument: int) -> bool:
    children = list(_children(nodes, place))
    if argument >= len(children):
        return True  # Spark refuses the call
    given = nodes[children[argument]]
    if not str(given["class"]).endswith(".Literal"):
        return False
    return not str(given.get("value")).lstrip().startswith(("{", '"', "["))


def _children(nodes: list[dict[str, Any]], place: int) -> Iterator[int]:
    """Yield the places of a node's children in the list."""
    following = place + 1
    for _ in range(int(nodes[place]["num-children"])):
        yield following
        following = _end(nodes, following)


def _end(nodes: list[dict[str, Any]], place: int) -> int:
    """Return the place after a node and all below it."""
    left = 1
    while left:
        left += int(nodes[place]["num-children"]) - 1
        place += 1
    return place


def _built_in(session: SparkSession) -> Callable[[str], str | None]:
    """Return what says of a function why it is not the one that is built into Spark."""
    of_spark = scala_object(_REGISTRY).builtin()
    of_session = session._jsparkSession.sessionState().functionRegistry()

    def refused(name: str) -> str | None:
        # Spark 4.2 and later keep functions of a session beside the built-in ones, not over them.
        is_qualified = bool(of_spark.listFunction().head().database().isDefined())
        found = _identifier(name, "builtin" if is_qualified else None)
        builder = of_spark.lookupFunctionBuilder(found)
        if not builder.isDefined():
            return f"the function {name} is not built into Spark"
        is_hidden = is_qualified and of_session.functionExists(_identifier(name, "session"))
        if not is_hidden and builder.equals(of_session.lookupFunctionBuilder(found)):
            return None
        return (
            f"the session has a function of its own named {name}, which may stand for Spark's; "
            "give it another name, in a session without it"
        )

    return refused


def _identifier(name: str, schema: str | None) -> Any:
    if schema is None:
        return new(_FUNCTION, name)
    return new(_FUNCTION, name, new("scala.Some", schema), new("scala.Some", "system"))
