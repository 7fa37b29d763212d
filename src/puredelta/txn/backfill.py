"""Row ids for files that are there already, before a table says that every row has one.

Protocol: Row Tracking. First the protocol makes all writers give ids to new files, then the old
files get theirs, some in each commit; row tracking is turned on only when no file is without an id.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from puredelta.log.actions import Protocol
from puredelta.log.files import add_files, canonical_path
from puredelta.log.snapshot import Snapshot
from puredelta.table.protocol.protocol import ProtocolRequest, upgrade
from puredelta.table.protocol.row_tracking import ENABLED, FEATURE, check_properties
from puredelta.txn.commit_info import BACKFILL, Operation
from puredelta.txn.row_id_check import files_without_ids
from puredelta.txn.transaction import Transaction

# The default of delta-spark's `rowTracking.backfill.maxNumFiles`. It bounds the files in memory,
# and the ids of earlier commits stay when a later one fails.
FILES_PER_COMMIT = 22_000

Begin = Callable[[Snapshot], Transaction]


def backfill(before: Snapshot, begin: Begin, files_per_commit: int = FILES_PER_COMMIT) -> Snapshot:
    """Give every file of a table row ids, in as many commits as it takes.

    Args:
        before: The latest version.
        begin: Starts a transaction on a version.
        files_per_commit: How many files get ids in one commit.

    Returns:
        The version whose files all have ids; new files of others will have them too.

    Raises:
        DeltaIllegalStateError: The table has suspended row tracking.
        DeltaConcurrentModificationError: Another writer changed metadata or protocol.
    """
    # The property is still off here. Asked as if it were on, so that a table which suspends row ids
    # is refused before its files get some.
    check_properties({**before.configuration, ENABLED: "true"})
    # The feature comes first: from then on other writers give ids to the files that they add, so
    # the loop below has an end.
    now = _with_feature(before, begin)
    batch = 0
    while (missing := files_without_ids(now.files)).num_rows:
        files = add_files(missing.slice(0, files_per_commit))
        transaction = begin(now)
        transaction.read_files(canonical_path(file.path) for file in files)
        # The commit assigns the ids (`stamp_commit`); a file that is added again without a data
        # change shows to streams and change feeds as nothing new.
        given = [msgspec.structs.replace(file, data_change=False) for file in files]
        operation = Operation(BACKFILL, {"batchId": str(batch)})
        now = transaction.commit(given, operation).snapshot
        batch += 1
    return now


def _with_feature(before: Snapshot, begin: Begin) -> Snapshot:
    request = ProtocolRequest(features=frozenset({FEATURE}))
    protocol = upgrade(before.protocol, before.metadata, request)
    if protocol == before.protocol:
        return before
    operation = Operation("UPGRADE PROTOCOL", {"newProtocol": _shown(protocol)})
    return begin(before).commit([], operation, protocol=protocol).snapshot


def _shown(protocol: Protocol) -> dict[str, object]:
    """A protocol as history has it: features that there are not are null."""
    return {
        "minReaderVersion": protocol.min_reader_version,
        "minWriterVersion": protocol.min_writer_version,
        "readerFeatures": protocol.reader_features,
        "writerFeatures": protocol.writer_features,
    }
