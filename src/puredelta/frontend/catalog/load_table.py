"""Answers the catalog adapter: which table a name or a path is."""

import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql import SparkSession

from puredelta.commands.table_ref import TableRef
from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.bridge.callers import is_called_by
from puredelta.engine.scan.handle import ScanHandle
from puredelta.engine.session.context import context_of
from puredelta.engine.session.paths import hadoop_path, path_exists
from puredelta.engine.session.sessions import active_session
from puredelta.errors.classes import DeltaAnalysisError, DeltaTableNotFoundError
from puredelta.frontend.catalog import alter_table
from puredelta.frontend.catalog.partition_paths import refuse_partition, table_path_of
from puredelta.frontend.catalog.table_description import describe, whole_table_of
from puredelta.frontend.catalog.time_travel import NEWEST, TimeTravel, from_path, version_number

# Spark's method that looks up the tables of statements such as ALTER TABLE; queries use another.
_RESOLVES_STATEMENTS = "lookupTableOrView"


@serve("catalog.load")
def load(text: str, _session: Any, _unused: Any) -> str | None:
    """Describe a table for Spark; None when there is none at a path.

    Raises:
        DeltaAnalysisError: DELTA_TABLE_NOT_FOUND for a name whose log is gone, and what
            TimeTravel.of raises.
    """
    request = json.loads(text)
    session = active_session()
    if "path" in request:
        return _at_path(request, session)
    at = _asked(request)
    table = named_table(request)
    # The session catalog keeps the entry of a table whose folder was deleted.
    if not table.log().exists():
        raise DeltaTableNotFoundError("DELTA_TABLE_NOT_FOUND", tableName=table.label)
    snapshot = at.of(table, session)
    return describe(table, snapshot, pinned=bool(at), catalog_entry=request["properties"])


def _at_path(request: Mapping[str, Any], session: SparkSession) -> str | None:
    asked = _asked(request)
    path, named = from_path(request["path"], session)
    if asked and named:
        raise DeltaAnalysisError("DELTA_UNSUPPORTED_TIME_TRAVEL_MULTIPLE_FORMATS")
    at = asked or named
    place = table_path_of(session, path)
    # Without `must`, the caller makes a table that does not exist (`saveAsTable` with a path), so
    # None is an answer and no error. A table inside another table's partition is refused.
    if place is None or (place.below and not request.get("must")):
        if request.get("must"):
            raise missing(session, path, TableRef(root=hadoop_path(session, path)))
        if place is not None:
            refuse_partition(session, TableRef(root=place.path))
        return None
    snapshot = at.of(place.table, session)
    partition = place.partition(snapshot, session)
    return describe(place.table, snapshot, pinned=bool(at), partition=partition)


@serve("catalog.refuse_view")
def refuse_view(name: str, _first: Any, _second: Any) -> None:
    """Refuse DROP TABLE on a view.

    Raises:
        DeltaAnalysisError: WRONG_COMMAND_FOR_OBJECT_TYPE.
    """
    raise DeltaAnalysisError("WRONG_COMMAND_FOR_OBJECT_TYPE", objectName=name)


def missing(session: SparkSession, path: str, table: TableRef) -> DeltaAnalysisError:
    """Return the error for a path without a table: nothing is there, or something else is.

    Statements that are not about rows, such as ALTER TABLE, make no difference between the two.
    """
    if is_called_by(_RESOLVES_STATEMENTS):
        return DeltaTableNotFoundError("DELTA_MISSING_DELTA_TABLE", tableName=path)
    if path_exists(session, table.root):
        return DeltaTableNotFoundError("DELTA_TABLE_NOT_FOUND", tableName=path)
    return DeltaTableNotFoundError("PATH_NOT_FOUND", path=table.root)


def named_table(request: Mapping[str, Any]) -> TableRef:
    """Return the table of an entry in the session catalog."""
    name = f"{request['catalog']}.{request['namespace']}.{request['table']}"
    return TableRef(root=request["properties"]["location"], name=name)


@serve("catalog.alter")
def alter(text: str, changes: Any, _second: Any) -> None:
    """Run the changes of one ALTER TABLE, which are Spark's TableChange objects.

    Raises:
        DeltaAnalysisError: what `alter_table.alter` raises.
    """
    table = whole_table_of(ScanHandle.from_json(text))
    alter_table.alter(context_of(active_session()), table, changes)


def _asked(request: Mapping[str, Any]) -> TimeTravel:
    if "version" in request:
        return TimeTravel(version=version_number(request["version"]))
    return TimeTravel(micros=request["micros"]) if "micros" in request else NEWEST
