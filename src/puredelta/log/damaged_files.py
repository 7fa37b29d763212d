"""Other ways to read a version, for when a file that only saves time is damaged or gone.

Commits contain everything; checkpoints and compactions repeat it. So damage to one of the latter
makes reading slower, not impossible, as long as the log reaches back far enough.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from puredelta.errors import DeltaError, DeltaIllegalStateError
from puredelta.log.listing import LogListing, list_log
from puredelta.log.segment import LogSegment, segment_of
from puredelta.storage.store import ObjectInfo, ObjectNotFound, Store

_logger = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")

_MAX_CHECKPOINTS = 3
"""How many more checkpoints are tried before the log is read from its beginning."""


def read_with_fallbacks(
    store: Store, segment: LogSegment, read: Callable[[LogSegment], _Answer]
) -> _Answer:
    """Read a segment; where a file of it is damaged or gone, read the version another way.

    Args:
        store: Where the table lies.
        segment: The files to read.
        read: Reads the files of a segment; called again with others when it fails.

    Raises:
        DeltaIllegalStateError: A file is damaged that nothing stands in for.
        ObjectNotFound: A file is gone that nothing stands in for.
    """
    try:
        return read(segment)
    except (DeltaIllegalStateError, ObjectNotFound) as error:
        first = error
    for other in other_segments(store, segment):
        try:
            answer = read(other)
        except (DeltaIllegalStateError, ObjectNotFound):
            continue
        _logger.warning("version %d of %s: %s", segment.version, store.url, first)
        return answer
    # The first error is about the files that the version should be read from.
    raise first


def other_segments(store: Store, segment: LogSegment) -> Iterator[LogSegment]:
    """Find other files that describe the same version, the quickest to read first."""
    if segment.compactions:
        segment = replace(segment, compactions=())
        yield segment
    if segment.checkpoint is None:
        return
    # The segment may come from a listing that began at its checkpoint: older ones are not in it.
    listing = list_log(store)
    for checkpoint in _other_checkpoints(listing, segment):
        version, files = checkpoint
        only = replace(listing, checkpoints={version: files} if files else {}, compactions={})
        try:
            yield segment_of(store, only, segment.version)
        except DeltaError:
            continue


def _other_checkpoints(
    listing: LogListing, segment: LogSegment
) -> list[tuple[int, tuple[ObjectInfo, ...]]]:
    """List the checkpoints up to a version but for its own, newest first; then none at all."""
    found = [
        (version, files)
        for version, spares in sorted(listing.spares.items(), reverse=True)
        for files in spares
        if version <= segment.version and files != segment.checkpoint
    ]
    return [*found[:_MAX_CHECKPOINTS], (-1, ())]
