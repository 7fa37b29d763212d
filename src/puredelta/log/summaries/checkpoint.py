"""Writing a checkpoint, and the hint that leads to it.

Protocol: Checkpoints; Last Checkpoint File.
"""

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.log.actions import Action, DomainMetadata, Metadata, Protocol, SetTransaction
from puredelta.log.checkpoint.hint import LastCheckpoint, write_last_checkpoint
from puredelta.log.names import checkpoint_name
from puredelta.log.snapshot import Snapshot
from puredelta.log.summaries.checkpoint_options import PLAIN, CheckpointForm
from puredelta.log.summaries.checkpoint_rows import file_rows, file_schema, small_rows
from puredelta.log.summaries.checkpoint_v2 import write_v2
from puredelta.log.summaries.parquet_schema import plain_schema
from puredelta.log.summaries.parquet_write import parquet_bytes

# The order of the columns is that of delta-spark's checkpoints.
_BEFORE_FILES = (SetTransaction,)
_AFTER_FILES = (Metadata, Protocol, DomainMetadata)


def write_checkpoint(
    snapshot: Snapshot,
    *,
    tombstones_since: int,
    transactions_since: int | None = None,
    form: CheckpointForm = PLAIN,
) -> LastCheckpoint:
    """Write the checkpoint of a version, and then the hint.

    A checkpoint is made of the state alone, so writing one twice does no harm.

    Args:
        snapshot: The version, whose commit file must exist.
        tombstones_since: Removed files whose deletion is older are forgotten, in milliseconds.
        transactions_since: Entries of applications that were last updated before, or do not say
            when, are forgotten; all are kept by default.
        form: What it is to look like.

    Raises:
        DeltaIllegalStateError: A file of the log is damaged.
        DeltaRuntimeError: The store failed.
    """
    tombstones = _unexpired(snapshot.tombstones(), tombstones_since)
    actions: list[Action] = [
        snapshot.protocol,
        snapshot.metadata,
        *snapshot.domains.values(),
        *_unexpired_transactions(snapshot, transactions_since),
    ]
    if form.is_v2:
        hint = write_v2(snapshot.store, snapshot.version, actions, snapshot.files, tombstones, form)
    else:
        hint = _write_classic(snapshot, actions, tombstones, form)
    # The hint comes last, so that it never names a checkpoint that is not complete.
    write_last_checkpoint(snapshot.store, hint)
    return hint


def _write_classic(
    snapshot: Snapshot, actions: list[Action], tombstones: pa.Table, form: CheckpointForm
) -> LastCheckpoint:
    files = snapshot.files
    small, schema = classic_start(actions, file_schema(files, form))
    data = parquet_bytes([small, *file_rows(files, tombstones, form)], schema)
    snapshot.store.put(checkpoint_name(snapshot.version), data)
    return LastCheckpoint(
        version=snapshot.version,
        size=len(actions) + tombstones.num_rows + files.num_rows,
        size_in_bytes=len(data),
        num_of_add_files=files.num_rows,
        checkpoint_schema=plain_schema(schema),
    )


def classic_start(actions: Iterable[Action], files: pa.Schema) -> tuple[pa.Table, pa.Schema]:
    """Return the rows of a classic checkpoint that are not about files, and all of its columns.

    Args:
        actions: The actions but those of files.
        files: The columns for files.
    """
    small = small_rows(actions, (*_BEFORE_FILES, *_AFTER_FILES))
    fields = {field.name: field for field in small.schema}
    return small, pa.schema([fields.pop("txn"), *files, *fields.values()])


def _unexpired(tombstones: pa.Table, since: int) -> pa.Table:
    """Keep what was deleted since; what does not say when counts as deleted long ago."""
    times = pc.fill_null(tombstones["deletion_timestamp"], 0)
    return tombstones.filter(pc.greater_equal(times, since))


def _unexpired_transactions(snapshot: Snapshot, since: int | None) -> Iterable[SetTransaction]:
    return (
        entry
        for entry in snapshot.transactions.values()
        if since is None or (entry.last_updated or 0) >= since
    )
