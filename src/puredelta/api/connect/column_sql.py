"""The SQL of Columns that a client of Spark Connect has made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from puredelta.engine.exceptions import public
from puredelta.errors.classes import DeltaUnsupportedOperationError
from puredelta.frontend.sql_text import dotted, literal
from puredelta.schema.column_path import quoted

_TRY = 3  # EVAL_MODE_TRY of the protocol
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def column_sql(column: Any, session: Any) -> str:
    """Return the SQL of a Column.

    Args:
        column: of a session of Spark Connect.
        session: that session.

    Raises:
        DeltaUnsupportedOperationException: PUREDELTA_CONNECT_COLUMN for a part that SQL cannot
            say, such as a Python function.
    """
    return _sql(column.to_plan(session.client))


def _sql(expression: Any) -> str:
    kind = expression.WhichOneof("expr_type")
    write = _WRITERS.get(kind)
    if write is None:
        raise _unwritten(kind or "an empty expression")
    return write(getattr(expression, kind))


def _unwritten(kind: str) -> Exception:
    return public(DeltaUnsupportedOperationError("PUREDELTA_CONNECT_COLUMN", kind=kind))


def _list(expressions: Iterable[Any]) -> str:
    return ", ".join(map(_sql, expressions))


def _attribute(attribute: Any) -> str:
    return str(attribute.unparsed_identifier)


def _text(given: Any) -> str:
    return f"({given.expression})"


def _alias(alias: Any) -> str:
    """Names of results do not count in conditions and values."""
    return _sql(alias.expr)


def _function(function: Any) -> str:
    # Operators are functions, too: `+`(a, b) is a + b.
    distinct = "DISTINCT " if getattr(function, "is_distinct", False) else ""
    return f"{quoted(function.function_name)}({distinct}{_list(function.arguments)})"


def _call(call: Any) -> str:
    # The name may have several parts, and then is SQL already.
    return f"{call.function_name}({_list(call.arguments)})"


def _cast(cast: Any) -> str:
    name = "TRY_CAST" if cast.eval_mode == _TRY else "CAST"
    return f"{name}({_sql(cast.expr)} AS {cast.type_str or _ddl(cast.type)})"


def _extract(extract: Any) -> str:
    return f"{_sql(extract.child)}[{_sql(extract.extraction)}]"


def _lambda(function: Any) -> str:
    names = ", ".join(map(_variable, function.arguments))
    # The grammar has no parentheses around one name.
    shown = names if len(function.arguments) == 1 else f"({names})"
    return f"{shown} -> {_sql(function.function)}"


def _variable(variable: Any) -> str:
    return dotted(variable.name_parts)


def _named(argument: Any) -> str:
    return f"{argument.key} => {_sql(argument.value)}"


def _literal(given: Any) -> str:
    kind = given.WhichOneof("literal_type")
    if kind == "null":
        return f"CAST(NULL AS {_ddl(given.null)})"
    write = _LITERALS.get(kind)
    if write is None:
        raise _unwritten(f"a literal of the type {kind}")
    return write(getattr(given, kind))


def _ddl(data_type: Any) -> str:
    # Spark Connect has dependencies of its own, which only its clients need.
    from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type  # noqa: PLC0415

    return proto_schema_to_pyspark_data_type(data_type).simpleString()


def _decimal(given: Any) -> str:
    # As the server reads it: at least the digits that the value has.
    parts = Decimal(given.value).as_tuple()
    scale = max(given.scale, -int(parts.exponent), 0)
    precision = max(given.precision, len(parts.digits), scale)
    return f"CAST({literal(given.value)} AS DECIMAL({precision}, {scale}))"


def _date(days: int) -> str:
    return f"DATE'{date(1970, 1, 1) + timedelta(days)}'"


def _local_time(micros: int) -> str:
    moment = _EPOCH + timedelta(microseconds=micros)
    return f"TIMESTAMP_NTZ'{moment.replace(tzinfo=None)}'"


def _float(kind: str) -> Callable[[float], str]:
    # As text it has all digits, and may be NaN or infinite.
    return lambda value: f"CAST('{value!r}' AS {kind})"


def _array(given: Any) -> str:
    return f"array({', '.join(map(_literal, given.elements))})"


def _map(given: Any) -> str:
    pairs = zip(given.keys, given.values, strict=True)
    return f"map({', '.join(_literal(one) for pair in pairs for one in pair)})"


_LITERALS: dict[str, Callable[[Any], str]] = {
    "binary": lambda value: f"X'{value.hex()}'",
    "boolean": lambda value: str(value).lower(),
    "byte": lambda value: f"CAST({value} AS TINYINT)",
    "short": lambda value: f"CAST({value} AS SMALLINT)",
    "integer": lambda value: f"CAST({value} AS INT)",
    "long": lambda value: f"CAST({value} AS BIGINT)",
    "float": _float("FLOAT"),
    "double": _float("DOUBLE"),
    "decimal": _decimal,
    "string": literal,
    "date": _date,
    "timestamp": lambda micros: f"timestamp_micros({micros})",
    "timestamp_ntz": _local_time,
    "day_time_interval": lambda micros: f"make_dt_interval(0, 0, 0, {micros} / 1000000BD)",
    "year_month_interval": lambda months: f"make_ym_interval(0, {months})",
    "array": _array,
    "map": _map,
}

_WRITERS: dict[str, Callable[[Any], str]] = {
    "literal": _literal,
    "unresolved_attribute": _attribute,
    "unresolved_function": _function,
    "call_function": _call,
    "expression_string": _text,
    "alias": _alias,
    "cast": _cast,
    "unresolved_extract_value": _extract,
    "lambda_function": _lambda,
    "unresolved_named_lambda_variable": _variable,
    "named_argument_expression": _named,
}
