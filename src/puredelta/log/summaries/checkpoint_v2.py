"""Writing a V2 checkpoint: its files in sidecars, all else in a top-level file that names them.

Protocol: V2 Checkpoint Table Feature; V2 Spec.
"""

import uuid
from collections.abc import Iterable, Sequence
from itertools import islice

import msgspec
import pyarrow as pa

from puredelta.log.actions import (
    Action,
    CheckpointMetadata,
    DomainMetadata,
    Metadata,
    Protocol,
    SetTransaction,
    Sidecar,
    encode_action,
    encode_commit,
)
from puredelta.log.checkpoint.hint import MAX_ACTIONS, LastCheckpoint, V2Hint
from puredelta.log.files import FILES
from puredelta.log.names import sidecar_name, v2_checkpoint_name
from puredelta.log.summaries.checkpoint_options import PLAIN, CheckpointForm
from puredelta.log.summaries.checkpoint_rows import file_rows, file_schema, small_rows
from puredelta.log.summaries.parquet_schema import plain_schema
from puredelta.log.summaries.parquet_write import parquet_bytes
from puredelta.storage.store import Store

_KINDS = (SetTransaction, Metadata, Protocol, DomainMetadata, CheckpointMetadata, Sidecar)


def write_v2(
    store: Store,
    version: int,
    actions: Sequence[Action],
    files: pa.Table,
    tombstones: pa.Table,
    form: CheckpointForm,
) -> LastCheckpoint:
    """Write a V2 checkpoint, without the hint; sidecars first: none is named before it exists.

    Args:
        store: Where the table lies.
        version: The version.
        actions: All actions but those of files.
        files: The live files, as `FILES`.
        tombstones: The removed files, as `TOMBSTONES`.
        form: What it is to look like.

    Returns:
        What the hint is to say.
    """
    tables = file_rows(files, tombstones, form) if files.num_rows + tombstones.num_rows else ()
    counts = (files.num_rows, tombstones.num_rows)
    return write_v2_of(store, version, actions, tables, counts, file_schema(files, form), form)


def write_v2_of(
    store: Store,
    version: int,
    actions: Sequence[Action],
    tables: Iterable[pa.Table],
    counts: tuple[int, int],
    schema: pa.Schema,
    form: CheckpointForm,
) -> LastCheckpoint:
    """Write a V2 checkpoint whose file actions come in tables, each of which makes a sidecar.

    Args:
        store: Where the table lies.
        version: The version.
        actions: All actions but those of files.
        tables: Those of files, as `file_rows` makes them; of which each but the last one of its
            kind is as long as the form says.
        counts: How many live and how many removed files there are.
        schema: The columns of the tables.
        form: What it is to look like.
    """
    num_files, num_tombstones = counts
    parts = _number_of_parts(num_files, num_tombstones, form.rows_per_file)
    sidecars = [
        _write_sidecar(store, sidecar_name(version, part, parts, str(uuid.uuid4())), table)
        for part, table in enumerate(tables, start=1)
    ]
    size = sum(sidecar.size_in_bytes for sidecar in sidecars)
    tags = {
        "sidecarNumActions": str(num_files + num_tombstones),
        "sidecarSizeInBytes": str(size),
        "numOfAddFiles": str(num_files),
        "sidecarFileSchema": msgspec.json.encode(plain_schema(schema)).decode(),
    }
    top = [CheckpointMetadata(version=version, tags=dict(tags)), *sidecars, *actions]
    name = v2_checkpoint_name(version, str(uuid.uuid4()), form.top_level_format)
    is_json = form.top_level_format == "json"
    data = encode_commit(top) if is_json else top_level_parquet(top)
    store.put(name, data)
    info = store.info(name)
    return LastCheckpoint(
        version=version,
        size=len(top) + num_files + num_tombstones,
        size_in_bytes=len(data) + size,
        num_of_add_files=num_files,
        v2_checkpoint=V2Hint(
            path=name.rpartition("/")[2],
            size_in_bytes=len(data),
            modification_time=0 if info is None else info.modified_ms,
            non_file_actions=_plain([action for action in top if not isinstance(action, Sidecar)]),
            sidecar_files=list(sidecars),
        ),
    )


def _number_of_parts(files: int, tombstones: int, length: int) -> int:
    # As in `file_rows`, only files that fit into one sidecar share it with tombstones.
    if files + tombstones <= length:
        return 1
    return -(-files // length) + -(-tombstones // length)


def _write_sidecar(store: Store, name: str, table: pa.Table) -> Sidecar:
    data = parquet_bytes([table], table.schema)
    store.put(name, data)
    info = store.info(name)
    return Sidecar(
        path=name.rpartition("/")[2],
        size_in_bytes=len(data),
        modification_time=0 if info is None else info.modified_ms,
    )


def top_level_parquet(actions: Sequence[Action]) -> bytes:
    """Write a top-level file as Parquet.

    Args:
        actions: What it holds; none of them may be a file.
    """
    rows = small_rows(actions, _KINDS)
    # delta-spark asks for the columns of files in the top-level file too, where they are null.
    schema = pa.schema([*rows.schema, *file_schema(FILES.empty_table(), PLAIN)])
    return parquet_bytes([rows], schema)


def _plain(actions: Sequence[Action]) -> list[dict[str, object]]:
    """Write actions as plain JSON values; one beyond the hint's limit shows that they are many."""
    few = islice(actions, MAX_ACTIONS + 1)
    return [msgspec.json.decode(encode_action(action)) for action in few]
