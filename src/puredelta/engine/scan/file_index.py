"""Answers the planner: which version a query reads, and which files can hold rows for it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa
from msgspec.structs import replace

from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.hadoop.table_options import recall
from puredelta.engine.scan.change_feed import files_of_changes, partitions_of, schema_of_changes
from puredelta.engine.scan.described_table import UNKNOWN_SIZE
from puredelta.engine.scan.distributed_log import BigListing, is_big
from puredelta.engine.scan.file_evaluator import FileEvaluator, conditions_of
from puredelta.engine.scan.file_listing import (
    OF_LIMITS,
    OF_SCANS,
    FileListing,
    ListingInMemory,
    Prune,
    file_lines,
    first_rows,
    has_vectors,
    in_partitions,
    physical_partitions,
)
from puredelta.engine.scan.file_sizes import warn_of_sizes
from puredelta.engine.scan.handle import (
    FeedPart,
    ScanHandle,
    ScanQuestion,
    schema_fingerprint,
    to_json,
)
from puredelta.engine.scan.pinned_files import planned, subset
from puredelta.engine.scan.reader_settings import set_reader_settings
from puredelta.engine.scan.row_tracking_metadata import as_stored
from puredelta.engine.session.sessions import active_session, setting
from puredelta.engine.session.snapshot_pinning import version_read
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.files import total_bytes
from puredelta.log.snapshot import Snapshot
from puredelta.log.table_log import open_log
from puredelta.schema.codec import schema_from_json
from puredelta.schema.datatypes import VOID, StructType
from puredelta.schema.walk import types_in
from puredelta.settings import DERIVED_FILTERS
from puredelta.storage.location import table_url
from puredelta.table.columns.column_mapping import MappingMode, mapping_mode
from puredelta.table.columns.visible_schema import visible_schema
from puredelta.table.expressions.generated_columns import get_generated_columns
from puredelta.table.protocol.protocol import check_readable, features_of

_LISTINGS_KEPT = 8


@serve("scan.pin")
def pin(text: str, analysed: Any, _second: Any) -> str:
    """Name the version that a query reads: the newest when it starts, or the one asked for.

    Says too whether files know columns by other names, whether some have deletion vectors, and
    which columns partition the table: another version may lie otherwise than the one analysed.
    It says last whether filters on other columns may decide about partitions.

    Raises:
        DeltaAnalysisError: DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS when the table has another schema
            than the query was made for; DELTA_READ_TABLE_WITHOUT_COLUMNS.
    """
    handle = ScanHandle.from_json(text)
    snapshot = _version_of(handle)
    _check(handle, snapshot, str(analysed))
    mode, schema = mapping_mode(snapshot.configuration), snapshot.schema
    set_reader_settings(snapshot)
    changes = handle.changes
    if changes is not None:
        changes = _with_end(changes, snapshot)
        handle = replace(handle, changes=changes)
    chosen = handle.only_files is not None or changes is not None
    big = not chosen and is_big(snapshot)
    # A statement may hide rows from a scan of its own by vectors that are in no log.
    may_have = chosen or _may_have_vectors(snapshot)
    # The files of a big version are not in memory, so that they are taken to have deletion vectors.
    vectors = may_have and (big or has_vectors(_files(handle, snapshot)))
    has_ids = handle.row_ids is not None
    pinned = replace(
        handle,
        version=snapshot.version,
        pinned=True,
        row_ids=None if handle.row_ids is None else as_stored(handle.row_ids),
        # Our own format is also needed for row ids in `_metadata`, and for void.
        mapped=mode is not MappingMode.NONE or has_ids or VOID in types_in(schema),
        vectors=vectors,
        derives=changes is None and _derives(snapshot),
    )
    size = snapshot.known_size if big else _size(handle, snapshot)
    return to_json(
        {
            "handle": pinned,
            "bytes": UNKNOWN_SIZE if size is None else size,
            "partitions": _partition_columns(handle, snapshot, str(analysed)),
        }
    )


@serve("scan.partitions")
def partitions(text: str, filters: Any, _second: Any) -> str:
    """List the partitions that can hold rows; Spark evaluates its partition filters over them.

    Returns:
        JSON: their `places` among all, and their `values`.
    """
    question = ScanQuestion.from_json(text)
    listing = listing_of(question.handle)
    conditions = conditions_of(question, filters)
    if conditions:
        places = listing.candidates(FileEvaluator(snapshot_of(question.handle), conditions).prune)
    else:
        places = range(len(listing.partitions))
    values = [listing.partitions[place] for place in places]
    return to_json({"places": list(places), "values": values})


@serve("scan.files")
def files(text: str, data_filters: Any, _second: Any) -> str:
    """List the files that can hold rows, in the partitions that Spark's filters keep.

    Returns:
        How many files each partition has, a line each, then `file_listing.file_lines`.
    """
    question = ScanQuestion.from_json(text)
    handle, conditions = question.handle, conditions_of(question, data_filters)
    prune = FileEvaluator(snapshot_of(handle), conditions).prune if conditions else None
    found, counts = chosen_files(handle, question.keep, prune, OF_SCANS)
    warn_of_sizes(found, handle.root)
    return "\n".join([*map(str, counts), *file_lines(found, handle.root)])


def chosen_files(
    handle: ScanHandle, keep: Sequence[int], prune: Prune | None, columns: Sequence[str]
) -> tuple[pa.Table, list[int]]:
    """Choose the files that a scan reads; see `file_listing.FileListing.chosen`.

    Of a scan under a limit they are the first that have as many rows.
    """
    limit = handle.limit
    wanted = columns if limit is None else dict.fromkeys([*columns, *OF_LIMITS])
    found, counts = listing_of(handle).chosen(keep, prune, list(wanted))
    return (found, counts) if limit is None else first_rows(found, counts, limit)


@serve("scan.input_files")
def input_files(text: str, _first: Any, _second: Any) -> str:
    """List the paths of a version's files, a line each."""
    return "\n".join(listing_of(ScanHandle.from_json(text)).paths())


def _with_end(changes: FeedPart, snapshot: Snapshot) -> FeedPart:
    """Return changes that go up to a version from now on."""
    return replace(changes, end=snapshot.version) if changes.end is None else changes


def _size(handle: ScanHandle, snapshot: Snapshot) -> int:
    if handle.changes is None:
        return snapshot.size_in_bytes
    return total_bytes(_files(handle, snapshot))


def _files(handle: ScanHandle, snapshot: Snapshot) -> pa.Table:
    if handle.only_files is not None:
        return subset(handle.only_files)
    if handle.changes is not None:
        return files_of_changes(handle, handle.changes, snapshot)
    return snapshot.files


def _may_have_vectors(snapshot: Snapshot) -> bool:
    return "deletionVectors" in features_of(snapshot.protocol)


def _derives(snapshot: Snapshot) -> bool:
    """Say whether a partition column is computed from others, and the session makes use of it."""
    generated = {field.name for field in get_generated_columns(snapshot)}
    if generated.isdisjoint(snapshot.partition_columns):
        return False
    return setting(active_session(), DERIVED_FILTERS, "true") != "false"


def snapshot_of(handle: ScanHandle) -> Snapshot:
    """Return the version that a scan's handle names; the newest when it names none."""
    if handle.planned is not None:
        return planned(handle.planned)
    log = open_log(table_url(handle.root), recall(handle.options))
    return log.latest() if handle.version is None else log.at_version(handle.version)


def _version_of(handle: ScanHandle) -> Snapshot:
    if handle.version is not None or handle.planned is not None:
        return snapshot_of(handle)
    return version_read(handle.root, lambda: snapshot_of(handle))


def _check(handle: ScanHandle, snapshot: Snapshot, analysed: str) -> None:
    check_readable(snapshot.protocol, snapshot.metadata, handle.label)
    if not snapshot.schema:
        raise DeltaAnalysisError("DELTA_READ_TABLE_WITHOUT_COLUMNS", tableName=handle.label)
    # Most queries start under the schema that they were analysed with; no schema needs to be
    # compared then.
    if handle.fingerprint == schema_fingerprint(snapshot.metadata):
        return
    is_feed = handle.changes is not None
    now = schema_of_changes(snapshot) if is_feed else visible_schema(snapshot.schema)
    if not _holds(now, schema_from_json(analysed)):
        raise _changed(handle)


def _partition_columns(handle: ScanHandle, now: Snapshot, analysed: str) -> list[str]:
    known = schema_from_json(analysed)
    for name in now.partition_columns:
        # Spark takes the type of a partition column from the schema that the query was analysed
        # with.
        if known.field(name, case_sensitive=True) is None:
            raise _changed(handle)
    return [*now.partition_columns, *_of_changes(handle)]


def _of_changes(handle: ScanHandle) -> list[str]:
    """Return the partition columns that a scan of changes has besides the table's."""
    return [] if handle.changes is None else partitions_of(handle.changes.part)


def _changed(handle: ScanHandle) -> DeltaAnalysisError:
    return DeltaAnalysisError(
        "DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS",
        schemaDiff=f"{handle.label} lost or changed columns that the query reads",
    )


def _holds(now: StructType, wanted: StructType) -> bool:
    """Say whether a version has all columns that a query was made for; others may have come."""
    return all(
        (found := now.field(field.name)) is not None and found.data_type == field.data_type
        for field in wanted
    )


def listing_of(handle: ScanHandle) -> FileListing:
    """Return the files that a handle stands for; those of a version are put together once."""
    wanted = tuple((handle.only_partitions or {}).items())
    if handle.changes is not None:
        snapshot = snapshot_of(handle)
        columns = [*physical_partitions(snapshot), *_of_changes(handle)]
        return ListingInMemory(_files(handle, snapshot), columns, handle.root)
    return _listed(_Listed(handle.root, snapshot_of(handle), handle.only_files, wanted))


class _Listed:
    """What is listed, with a hash: one version of one table is listed once."""

    __slots__ = ("only", "root", "snapshot", "wanted")

    def __init__(
        self,
        root: str,
        snapshot: Snapshot,
        only: int | None,
        wanted: tuple[tuple[str, str | None], ...],
    ) -> None:
        self.root = root
        self.snapshot = snapshot
        self.only = only
        self.wanted = wanted

    def __hash__(self) -> int:
        return hash((self.root, self.snapshot.version, self.only, self.wanted))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Listed)
            # A table that was dropped and made anew has equal version numbers for other files.
            and other.snapshot is self.snapshot
            and (other.root, other.only, other.wanted) == (self.root, self.only, self.wanted)
        )


@lru_cache(maxsize=_LISTINGS_KEPT)
def _listed(listed: _Listed) -> FileListing:
    snapshot = listed.snapshot
    # `inputFiles()` comes here without a query that was checked.
    check_readable(snapshot.protocol, snapshot.metadata, listed.root)
    columns = physical_partitions(snapshot)
    physical = dict(zip(snapshot.partition_columns, columns, strict=True))
    gone = [name for name, _ in listed.wanted if name not in physical]
    if gone:
        raise DeltaAnalysisError(
            "DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS",
            schemaDiff=f"{listed.root} is no longer partitioned by {', '.join(gone)}",
        )
    wanted = {physical[name]: value for name, value in listed.wanted}
    if listed.only is not None:
        return ListingInMemory(subset(listed.only), columns, listed.root)
    if is_big(snapshot):
        return BigListing(active_session(), snapshot, columns, listed.root, wanted)
    fields = {field.name: field for field in snapshot.schema}
    types = [fields[name].data_type for name, _ in listed.wanted]
    return ListingInMemory(in_partitions(snapshot.files, wanted, types), columns, listed.root)
