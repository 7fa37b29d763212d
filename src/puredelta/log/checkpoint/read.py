"""Reading checkpoints: classic ones, ones in parts, and V2 ones with their sidecars.

Protocol: Checkpoints. What is small is read at once; the files, when they are asked for.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from puredelta._util.progress import track
from puredelta.errors import DeltaError, DeltaIllegalStateError
from puredelta.log.actions import (
    Action,
    AddFile,
    DomainMetadata,
    Metadata,
    Protocol,
    Record,
    RemoveFile,
    SetTransaction,
    Sidecar,
    decode_commit,
)
from puredelta.log.arrow_values import values_of
from puredelta.log.checkpoint.file_rows import file_rows, has_actions
from puredelta.log.checkpoint.ranged_file import RangedFile
from puredelta.log.files import (
    FILES,
    TOMBSTONES,
    FileKey,
    canonical_path,
    file_url,
    files_table,
    joined_tables,
    keys_of,
    qualified,
    tombstones_table,
)
from puredelta.log.names import SIDECAR_FOLDER
from puredelta.storage.store import ObjectInfo, Store

# Up to this size, in bytes, a file is fetched whole, by one request in place of several ranges, and
# kept until its rows are asked for.
_FETCHED_WHOLE = 4 * 1024 * 1024

_SMALL_ACTIONS: dict[str, tuple[type[Record], str]] = {
    "protocol": (Protocol, "minReaderVersion"),
    "metaData": (Metadata, "id"),
    "txn": (SetTransaction, "appId"),
    "domainMetadata": (DomainMetadata, "domain"),
    "sidecar": (Sidecar, "path"),
}
"""The actions that are not files, by column, with a member that none of them lacks."""


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint whose files have not been looked at.

    Attributes:
        store: Where it lies.
        parts: Its files, but for sidecars.
        actions: All actions but those of files and sidecars.
        sidecars: The names of its sidecars.
        fetched: The content of those files that are in memory.
    """

    store: Store
    parts: tuple[ObjectInfo, ...]
    actions: list[Action]
    sidecars: tuple[str, ...]
    fetched: Mapping[str, bytes] = field(repr=False)

    def files(self) -> pa.Table:
        """Read the live files, as `FILES`.

        Raises:
            DeltaIllegalStateError: A file of the checkpoint is damaged.
            ObjectNotFound: A file of it is gone.
        """
        return self._rows("add", FILES)

    def tombstones(self) -> pa.Table:
        """Read the removed files, as `TOMBSTONES`; raises as `files` does."""
        return self._rows("remove", TOMBSTONES)

    def _rows(self, column: str, schema: pa.Schema) -> pa.Table:
        tables: list[pa.Table] = []
        files = len(self.parts) + len(self.sidecars)
        for name, data in track(self._contents(), "reading the checkpoint", files):
            with _damage(name):
                if name.endswith(".json"):
                    actions = qualified(decode_commit(data, name), self.store.url)
                    tables.append(_inline_rows(actions, schema))
                else:
                    file = pq.ParquetFile(pa.BufferReader(data))
                    tables.append(file_rows(file, column, schema, self.store.url))
        return _each_once(joined_tables(tables, schema))

    def _contents(self) -> Iterator[tuple[str, bytes]]:
        # The order of files means nothing: each file action is in one row of the whole checkpoint.
        yield from self.fetched.items()
        names = [part.name for part in self.parts if part.name not in self.fetched]
        for name in (*names, *self.sidecars):
            yield name, self.store.read(name)


def open_checkpoint(store: Store, parts: Sequence[ObjectInfo]) -> Checkpoint:
    """Open a checkpoint, and read what is small in it.

    Args:
        store: Where it lies.
        parts: Its files, but for sidecars.

    Raises:
        DeltaIllegalStateError: A file of it is damaged.
        ObjectNotFound: A file of it is gone.
    """
    # Small files come side by side; of a long one only the columns of small actions are read.
    small = [part.name for part in parts if _is_fetched_whole(part)]
    fetched = dict(zip(small, store.read_all(small), strict=True))
    actions: list[Action] = []
    for part in parts:
        with _damage(part.name):
            actions.extend(_small_actions(store, part, fetched.get(part.name)))
    return Checkpoint(
        store=store,
        parts=tuple(parts),
        actions=[action for action in actions if not isinstance(action, Sidecar)],
        # One that is named again has no other files.
        sidecars=tuple(
            dict.fromkeys(
                _sidecar_name(action.path, store, parts[0].name)
                for action in actions
                if isinstance(action, Sidecar)
            )
        ),
        fetched=fetched,
    )


def _sidecar_name(path: str, store: Store, checkpoint: str) -> str:
    """Return the name of a sidecar below the table.

    Protocol: Sidecar Files. They are always in one folder, whether a path names it or not.
    """
    found = canonical_path(path)
    _, slash, name = found.rpartition("/")
    if name not in {"", ".", ".."} and (
        not slash or file_url(found, store.url) == f"{store.url}/{SIDECAR_FOLDER}/{name}"
    ):
        return f"{SIDECAR_FOLDER}/{name}"
    reason = f"its sidecar '{path}' would be outside of the folder {SIDECAR_FOLDER}"
    raise DeltaIllegalStateError("DELTA_CHECKPOINT_MALFORMED", path=checkpoint, reason=reason)


def _is_fetched_whole(part: ObjectInfo) -> bool:
    return part.name.endswith(".json") or part.size <= _FETCHED_WHOLE


def _small_actions(store: Store, part: ObjectInfo, data: bytes | None) -> Iterable[Action]:
    if data is None:
        # Buffering joins the ranges of neighbouring columns into few requests.
        return _parquet_actions(pq.ParquetFile(RangedFile(store, part), pre_buffer=True))
    if part.name.endswith(".json"):
        found = decode_commit(data, part.name)
        return [action for action in found if not isinstance(action, AddFile | RemoveFile)]
    return _parquet_actions(pq.ParquetFile(pa.BufferReader(data)))


def _parquet_actions(file: pq.ParquetFile) -> list[Action]:
    actions: list[Action] = []
    for tag, (kind, member) in _SMALL_ACTIONS.items():
        if has_actions(file, tag):
            groups = _groups_with(file.metadata, f"{tag}.{member}")
            found = values_of(file.read_row_groups(groups, columns=[tag])[tag].drop_null())
            # What a record lacks is null in a column.
            rows = [{k: v for k, v in row.items() if v is not None} for row in found]
            actions.extend(msgspec.convert(rows, list[kind]))  # type: ignore[valid-type]
    return actions


def _groups_with(metadata: pq.FileMetaData, path: str) -> list[int]:
    """List the row groups in which a column holds anything, as far as statistics say.

    Files are many and all else is little, so this saves reading columns of nulls.
    """
    found = []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        column = next(
            (
                group.column(index)
                for index in range(group.num_columns)
                if group.column(index).path_in_schema == path
            ),
            None,
        )
        known = column.statistics if column is not None else None
        # A group without statistics may have such rows, so it is read.
        if known is None or not known.has_null_count or known.null_count < group.num_rows:
            found.append(number)
    return found


def _each_once(files: pa.Table) -> pa.Table:
    """Leave out files that a checkpoint names again, which would count twice.

    Protocol: Checkpoints. Each file is in one action, so this is looked at and seldom done.
    """
    # Hashes of a million paths take a tenth of the memory of a table of them.
    hashes = np.empty(files.num_rows, np.int64)
    start = 0
    for chunk in files["path"].chunks:
        end = start + len(chunk)
        hashes[start:end] = np.fromiter(map(hash, chunk.to_pylist()), np.int64, len(chunk))
        start = end
    hashes.sort()
    if not (hashes[1:] == hashes[:-1]).any():
        return files
    first: dict[FileKey, int] = {}
    for row, key in enumerate(keys_of(files)):
        first.setdefault(key, row)
    return files.take(pa.array(first.values(), pa.int64()))


def _inline_rows(actions: Sequence[Action], schema: pa.Schema) -> pa.Table:
    if schema is FILES:
        return files_table([action for action in actions if isinstance(action, AddFile)])
    return tombstones_table([action for action in actions if isinstance(action, RemoveFile)])


@contextlib.contextmanager
def _damage(name: str) -> Iterator[None]:
    """Raise an error with the name of the file for content that cannot be read."""
    try:
        yield
    except DeltaError:
        # A missing file is an OSError too, and is not damage: it has other remedies.
        raise
    except (pa.ArrowException, OSError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise DeltaIllegalStateError(
            "DELTA_CHECKPOINT_MALFORMED", path=name, reason=error
        ) from error
