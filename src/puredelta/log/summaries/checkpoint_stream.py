"""Writing the checkpoint of a first version out of its commit, piece by piece.

Protocol: Checkpoints. A first version only adds files, so none of them has to be compared with any
other, and no more of them are in memory than lie in one piece of the commit.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain

import pyarrow as pa

from puredelta._util.progress import progress
from puredelta.log.actions import Action, AddFile, decode_file_actions
from puredelta.log.checkpoint.hint import LastCheckpoint, write_last_checkpoint
from puredelta.log.files import FILES, TOMBSTONES, files_table
from puredelta.log.names import checkpoint_name, commit_name
from puredelta.log.snapshot import Snapshot
from puredelta.log.summaries.checkpoint import classic_start
from puredelta.log.summaries.checkpoint_options import CheckpointForm
from puredelta.log.summaries.checkpoint_rows import file_rows, file_schema
from puredelta.log.summaries.checkpoint_v2 import write_v2_of
from puredelta.log.summaries.parquet_schema import plain_schema
from puredelta.log.summaries.parquet_write import write_parquet
from puredelta.storage.store import Store


class _UntypedError(Exception):
    """Some partition values cannot be made columns of their types."""


def write_streamed_checkpoint(
    snapshot: Snapshot, num_files: int, form: CheckpointForm, *, piece: int
) -> LastCheckpoint | None:
    """Write the checkpoint of version 0, and then the hint.

    Args:
        snapshot: The version, whose files are not asked for.
        num_files: How many files its commit adds.
        form: What the checkpoint is to look like.
        piece: So many bytes are read from the commit, and sent to the store, at a time.

    Returns:
        The hint, or None when there was a checkpoint already.

    Raises:
        DeltaError: The store failed, or the commit cannot be read.
    """
    try:
        hint = _write(snapshot, num_files, _strict(form), piece)
    except _UntypedError:
        # Pieces before this one are written with the columns, so the checkpoint begins again.
        hint = _write(snapshot, num_files, replace(form, partitions=None), piece)
    if hint is not None:
        write_last_checkpoint(snapshot.store, hint)
    return hint


def added_files(store: Store, name: str, length: int) -> Iterator[list[AddFile]]:
    """Read the files that a long commit adds, those of some bytes at a time.

    Raises:
        DeltaIllegalStateError: The commit is damaged.
        ObjectNotFound: It is gone.
    """
    start, rest = 0, b""
    while piece := store.read_range(name, start, length):
        start += len(piece)
        # A piece ends within a line: what follows its last newline belongs to the next piece.
        whole, newline, rest = (rest + piece).rpartition(b"\n")
        if newline and (some := _adds(whole, name)):
            yield some
    # A commit of another writer may end without a newline.
    if some := _adds(rest, name):
        yield some


def _adds(lines: bytes, name: str) -> list[AddFile]:
    pieces = decode_file_actions(lines, name)
    return [action for some in pieces for action in some if isinstance(action, AddFile)]


def _strict(form: CheckpointForm) -> CheckpointForm:
    """Let all pieces have typed partition values or none: readers take missing ones for nulls."""
    typed = form.partitions
    if typed is None or typed(FILES.empty_table()) is None:
        return replace(form, partitions=None)

    def typed_or_not_at_all(files: pa.Table) -> pa.Table:
        found = typed(files)
        if found is None:
            raise _UntypedError
        return found

    return replace(form, partitions=typed_or_not_at_all)


def _write(
    snapshot: Snapshot, num_files: int, form: CheckpointForm, piece: int
) -> LastCheckpoint | None:
    actions: list[Action] = [
        snapshot.protocol,
        snapshot.metadata,
        *snapshot.domains.values(),
        *snapshot.transactions.values(),
    ]
    schema = file_schema(FILES.empty_table(), form)
    with progress("writing the checkpoint", num_files) as step:
        adds = added_files(snapshot.store, commit_name(snapshot.version), piece)
        pieces = _as_tables(adds, step)
        if not form.is_v2:
            tables = (_rows(files, form) for files in pieces)
            return _write_classic(snapshot, actions, tables, num_files, schema, piece)
        store, version = snapshot.store, snapshot.version
        # Each table becomes a sidecar, whose name states how many there are: their length is fixed.
        tables = (_rows(table, form) for table in _regrouped(pieces, form.rows_per_file))
        return write_v2_of(store, version, actions, tables, (num_files, 0), schema, form)


def _as_tables(pieces: Iterable[list[AddFile]], step: Callable[[int], None]) -> Iterator[pa.Table]:
    for adds in pieces:
        yield files_table(adds)
        step(len(adds))


def _rows(files: pa.Table, form: CheckpointForm) -> pa.Table:
    whole = replace(form, rows_per_file=max(files.num_rows, 1))
    (table,) = file_rows(files, TOMBSTONES.empty_table(), whole)
    return table


def _regrouped(pieces: Iterable[pa.Table], length: int) -> Iterator[pa.Table]:
    """Make tables of a certain length, of which only the last one is shorter."""
    waiting = FILES.empty_table()
    for piece in pieces:
        waiting = pa.concat_tables([waiting, piece])
        while waiting.num_rows > length:
            yield waiting.slice(0, length)
            waiting = waiting.slice(length)
    if waiting.num_rows:
        yield waiting


def _write_classic(
    snapshot: Snapshot,
    actions: list[Action],
    tables: Iterable[pa.Table],
    num_files: int,
    file_columns: pa.Schema,
    piece: int,
) -> LastCheckpoint | None:
    small, schema = classic_start(actions, file_columns)
    # The size of an upload must be known before, and the file may not fit into memory.
    with tempfile.TemporaryFile() as file:
        write_parquet(file, chain([small], tables), schema)
        size = file.tell()
        file.seek(0)
        name = checkpoint_name(snapshot.version)
        if not snapshot.store.put_stream_if_absent(name, iter(lambda: file.read(piece), b"")):
            return None
    return LastCheckpoint(
        version=snapshot.version,
        size=len(actions) + num_files,
        size_in_bytes=size,
        num_of_add_files=num_files,
        checkpoint_schema=plain_schema(schema),
    )
