"""JVM objects of Spark as PySpark's: sessions, DataFrames, columns, settings."""

import json
from collections.abc import Iterable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from pyspark import SparkContext
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.types import DataType, StructType, _parse_datatype_json_string

from puredelta.engine.bridge.classes import kind_of, new, scala_object, static_method
from puredelta.engine.bridge.handles import items_of

_CLASSIC = "org.apache.spark.sql.classic"
_PLANS = "org.apache.spark.sql.catalyst.plans.logical"
_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions"

# For servers that open a session a request.
_SESSIONS_KEPT = 64

_sessions: dict[str, SparkSession] = {}

# The JVM's settings of each session.
_settings: WeakKeyDictionary[SparkSession, Any] = WeakKeyDictionary()


def session_of(jvm_session: Any) -> SparkSession:
    """Return the PySpark session of a JVM session, the same one each time."""
    uuid = jvm_session.sessionUUID()
    known = _sessions.get(uuid)
    # A context that was stopped has lost its `_jsc`.
    if known is None or known.sparkContext._jsc is None:
        context = SparkContext._active_spark_context
        assert context is not None  # noqa: S101  # a JVM session lives in one
        known = SparkSession(context, jvm_session)
        if len(_sessions) >= _SESSIONS_KEPT:
            _sessions.pop(next(iter(_sessions)))
        _sessions[uuid] = known
    return known


def active_session() -> SparkSession:
    """Return the session that the calling statement runs in."""
    return session_of(static_method(f"{_CLASSIC}.SparkSession", "active")())


def forget_stopped_sessions() -> None:
    """Drop sessions whose context was stopped."""
    for uuid in [u for u, s in _sessions.items() if s.sparkContext._jsc is None]:
        del _sessions[uuid]


def jvm_of(session: SparkSession) -> Any:
    """Return the session's JVM."""
    return session.sparkContext._jvm


def frame_of_plan(session: SparkSession, plan: Any) -> DataFrame:
    """Return the DataFrame of a logical plan."""
    of_rows = static_method(f"{_CLASSIC}.Dataset", "ofRows")
    return DataFrame(of_rows(session._jsparkSession, plan), session)


def frame_of_rows(
    session: SparkSession, rows: Iterable[Mapping[str, Any]], schema: StructType
) -> DataFrame:
    """Return rows as a DataFrame that needs no Spark job to be shown or collected.

    Args:
        session: where the DataFrame lives.
        rows: values that JSON has; timestamps as ISO texts.
        schema: the types to give them.
    """
    frame = static_method("puredelta.Rows", "frame")
    return DataFrame(frame(session._jsparkSession, json_lines(rows), schema.json()), session)


def json_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as one text, a line each: py4j would carry a list over element by element."""
    return "\n".join(json.dumps(row) for row in rows)


def column_of(expression: Any) -> Column:
    """Return a Catalyst expression as a Column."""
    return Column(static_method(f"{_CLASSIC}.ExpressionUtils", "column")(expression))


def expression_of(column: Column) -> Any:
    """Return the Catalyst expression of a Column."""
    return static_method(f"{_CLASSIC}.ExpressionUtils", "expression")(column._jc)


def parsed_type(text: str) -> DataType:
    """Return the type that DDL text names.

    Raises:
        ParseException: Spark's, when it names none.
    """
    parser = scala_object("org.apache.spark.sql.catalyst.parser.CatalystSqlParser")
    return _parse_datatype_json_string(parser.parseDataType(text).json())


def parsed_schema(text: str) -> StructType:
    """Return the columns that DDL text lists.

    Raises:
        ParseException: Spark's, when it lists none.
    """
    found = static_method("org.apache.spark.sql.types.StructType", "fromDDL")(text)
    return StructType.fromJson(json.loads(found.json()))


def setting(session: SparkSession, key: str, default: str | None = None) -> str | None:
    """Return a setting of the session, Spark's own default where it has one."""
    settings = _settings.get(session)
    if settings is None:
        # The JVM's object is the live one: changes of settings show in it, and only its look-up is
        # saved.
        settings = _settings[session] = session._jsparkSession.sessionState().conf()
    value: str | None = settings.getConfString(key, default)
    return value


def with_variables(text: str) -> str:
    """Return a statement with what variables such as `${name}` stand for, as Spark reads it."""
    if "${" not in text:
        return text
    return str(new("org.apache.spark.sql.internal.VariableSubstitution").substitute(text))


def time_zone(session: SparkSession) -> str:
    """Return the name of the session's time zone."""
    return setting(session, "spark.sql.session.timeZone", "UTC") or "UTC"


def plan_reads_table(frame: DataFrame, root: str) -> bool:
    """Say whether a DataFrame's query reads a table, also in a subquery.

    Args:
        frame: the query.
        root: the table's folder, as Hadoop names it.
    """
    return _reads(frame._jdf.queryExecution().analyzed(), root)


def subqueries_read(frame: DataFrame, root: str) -> bool:
    """Say whether a subquery of a DataFrame's query reads a table; see `plan_reads_table`."""
    plan = frame._jdf.queryExecution().analyzed()
    return any(_reads(subquery, root) for subquery in items_of(plan.subqueriesAll()))


def expressions_read(columns: Iterable[Column], root: str) -> bool:
    """Say whether a subquery in resolved expressions reads a table; see `plan_reads_table`."""
    # Spark looks for subqueries in plans only, so each expression becomes the condition of a
    # filter.
    nothing = new(f"{_PLANS}.OneRowRelation")
    plans = (new(f"{_PLANS}.Filter", expression_of(column), nothing) for column in columns)
    return any(_reads(inner, root) for plan in plans for inner in items_of(plan.subqueriesAll()))


def _reads(plan: Any, root: str) -> bool:
    # Subqueries are in the expressions of a plan, where `collectLeaves` does not look.
    leaves = items_of(plan.collectLeaves())
    inner = items_of(plan.subqueriesAll())
    return any(_root_of(leaf) == root for leaf in leaves) or any(
        _reads(child, root) for child in inner
    )


def _root_of(leaf: Any) -> str | None:
    """Return the root of the table that a leaf of a plan is; None for other leaves."""
    if kind_of(leaf) != "LogicalRelation":
        return None
    relation = leaf.relation()
    if kind_of(relation) != "HadoopFsRelation":
        return None
    files = relation.location()
    if files.getClass().getName() != "puredelta.TableFiles":
        return None
    return str(files.root())


def timestamp_micros(session: SparkSession, text: str) -> int | None:
    """Return microseconds since 1970 for a timestamp in the session's zone; None if it is none."""
    literal = scala_object(f"{_EXPRESSIONS}.Literal").apply(text)
    zone = new("scala.Some", time_zone(session))
    kind = session._jsparkSession.parseDataType('"timestamp"')
    cast = scala_object(f"{_EXPRESSIONS}.Cast").apply(literal, kind, zone, False)
    value = cast.eval(None)
    return None if value is None else int(value)


def unqualified_sql(expression: Any) -> str:
    """Return a resolved condition in SQL, its columns without the table's name in front."""
    text = str(expression.sql())
    for column in items_of(expression.references()):
        plain = column.withQualifier(column.qualifier().take(0))
        text = text.replace(str(column.sql()), str(plain.sql()))
    return text
