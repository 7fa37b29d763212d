"""Where the live files of a version are listed, for a reader that cannot have all in memory.

Protocol: Action Reconciliation.
"""

from dataclasses import dataclass

import pyarrow as pa

from puredelta.log.actions import AddFile
from puredelta.log.checkpoint.read import open_checkpoint
from puredelta.log.files import FILES, FileKey, files_table
from puredelta.log.live_files import newest_actions
from puredelta.log.replay import fetched
from puredelta.log.snapshot import Snapshot


@dataclass(frozen=True)
class CheckpointFiles:
    """The live files of a version: the adds of `parquet` that are not `gone`, and `newer`.

    Attributes:
        parquet: Files of the log, below the table's root, with a struct column `add`.
        newer: What later commits added, as `FILES`.
        gone: The files that later commits add or remove.
    """

    parquet: tuple[str, ...]
    newer: pa.Table
    gone: frozenset[FileKey]


def checkpoint_files(snapshot: Snapshot) -> CheckpointFiles | None:
    """Return where the live files are; None when no Parquet file holds the bulk of them.

    Raises:
        DeltaIllegalStateError: A file of the log is damaged.
        ObjectNotFound: A file of the log is gone.
    """
    store, segment = snapshot.store, snapshot.segment
    if segment.checkpoint is None:
        return None
    checkpoint = open_checkpoint(store, segment.checkpoint)
    # Protocol: V2 Spec. File actions are all in the top-level file or all in sidecars, so without
    # Parquet they are in its JSON.
    parts = [part.name for part in checkpoint.parts if part.name.endswith(".parquet")]
    parquet = (*parts, *checkpoint.sidecars)
    if not parquet:
        return None
    newest = newest_actions(fetched(store, segment.replay_files()))
    adds = [action for action in newest.values() if isinstance(action, AddFile)]
    # Added files are gone from the checkpoint too: a file that is added again has a newer record.
    return CheckpointFiles(
        parquet, files_table(adds) if adds else FILES.empty_table(), frozenset(newest)
    )
