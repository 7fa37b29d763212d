"""Reading checkpoints: classic ones, ones in parts, and V2 ones with their sidecars.

Protocol: Checkpoints.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from puredelta.errors import DeltaIllegalStateError
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
    camel_case,
    decode_commit,
)
from puredelta.log.arrow_values import values_of
from puredelta.log.files import (
    FILES,
    TOMBSTONES,
    canonical_path,
    files_table,
    tombstones_table,
)
from puredelta.log.names import LOG_FOLDER
from puredelta.storage.store import Store

_SIDECARS = f"{LOG_FOLDER}/_sidecars"

_SMALL_ACTIONS: dict[str, type[Record]] = {
    "protocol": Protocol,
    "metaData": Metadata,
    "txn": SetTransaction,
    "domainMetadata": DomainMetadata,
    "sidecar": Sidecar,
}

_Small = TypeVar("_Small", bound=Record)


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint holds.

    Attributes:
        actions: All actions but those of files.
        files: The live files, as `FILES`; empty when tombstones were asked for.
        tombstones: The removed files, as `TOMBSTONES`; empty when files were asked for.
    """

    actions: list[Action]
    files: pa.Table
    tombstones: pa.Table


def read_checkpoint(store: Store, names: Sequence[str], *, tombstones: bool = False) -> Checkpoint:
    """Read a checkpoint: the live files, or in their place the removed ones.

    Raises:
        DeltaIllegalStateError: A file of it is damaged.
    """
    schema, column = (TOMBSTONES, "remove") if tombstones else (FILES, "add")
    wanted = [f"{column}.{camel_case(name)}" for name in schema.names]
    actions: list[Action] = []
    tables: list[pa.Table] = [schema.empty_table()]
    for name, data in zip(names, store.read_all(names), strict=True):
        if name.endswith(".json"):
            found = decode_commit(data, name)
            actions.extend(found)
            tables.append(_files_of(found, schema))
        else:
            parquet = _read_parquet(data, name, [*wanted, *_SMALL_ACTIONS])
            actions.extend(_small_actions(parquet))
            tables.append(_files(parquet, column, schema))
    sidecars = [f"{_SIDECARS}/{found.path}" for found in _of(actions, Sidecar)]
    for name, data in zip(sidecars, store.read_all(sidecars), strict=True):
        tables.append(_files(_read_parquet(data, name, wanted), column, schema))
    rows = pa.concat_tables(tables)
    return Checkpoint(
        actions=[action for action in actions if not isinstance(action, Sidecar)],
        files=FILES.empty_table() if tombstones else rows,
        tombstones=rows if tombstones else TOMBSTONES.empty_table(),
    )


def _read_parquet(data: bytes, name: str, columns: list[str]) -> pa.Table:
    try:
        return pq.ParquetFile(pa.BufferReader(data)).read(columns=columns)
    except (pa.ArrowException, OSError) as error:
        raise DeltaIllegalStateError(
            "DELTA_CHECKPOINT_MALFORMED", path=name, reason=error
        ) from error


def _small_actions(parquet: pa.Table) -> Iterable[Action]:
    for tag, kind in _SMALL_ACTIONS.items():
        if tag in parquet.column_names:
            for row in values_of(parquet[tag].drop_null()):
                yield msgspec.convert(row, kind)  # type: ignore[misc]  # each of them is an Action


def _files(parquet: pa.Table, column: str, schema: pa.Schema) -> pa.Table:
    if column not in parquet.column_names:
        return schema.empty_table()
    rows = parquet[column].drop_null().combine_chunks()
    if isinstance(rows, pa.ChunkedArray):
        return pa.concat_tables([_columns(chunk, schema) for chunk in rows.chunks])
    return _columns(rows, schema)


def _columns(rows: pa.StructArray, schema: pa.Schema) -> pa.Table:
    columns = [_member(rows, camel_case(field.name), field.type) for field in schema]
    table = pa.table(columns, schema=schema)
    return table.set_column(0, schema.field("path"), _decoded(table["path"]))


def _member(rows: pa.StructArray, name: str, kind: pa.DataType) -> pa.Array:
    """Take one member of a struct column; writers leave some out, and order others as they like."""
    if name not in rows.type.names:
        return pa.nulls(len(rows), kind)
    member = pc.struct_field(rows, name)
    if not pa.types.is_struct(kind):
        return member.cast(kind)
    inner = [_member(member, field.name, field.type) for field in kind]
    return pa.StructArray.from_arrays(inner, fields=list(kind), mask=member.is_null())


def _decoded(paths: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give paths their one spelling; most are relative and hold nothing to decode."""
    if not pc.any(pc.match_substring_regex(paths, "[%:]")).as_py():
        return paths
    return pa.chunked_array([[canonical_path(path) for path in paths.to_pylist()]], pa.string())


def _files_of(actions: Iterable[Action], schema: pa.Schema) -> pa.Table:
    if schema is FILES:
        return files_table(list(_of(actions, AddFile)))
    return tombstones_table(list(_of(actions, RemoveFile)))


def _of(actions: Iterable[Action], kind: type[_Small]) -> Iterable[_Small]:
    return (action for action in actions if isinstance(action, kind))
