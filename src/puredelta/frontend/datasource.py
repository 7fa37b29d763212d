"""format("delta") with a path: load() finds a version, save() writes one."""

import json
import logging
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from puredelta.commands.create.existing_table import check_clustering_stays
from puredelta.commands.create.first_save import FirstSave
from puredelta.commands.table_ref import TableRef
from puredelta.commands.write.overwrite_mode import resolve_overwrite
from puredelta.commands.write.write import APPEND, OVERWRITE, Write
from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.hadoop.table_options import file_system_options
from puredelta.engine.scan.change_feed import describe_changes, frame_of_changes, plan_in_place
from puredelta.engine.scan.handle import ScanHandle
from puredelta.engine.session.context import context_of
from puredelta.engine.session.paths import hadoop_path
from puredelta.engine.session.sessions import active_session, session_of
from puredelta.errors.classes import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.frontend.catalog.change_feed_range import (
    RequestedRange,
    asks_for_changes,
    from_reader,
)
from puredelta.frontend.catalog.load_table import missing
from puredelta.frontend.catalog.partition_paths import (
    TablePath,
    is_table,
    refuse_partition,
    table_path_of,
)
from puredelta.frontend.catalog.table_description import describe, whole_table_of
from puredelta.frontend.catalog.time_travel import from_options, from_path
from puredelta.frontend.options import (
    READER_OPTIONS,
    cluster_by,
    lowered,
    partition_by,
    warn_of_slips,
    write_options,
)

logger = logging.getLogger(__name__)


@serve("source.load")
def load(text: str, jvm_session: Any, _second: Any) -> str:
    """Describe the table at a path for a read.

    Raises:
        DeltaAnalysisError: PATH_NOT_FOUND, DELTA_TABLE_NOT_FOUND, and what `TimeTravel.of`,
            `TablePath.partition` and `RequestedRange.of` raise; DELTA_OPERATION_NOT_ALLOWED for
            changes of a partition.
    """
    session = session_of(jvm_session)
    given = json.loads(text)
    warn_of_slips(given, READER_OPTIONS)
    options = lowered(given)
    path, named = from_path(_path(options), session)
    wanted = from_reader(options, session) if asks_for_changes(options) else None
    if wanted and named:
        raise DeltaAnalysisError("DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS")
    # A path and an option could name two versions, of which neither has precedence.
    asked = from_options(options, session)
    if named and asked:
        raise DeltaAnalysisError("DELTA_UNSUPPORTED_TIME_TRAVEL_MULTIPLE_FORMATS")
    at = asked or named
    files = file_system_options(options)
    place = table_path_of(session, path, files)
    if place is None:
        raise missing(session, path, TableRef(root=hadoop_path(session, path, files)))
    if wanted:
        return _changes(place, wanted, session)
    snapshot = at.of(place.table, session)
    partition = place.partition(snapshot, session)
    return describe(place.table, snapshot, pinned=bool(at), partition=partition)


def _changes(place: TablePath, wanted: RequestedRange, session: SparkSession) -> str:
    if place.below:
        raise DeltaAnalysisError(
            "DELTA_OPERATION_NOT_ALLOWED", operation="Reading the changes of one partition's folder"
        )
    table = place.table
    snapshot, span = wanted.of(table, session)
    return describe_changes(table.root, table.name, snapshot, span, table.options)


@serve("table.read_options")
def read_options(text: str, handle: Any, relation: Any) -> Any:
    """Read the options of a table that is read by its name.

    Returns:
        The plan that replaces the table where its changes are asked for; None otherwise.

    Raises:
        DeltaAnalysisError: what `from_reader` and `RequestedRange.of` raise.
    """
    options = lowered(json.loads(text))
    if not asks_for_changes(options):
        return None
    session = active_session()
    read = ScanHandle.from_json(handle)
    if read.version is not None:
        raise DeltaAnalysisError("DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS")
    table = whole_table_of(read)
    snapshot, span = from_reader(options, session).of(table, session)
    frame = frame_of_changes(session, table.root, table.name, snapshot, span, table.options)
    return plan_in_place(frame, relation.output())


@serve("files.check")
def check_folder(text: str, jvm_session: Any, _second: Any) -> None:
    """Look where files of another format are to go.

    Raises:
        DeltaAnalysisError: PUREDELTA_FOLDER_IS_TABLE.
    """
    request = json.loads(text)
    session, path = session_of(jvm_session), request["path"]
    if not (context_of(session).settings.format_check and _is_of_table(session, path)):
        return
    if request["mode"] == "Overwrite":
        raise DeltaAnalysisError("PUREDELTA_FOLDER_IS_TABLE", path=path, format=request["format"])
    if request["mode"] == "Append":
        logger.warning(
            "%s is a Delta table: files of %s that are written there are no part of it,"
            " and VACUUM deletes them; write with format('delta')",
            path, request["format"],
        )  # fmt: skip


def _is_of_table(session: SparkSession, path: str) -> bool:
    if TableRef(root=hadoop_path(session, path)).log().exists():
        return True
    # The store is asked about each folder above. Folders of partitions contain `=`.
    return "=" in path and is_table(session, path)


@serve("source.save")
def save(text: str, jvm_session: Any, jvm_frame: Any) -> None:
    """Write a DataFrame to a path, in one of the writer's modes.

    Raises:
        DeltaAnalysisError: DELTA_PATH_EXISTS, DELTA_CLUSTERING_COLUMNS_MISMATCH, and what Write
            and FirstSave raise.
    """
    request = json.loads(text)
    session = session_of(jvm_session)
    context = context_of(session)
    mode, given = request["mode"], request["options"]
    options = write_options(given)
    columns = partition_by(given)
    frame = DataFrame(jvm_frame, session)
    files = file_system_options(lowered(given))
    path = _path(lowered(given))
    table = TableRef(root=hadoop_path(session, path, files), options=files)
    # Spark passes every save here, whether the table exists or not.
    if not table.log().exists():
        # A table of its own inside a partition would be a second log over the folder of the first.
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
        resolve_overwrite(write, context).run(context)


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
