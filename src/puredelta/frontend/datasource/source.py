"""format("delta") with a path: load() finds a version, save() writes one."""

import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame

from puredelta.commands.existing_table import check_clustering_stays
from puredelta.commands.first_save import FirstSave
from puredelta.commands.overwrite.resolved import resolved_overwrite
from puredelta.commands.table_ref import TableRef
from puredelta.commands.write import APPEND, OVERWRITE, Write
from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.context import context_of
from puredelta.engine.paths import hadoop_path
from puredelta.engine.spark import session_of
from puredelta.engine.table_options import file_system_options
from puredelta.errors.classes import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.frontend.catalog.description import describe
from puredelta.frontend.catalog.place import place_of, refuse_partition
from puredelta.frontend.catalog.tables import missing
from puredelta.frontend.catalog.time_travel import from_options, from_path
from puredelta.frontend.datasource.options import (
    cluster_by,
    lowered,
    partition_by,
    write_options,
)


@serve("source.load")
def load(text: str, jvm_session: Any, _second: Any) -> str:
    """Describe the table at a path for a read.

    Raises:
        DeltaAnalysisError: PATH_NOT_FOUND, DELTA_TABLE_NOT_FOUND, and what TimeTravel.of and
            Place.partition raise; DELTA_OPERATION_NOT_ALLOWED for the change data feed.
    """
    session = session_of(jvm_session)
    options = lowered(json.loads(text))
    _refuse_changes(options)
    path, named = from_path(_path(options), session)
    asked = from_options(options, session)
    if named and asked:
        raise DeltaAnalysisError("DELTA_UNSUPPORTED_TIME_TRAVEL_MULTIPLE_FORMATS")
    at = asked or named
    files = file_system_options(options)
    place = place_of(session, path, files)
    if place is None:
        raise missing(session, path, TableRef(root=hadoop_path(session, path, files)))
    snapshot = at.of(place.table, session)
    partition = place.partition(snapshot, session)
    return describe(place.table, snapshot, pinned=bool(at), partition=partition)


@serve("table.read_options")
def read_options(text: str, _first: Any, _second: Any) -> None:
    """Look at the options of a table that is read by its name.

    Raises:
        DeltaAnalysisError: DELTA_OPERATION_NOT_ALLOWED for the change data feed.
    """
    _refuse_changes(lowered(json.loads(text)))


@serve("source.save")
def save(text: str, jvm_session: Any, jvm_frame: Any) -> None:
    """Write a DataFrame to a path, in one of the writer's modes.

    Raises:
        DeltaAnalysisError: DELTA_PATH_EXISTS, DELTA_CLUSTERING_COLUMNS_MISMATCH, and what Write
            and FirstSave raise.
    """
    told = json.loads(text)
    session = session_of(jvm_session)
    context = context_of(session)
    mode, given = told["mode"], told["options"]
    options = write_options(given)
    columns = partition_by(given)
    frame = DataFrame(jvm_frame, session)
    files = file_system_options(lowered(given))
    path = _path(lowered(given))
    table = TableRef(root=hadoop_path(session, path, files), options=files)
    if not table.log().exists():
        refuse_partition(session, table)
        FirstSave(
            table=table,
            frame=frame,
            mode=mode,
            partition_by=columns,
            cluster_by=cluster_by(given),
            options=options,
        ).run(context)
    elif mode == "ErrorIfExists":
        raise DeltaAnalysisError("DELTA_PATH_EXISTS", path=table.root)
    elif mode != "Ignore":
        clustering = cluster_by(given)
        if clustering is not None:
            check_clustering_stays(table.log().latest(), clustering)
        write = Write(
            table=table,
            frame=frame,
            mode=APPEND if mode == "Append" else OVERWRITE,
            same_types=True,
            partition_by=columns,
            options=options,
        )
        resolved_overwrite(write, context).run(context)


def _refuse_changes(options: Mapping[str, str]) -> None:
    """Refuse to read the change data feed: the rows of the table are not what is asked for."""
    for name in ("readChangeFeed", "readChangeData"):
        asked = options.get(name.lower(), "false").lower()
        if asked not in {"true", "false"}:
            raise DeltaIllegalArgumentError(
                "DELTA_ILLEGAL_OPTION", input=asked, name=name, explain="must be 'true' or 'false'"
            )
        if asked == "true":
            raise DeltaAnalysisError("DELTA_OPERATION_NOT_ALLOWED", operation=f"The option {name}")


def _path(options: dict[str, str]) -> str:
    path = options.get("path")
    if path is None:
        raise DeltaIllegalArgumentError(
            "DELTA_ILLEGAL_OPTION",
            input="",
            name="path",
            explain="say where the table lies: load(path) or save(path)",
        )
    return path
