"""format("delta") with a path: load() finds a version, save() writes one."""

import json
from typing import Any

from pyspark.sql import DataFrame

from puredelta.commands.create import FirstSave
from puredelta.commands.table_ref import TableRef
from puredelta.commands.write import APPEND, OVERWRITE, Write, resolved_overwrite
from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.context import context_of
from puredelta.engine.paths import hadoop_path
from puredelta.engine.spark import session_of
from puredelta.engine.table_options import file_system_options
from puredelta.errors.classes import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.frontend.catalog.description import describe
from puredelta.frontend.catalog.tables import missing
from puredelta.frontend.catalog.time_travel import from_options, from_path
from puredelta.frontend.datasource.options import lowered, partition_by, write_options


@serve("source.load")
def load(text: str, jvm_session: Any, _second: Any) -> str:
    """Describe the table at a path for a read.

    Raises:
        DeltaAnalysisError: PATH_NOT_FOUND, DELTA_TABLE_NOT_FOUND, and what TimeTravel.of raises.
    """
    session = session_of(jvm_session)
    options = lowered(json.loads(text))
    path, named = from_path(_path(options), session)
    asked = from_options(options, session)
    if named and asked:
        raise DeltaAnalysisError("DELTA_UNSUPPORTED_TIME_TRAVEL_MULTIPLE_FORMATS")
    at = asked or named
    files = file_system_options(options)
    table = TableRef(root=hadoop_path(session, path, files), options=files)
    if not table.log().exists():
        raise missing(session, path, table)
    return describe(table, at.of(table, session), pinned=bool(at))


@serve("source.save")
def save(text: str, jvm_session: Any, jvm_frame: Any) -> None:
    """Write a DataFrame to a path, in one of the writer's modes.

    Raises:
        DeltaAnalysisError: DELTA_PATH_EXISTS, and what Write and FirstSave raise.
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
        FirstSave(table=table, frame=frame, mode=mode, partition_by=columns, options=options).run(
            context
        )
    elif mode == "ErrorIfExists":
        raise DeltaAnalysisError("DELTA_PATH_EXISTS", path=table.root)
    elif mode != "Ignore":
        write = Write(
            table=table,
            frame=frame,
            mode=APPEND if mode == "Append" else OVERWRITE,
            same_types=True,
            partition_by=columns,
            options=options,
        )
        resolved_overwrite(write, context).run(context)


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
