"""A whole check of a table: its log, what the log says, where its files are, what is in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from os import PathLike

from puredelta._util.progress import track
from puredelta.errors import DeltaTableNotFoundError
from puredelta.log.actions import AddFile, Metadata
from puredelta.log.names import LOG_FOLDER
from puredelta.schema.datatypes import StructType
from puredelta.storage.location import path_text
from puredelta.storage.schemes import open_store
from puredelta.storage.store import Store
from puredelta.table.check.data_files import FileContents, contents_of
from puredelta.table.check.file_existence import FileExistence, place_findings
from puredelta.table.check.finding import Finding, Report, Severity, error
from puredelta.table.check.log_check import walk_log
from puredelta.table.check.metadata_check import (
    file_findings,
    partition_findings,
    protocol_findings,
    schema_findings,
    schema_of,
    spelling_findings,
)
from puredelta.table.check.naive_replay import ReplayedFiles
from puredelta.table.columns.column_mapping import mapping_mode

_WORKERS = 8
# So many files wait for a worker at a time: `map` would otherwise queue all files of the table.
_BATCH = 4096
_RANK = {severity: rank for rank, severity in enumerate(Severity)}


def check_table(
    path: str | PathLike[str],
    *,
    quick: bool = False,
    storage_options: Mapping[str, str] | None = None,
) -> Report:
    """Look whether the latest version of a table is whole, and all that is left of its log.

    Nothing is written, and the table may be written to meanwhile. Files that only older versions
    name are not looked at.

    Args:
        path: Where it lies: a folder of this machine, or a URL such as `s3://bucket/table`.
        quick: Look at the footers of the data files in place of all rows.
        storage_options: What the store needs to get in, under the names obstore has for it.

    Raises:
        DeltaTableNotFoundError: There is no table (DELTA_PATH_DOES_NOT_EXIST).
        DeltaRuntimeError: The store cannot be reached (DELTA_STORAGE_FAILURE).
    """
    options = dict(storage_options or {})
    return check_store(open_store(path_text(path), options), quick=quick, options=options)


def check_store(
    store: Store, *, quick: bool = False, options: Mapping[str, str] | None = None
) -> Report:
    """Look whether the table in a store is whole; see `check_table`."""
    walked = walk_log(store)
    if walked.version is None:
        raise DeltaTableNotFoundError("DELTA_PATH_DOES_NOT_EXIST", path=store.url)
    findings = list(walked.findings)
    files = 0
    if walked.state is not None:
        files = len(walked.state.files)
        findings += _state_findings(store, walked.state, dict(options or {}), quick=quick)
    findings.sort(key=lambda found: (_RANK[found.severity], found.file, found.code))
    return Report(store.url, walked.version, files, tuple(findings))


def _state_findings(
    store: Store, state: ReplayedFiles, options: dict[str, str], *, quick: bool
) -> Iterator[Finding]:
    protocol, metadata = state.protocol, state.metadata
    if protocol is None or metadata is None:
        what = "protocol" if protocol is None else "metadata"
        yield error("log-incomplete", LOG_FOLDER, f"The log has no {what} action.")
        return
    files = list(state.files.values())
    yield from protocol_findings(protocol, metadata, store.url)
    yield from schema_findings(metadata)
    yield from file_findings(files, protocol)
    yield from spelling_findings(state, store.url)
    with ThreadPoolExecutor(_WORKERS) as pool:
        places = FileExistence(store, options, pool)
        places.load(files)
        yield from places.strangers(state)
        contents = None
        if (schema := schema_of(metadata)) is not None:
            yield from partition_findings(files, schema, metadata)
            # Which values are whose cannot be said of columns of one name.
            if len({name.lower() for name in schema.names}) == len(schema.names):
                contents = _contents(store, options, schema, metadata, quick=quick)
        yield from _look(pool, places, contents, files)


def _contents(
    store: Store, options: dict[str, str], schema: StructType, metadata: Metadata, *, quick: bool
) -> FileContents:
    mode = mapping_mode(metadata.configuration)
    return contents_of(store, options, schema, metadata.partition_columns, mode, quick=quick)


def _look(
    pool: Executor, places: FileExistence, contents: FileContents | None, files: list[AddFile]
) -> Iterator[Finding]:
    for found in track(_each(pool, places, contents, files), "checking", len(files)):
        yield from found


def _each(
    pool: Executor, places: FileExistence, contents: FileContents | None, files: list[AddFile]
) -> Iterator[list[Finding]]:
    for start in range(0, len(files), _BATCH):
        yield from pool.map(partial(_file, places, contents), files[start : start + _BATCH])


def _file(places: FileExistence, contents: FileContents | None, add: AddFile) -> list[Finding]:
    place = places.find(add)
    found = list(place_findings(add, place))
    if place is None or contents is None or not place[1].size:
        return found
    return [*found, *contents.findings(add, place)]
