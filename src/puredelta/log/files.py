"""The files of a version as one Arrow table, and its rows to and from records of the log."""

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain
from operator import attrgetter
from typing import Any, TypeAlias

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from puredelta.log.actions import AddFile, DeletionVector, RemoveFile
from puredelta.log.arrow_values import values_of
from puredelta.storage.location import decode_path, encode_path, scheme_of, table_url

STRING_MAP = pa.map_(pa.string(), pa.string())

DELETION_VECTOR = pa.struct(
    [
        ("storageType", pa.string()),
        ("pathOrInlineDv", pa.string()),
        ("offset", pa.int32()),
        ("sizeInBytes", pa.int32()),
        ("cardinality", pa.int64()),
    ]
)

FILES = pa.schema(
    [
        ("path", pa.string()),
        ("partition_values", STRING_MAP),
        ("size", pa.int64()),
        ("modification_time", pa.int64()),
        ("data_change", pa.bool_()),
        ("stats", pa.string()),
        ("tags", STRING_MAP),
        ("deletion_vector", DELETION_VECTOR),
        ("base_row_id", pa.int64()),
        ("default_row_commit_version", pa.int64()),
        ("clustering_provider", pa.string()),
    ]
)
"""Columns of the live files of a version: those of `AddFile`, with the path decoded."""

TOMBSTONES = pa.schema(
    [
        ("path", pa.string()),
        ("deletion_timestamp", pa.int64()),
        ("data_change", pa.bool_()),
        ("extended_file_metadata", pa.bool_()),
        ("partition_values", STRING_MAP),
        ("size", pa.int64()),
        ("deletion_vector", DELETION_VECTOR),
        ("base_row_id", pa.int64()),
        ("default_row_commit_version", pa.int64()),
    ]
)
"""Columns of the removed files that a version still remembers, with the path decoded."""

# Each batch of new files is a chunk of the table's columns; past this many, small ones are joined
# up to so many rows.
_MAX_CHUNKS = 32
_CHUNK_ROWS = 65_536

FileKey: TypeAlias = str | tuple[str, str]
"""What tells one file of a table from another: the path, and the deletion vector if it has one.

Protocol: Action Reconciliation.
"""


def file_key(action: AddFile | RemoveFile) -> FileKey:
    """Return the key by which the newest action of a file replaces the older ones."""
    path = canonical_path(action.path)
    vector = action.deletion_vector
    return path if vector is None else (path, vector.unique_id)


def canonical_path(path: str) -> str:
    """Decode a path of the log; absolute ones get one spelling."""
    if "%" not in path and ":" not in path:
        return path
    decoded = decode_path(path)
    return table_url(decoded) if ":" in decoded and scheme_of(decoded) else decoded


def files_table(adds: Sequence[AddFile], paths: Sequence[str] | None = None) -> pa.Table:
    """Make rows of `FILES`.

    Args:
        adds: The records.
        paths: Their decoded paths, where they are known already.
    """
    return _table(adds, FILES, paths)


def tombstones_table(removes: Sequence[RemoveFile]) -> pa.Table:
    """Make rows of `TOMBSTONES`."""
    return _table(removes, TOMBSTONES, None)


def add_files(files: pa.Table) -> list[AddFile]:
    """Make records of rows of `FILES`, paths encoded again."""
    columns = {name: values_of(files[name]) for name in FILES.names}
    columns["path"] = [encode_path(path) for path in columns["path"]]
    columns["deletion_vector"] = [_vector(plain) for plain in columns["deletion_vector"]]
    rows = zip(*columns.values(), strict=True)
    return [AddFile(**dict(zip(FILES.names, row, strict=True))) for row in rows]


def without(files: pa.Table, keys: Iterable[FileKey]) -> pa.Table:
    """Drop the rows whose keys are among `keys`; works for files and for tombstones.

    Chunks in which nothing is dropped are kept as they are, so that few changes to a long table
    copy little of it.
    """
    gone = set(keys)
    if not gone or not files.num_rows:
        return files
    paths = pa.array({key if isinstance(key, str) else key[0] for key in gone}, pa.string())
    suspects = pc.is_in(files["path"], value_set=paths).combine_chunks()
    if not suspects.true_count:
        return files
    kept: list[pa.RecordBatch] = []
    start = 0
    for batch in files.to_batches():
        kept.extend(_without(batch, suspects.slice(start, batch.num_rows), gone))
        start += batch.num_rows
    return pa.Table.from_batches(kept, files.schema)


def merged_chunks(files: pa.Table) -> pa.Table:
    """Join small neighbouring chunks once there are many, which slow every look at a column."""
    if files["path"].num_chunks <= _MAX_CHUNKS:
        return files
    groups: list[list[pa.RecordBatch]] = [[]]
    rows = 0
    for batch in files.to_batches():
        if rows + batch.num_rows > _CHUNK_ROWS and groups[-1]:
            groups.append([])
            rows = 0
        groups[-1].append(batch)
        rows += batch.num_rows
    tables = [pa.Table.from_batches(group, files.schema) for group in groups]
    return pa.concat_tables(
        [table.combine_chunks() if table["path"].num_chunks > 1 else table for table in tables]
    )


def _without(
    batch: pa.RecordBatch, suspects: pa.BooleanArray, gone: set[FileKey]
) -> Iterable[pa.RecordBatch]:
    if not suspects.true_count:
        yield batch
        return
    # Few rows share a path with a newer action, and only they are looked at one by one.
    found = batch.filter(suspects)
    stays = pa.array([key not in gone for key in _keys(found)], pa.bool_())
    yield batch.filter(pc.invert(suspects))
    if stays.true_count:
        yield found.filter(stays)


def _keys(files: pa.RecordBatch) -> Iterable[FileKey]:
    paths: list[str] = files["path"].to_pylist()
    vectors = files["deletion_vector"]
    if vectors.null_count == len(vectors):
        return paths
    return [
        path if vector is None else (path, vector.unique_id)
        for path, vector in zip(paths, map(_vector, vectors.to_pylist()), strict=True)
    ]


def _vector(plain: dict[str, Any] | None) -> DeletionVector | None:
    return None if plain is None else msgspec.convert(plain, DeletionVector)


def _table(
    actions: Sequence[AddFile | RemoveFile], schema: pa.Schema, paths: Sequence[str] | None
) -> pa.Table:
    if paths is None:
        paths = [canonical_path(action.path) for action in actions]
    columns = [pa.array(paths, pa.string())]
    for field in list(schema)[1:]:
        values = list(map(attrgetter(field.name), actions))
        columns.append(_COLUMNS.get(field.name, pa.array)(values, field.type))
    return pa.table(columns, schema=schema)


def _map_column(values: list[dict[str, str | None] | None], kind: pa.DataType) -> pa.Array:
    """Build a map column from its flat keys and values: ten times faster than from its rows."""
    if not any(values) and None in values:
        empty: list[list[Any] | None] = [None if value is None else [] for value in values]
        return pa.array(empty, kind) if [] in empty else pa.nulls(len(values), kind)
    present = [value or {} for value in values]
    offsets = list(accumulate(map(len, present), initial=0))
    # A null offset makes a null row.
    starts = [
        None if value is None else start for value, start in zip(values, offsets, strict=False)
    ]
    return pa.MapArray.from_arrays(
        pa.array([*starts, offsets[-1]], pa.int32()),
        pa.array(list(chain.from_iterable(present)), pa.string()),
        pa.array(list(chain.from_iterable(map(dict.values, present))), pa.string()),
    )


def _vector_column(values: list[DeletionVector | None], kind: pa.DataType) -> pa.Array:
    if not any(values):
        return pa.nulls(len(values), kind)
    return pa.array(
        [None if value is None else msgspec.to_builtins(value) for value in values], kind
    )


_COLUMNS: dict[str, Callable[[list[Any], pa.DataType], pa.Array]] = {
    "partition_values": _map_column,
    "tags": _map_column,
    "deletion_vector": _vector_column,
}


def num_deleted(files: pa.Table) -> pa.ChunkedArray:
    """Return how many rows of each file its deletion vector hides.

    Args:
        files: Rows of `FILES`.
    """
    vectors = files["deletion_vector"]
    if vectors.null_count == len(vectors):
        return pa.chunked_array([pa.repeat(pa.scalar(0, pa.int64()), len(vectors))])
    return pc.fill_null(pc.struct_field(vectors, "cardinality"), 0)


def map_value(maps: pa.Array | pa.ChunkedArray, key: str) -> pa.Array:
    """Look a key up in every map of an Arrow array; null where it is missing."""
    if isinstance(maps, pa.ChunkedArray):
        maps = maps.combine_chunks()
    return pc.map_lookup(maps, key, "first")


def partition_texts(maps: pa.Array | pa.ChunkedArray, key: str) -> pa.Array:
    """Return the values of a partition column as the log has them, null for null.

    Protocol: Partition Value Serialization. The empty text means null, too.

    Args:
        maps: The partition values of some files.
        key: The column, by the name that the log has for it.
    """
    texts = map_value(maps, key)
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
