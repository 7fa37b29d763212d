"""The files of a version whose log changed between the look at it and the look at its files."""

import logging
from collections.abc import Iterator

import pyarrow as pa

from puredelta.errors import DeltaError, DeltaFileNotFoundError, DeltaIllegalStateError
from puredelta.log.damaged_files import other_segments
from puredelta.log.names import LOG_FOLDER
from puredelta.log.replay import State, replay
from puredelta.log.segment import LogSegment, load_segment
from puredelta.storage.store import ObjectNotFound, Store

_logger = logging.getLogger(__name__)


def files_read_again(store: Store, segment: LogSegment, known: State, error: Exception) -> pa.Table:
    """Read the files of a version when a file of its segment is gone or damaged.

    Log cleanup takes checkpoints away that newer ones make needless; a newer one up to the version
    then tells the same. What is found is taken only if it is the same version of the same table.

    Args:
        store: Where the table lies.
        segment: What could not be read.
        known: What is known of the version, but for its files.
        error: What was wrong.

    Raises:
        DeltaFileNotFoundError: The version cannot be read any more.
        DeltaIllegalStateError: A file of the log is damaged, and nothing stands in for it.
    """
    for other in _segments(store, segment):
        files = _files_if_same(store, other, known)
        if files is not None:
            _logger.warning("version %d of %s: %s", segment.version, store.url, error)
            return files
    if not isinstance(error, ObjectNotFound):
        raise error
    raise DeltaFileNotFoundError(
        "DELTA_LOG_FILE_NOT_FOUND",
        version=segment.version,
        checkpointVersion=segment.checkpoint_version,
        logPath=f"{store.url}/{LOG_FOLDER}",
    ) from error


def _segments(store: Store, segment: LogSegment) -> Iterator[LogSegment]:
    try:
        fresh = load_segment(store, segment.version)
    except DeltaError:
        return
    # A commit that is not the one it was belongs to a table made anew at the same place.
    if fresh.last_commit in (segment.last_commit, None):
        yield fresh
        yield from other_segments(store, fresh)


def _files_if_same(store: Store, segment: LogSegment, known: State) -> pa.Table | None:
    try:
        state = replay(store, segment)
        if (state.protocol, state.metadata) != (known.protocol, known.metadata):
            return None
        return state.live.table()
    except (DeltaIllegalStateError, ObjectNotFound):
        return None
