"""What a parity scenario observes, as lines of text that are equal when the observations are."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql import types as st

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import DataFrame

# What legitimately differs between two runs of one statement, and what stands for it.
VARYING = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r"(?<=\w)#\d+L?"), ""),
    (re.compile(r"part-\d{5}-<uuid>[-.\w]*parquet"), "<file>"),
    (re.compile(r"Apache-Spark/\S+ \w+-?\w*/[^\s\"]+"), "<engine>"),
)
# What delta-spark's reader tells itself of columns with ids and versions of rows.
MARKS = {
    f"__{name}_metadata_col"
    for name in ("row_id", "row_commit_version", "base_row_id", "default_row_version")
}
CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]{4,}(?:\.[A-Z0-9_]+)*)\]")
# Counts of bytes and files depend on the writer, whether they are zero does not; times may be zero.
VARYING_METRIC = re.compile(r"Bytes|Files|Size|Duration")
TIME = "TimeMs"


class Normaliser:
    """Replaces what varies from run to run: folders, identifiers, file names."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        # Longest first, so that a folder inside another keeps its own name.
        self.folders = sorted(folders.items(), key=lambda item: -len(item[0]))

    def __call__(self, text: str) -> str:
        for folder, name in self.folders:
            text = text.replace(folder, name)
        for pattern, name in VARYING:
            text = pattern.sub(name, text)
        return text


def frame_lines(frame: DataFrame, *, ordered: bool = False) -> dict[str, Any]:
    """The schema and the rows of a frame; rows are sorted unless their order is the subject."""
    rows = [row_line(row, frame.schema) for row in frame.collect()]
    return {"schema": schema_line(frame.schema), "rows": rows if ordered else sorted(rows)}


def schema_line(schema: st.StructType) -> str:
    """The fields with type, nullability and metadata on one line."""
    return ", ".join(_field_text(field) for field in schema.fields)


def _field_text(field: st.StructField) -> str:
    parts = [field.name, field.dataType.simpleString()]
    if not field.nullable:
        parts.append("NOT NULL")
    metadata = {k: v for k, v in field.metadata.items() if k not in MARKS}
    if metadata:
        parts.append(json.dumps(metadata, sort_keys=True, ensure_ascii=False))
    return " ".join(parts)


def row_line(row: Iterable[Any], schema: st.StructType) -> str:
    """One row, its values separated by bars."""
    return " | ".join(
        value_text(value, field.dataType) for value, field in zip(row, schema.fields, strict=True)
    )


def value_text(value: Any, data_type: st.DataType) -> str:
    """A value as text that tells apart what Python's `str` would confuse."""
    if value is None:
        return "null"
    if isinstance(data_type, st.StructType):
        return "{" + ", ".join(_struct_parts(value, data_type)) + "}"
    if isinstance(data_type, st.ArrayType):
        return "[" + ", ".join(value_text(v, data_type.elementType) for v in value) + "]"
    if isinstance(data_type, st.MapType):
        return "{" + ", ".join(sorted(_map_parts(value, data_type))) + "}"
    return _atom_text(value, data_type)


def _struct_parts(value: Any, data_type: st.StructType) -> list[str]:
    return [f"{f.name}: {value_text(value[f.name], f.dataType)}" for f in data_type.fields]


def _map_parts(value: Mapping[Any, Any], data_type: st.MapType) -> list[str]:
    return [
        f"{value_text(k, data_type.keyType)}: {value_text(v, data_type.valueType)}"
        for k, v in value.items()
    ]


def _atom_text(value: Any, data_type: st.DataType) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (bytes, bytearray)):
        return f"x'{bytes(value).hex()}'"
    if isinstance(data_type, st.TimestampType):
        # PySpark hands over the machine's local time; UTC is the same everywhere.
        return str(value.astimezone(dt.timezone.utc).isoformat(sep=" "))
    if isinstance(value, (dt.datetime, dt.date)):
        return str(value.isoformat())
    if hasattr(value, "toJson"):
        return f"variant {value.toJson()}"
    return str(value)


def metric_texts(metrics: Mapping[str, str]) -> dict[str, str]:
    """The metrics of an operation in order, sizes hidden where they depend on the writer."""
    nothing = metrics.get("numOutputRows") == "0"
    return {name: _metric_text(name, metrics[name], nothing) for name in sorted(metrics)}


def _metric_text(name: str, value: str, nothing: bool) -> str:
    # With no rows: whether a file was written that no commit names.
    if name.endswith(TIME) or (nothing and name in {"numFiles", "numOutputBytes"}):
        return "<n>"
    return "<n>" if VARYING_METRIC.search(name) and value not in {"0", "-1"} else value


def map_text(value: Any) -> Any:
    """A JSON map inside a text with its keys in order, anything else as it is."""
    if isinstance(value, str) and value.startswith("{"):
        return json.dumps(json.loads(value), sort_keys=True, ensure_ascii=False)
    return value


def error_line(error: BaseException) -> str:
    """Class, condition and SQLSTATE of an error, the way Python code could tell it apart."""
    kind = next(
        (c.__name__ for c in type(error).__mro__ if c.__module__.startswith("pyspark.errors")),
        type(error).__name__,
    )
    condition, state = _condition_of(error)
    return f"{kind} {condition or '-'} {state or '-'}"


def _condition_of(error: BaseException) -> tuple[str | None, str | None]:
    if isinstance(error, PySparkException):
        condition = _ask(error, "getCondition")
        if condition:
            return condition, _ask(error, "getSqlState")
    java = getattr(error, "java_exception", None)
    while java is not None:
        condition = _ask(java, "getCondition")
        if condition:
            return condition, _ask(java, "getSqlState")
        java = _ask(java, "getCause")
    found = CONDITION.search(str(error))
    return (found.group(1) if found else None), None


def _ask(subject: Any, method: str) -> Any:
    # Foreign throwables lack these methods, and Delta's own conditions can make them throw.
    try:
        return getattr(subject, method)()
    except Exception:  # noqa: BLE001
        return None
