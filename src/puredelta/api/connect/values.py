"""Arguments of methods as they are sent: as JSON has them, else as an object with one key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from os import PathLike
from typing import Any
from uuid import uuid4

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.types import DataType, StructField, _parse_datatype_json_string

from puredelta.api.connect.column_sql import column_sql
from puredelta.api.row_arguments import rows_from_argument
from puredelta.api.table_builder import IdentityGenerator
from puredelta.engine.exceptions import public
from puredelta.errors.classes import DeltaUnsupportedOperationError
from puredelta.storage.location import path_text

_ROWS, _TYPE, _FIELD, _IDENTITY, _DICT = "rows", "type", "field", "identity", "dict"


class Encoder:
    """Encodes arguments on the side of the client.

    Rows are sent as temporary views of the session, which are dropped after the call.

    Attributes:
        views: the names of the views.
    """

    def __init__(self, session: SparkSession) -> None:
        """Send nothing yet."""
        self._session = session
        self.views: list[str] = []

    def encode(self, method: str, name: str, value: Any) -> Any:
        """Return an argument as it is sent.

        Raises:
            DeltaUnsupportedOperationException: PUREDELTA_CONNECT_ARGUMENT for a value of another
                kind, PUREDELTA_CONNECT_COLUMN.
        """
        match value:
            case None | bool() | int() | float() | str():
                return value
            case list() | tuple():
                return [self.encode(method, name, one) for one in value]
            case Mapping():
                return {_DICT: {key: self.encode(method, name, one) for key, one in value.items()}}
            case Column():
                return column_sql(value, self._session)
            case PathLike():
                return path_text(value)
            case _:
                return _of_types(value) or self._rows(method, name, value)

    def _rows(self, method: str, name: str, value: Any) -> Any:
        try:
            frame = rows_from_argument(self._session, value, name)
        except TypeError:
            facts = {"name": name, "method": method, "kind": type(value).__name__}
            unsent = DeltaUnsupportedOperationError("PUREDELTA_CONNECT_ARGUMENT", **facts)
            raise public(unsent) from None
        view = f"puredelta_rows_{uuid4().hex}"
        frame.createTempView(view)
        self.views.append(view)
        return {_ROWS: [view, _alias_of(frame)]}

    def drop_views(self) -> None:
        """Drop what was sent as rows."""
        for view in self.views:
            self._session.catalog.dropTempView(view)
        self.views.clear()


def _of_types(value: Any) -> dict[str, Any] | None:
    """Return a part of a schema as it is sent; None for another value."""
    match value:
        case StructField():
            return {_FIELD: [value.name, value.dataType.json(), value.nullable, value.metadata]}
        case DataType():
            return {_TYPE: value.json()}
        case IdentityGenerator():
            return {_IDENTITY: astuple(value)}
        case _:
            return None


def type_of(text: str) -> DataType:
    """Return the type that `DataType.json` wrote."""
    return _parse_datatype_json_string(text)


def decode(session: SparkSession, value: Any) -> Any:
    """Return an argument that a client sent, on the side of the driver."""
    if isinstance(value, list):
        return [decode(session, one) for one in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    match kind:
        case "dict":
            return {key: decode(session, one) for key, one in content.items()}
        case "rows":
            view, alias = content
            return session.table(view).alias(alias or view)
        case "type":
            return type_of(content)
        case "field":
            name, data_type, *others = content
            return StructField(name, type_of(data_type), *others)
        case "identity":
            return IdentityGenerator(*content)
        case _:
            raise TypeError(f"an argument of an unknown kind: {kind}")


def _alias_of(frame: DataFrame) -> str | None:
    """Return the name that rows have in conditions; a view would hide it."""
    plan: Any = frame._plan
    return getattr(plan, "_alias", None)
