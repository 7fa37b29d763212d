"""The files of a version as one Arrow table, and its rows to and from records of the log."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from puredelta._util.clock import now_ms
from puredelta.log.actions import Action, AddFile, DeletionVector, RemoveFile
from puredelta.log.arrow_values import values_of
from puredelta.storage.location import (
    absolute,
    decode_path,
    encode_path,
    scheme_of,
    table_url,
    without_dots,
)

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
        ("log_path", pa.string()),
    ]
)
"""Columns of the live files of a version: those of `AddFile`, with the canonical path.

`log_path` is the path as the log spells it, where `encode_path` would spell it another way: a
reader that compares strings finds a file only by that.
"""

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
"""Columns of the removed files that a version still remembers, with the canonical path."""

# Each batch of new files is a chunk of the table's columns; past this many, small ones are joined
# up to so many rows.
_MAX_CHUNKS = 32
_CHUNK_ROWS = 65_536

# A record of a file takes ten times the space of its row.
_RECORDS_AT_ONCE = 2_000

FileKey: TypeAlias = str | tuple[str, str]
"""What identifies a file of a table: the path, and the deletion vector if it has one.

Protocol: Action Reconciliation.
"""


def file_key(action: AddFile | RemoveFile) -> FileKey:
    """Return the key by which the newest action of a file replaces the older ones."""
    path = canonical_path(action.path)
    vector = action.deletion_vector
    return path if vector is None else (path, vector.unique_id)


def removed_paths(actions: Iterable[Action]) -> set[str]:
    """Return the canonical paths of the files that a commit removes."""
    return {canonical_path(one.path) for one in actions if isinstance(one, RemoveFile)}


def canonical_path(path: str) -> str:
    """Give a path of the log its canonical spelling: decoded, and absolute or relative as it was.

    What starts with a slash lies in the store of its table, which `qualified` adds.

    >>> canonical_path("./a%20b.parquet")
    'a b.parquet'
    >>> canonical_path("a/."), canonical_path("%61/.")
    ('a', 'a')
    >>> canonical_path("file:/t/x/../%61.parquet")
    'file:///t/a.parquet'
    """
    # Most paths are plain names, and tables have many of them.
    if (
        "%" not in path
        and ":" not in path
        and "./" not in path
        and "//" not in path
        and path[:1] != "/"
        and path[-1:] != "."
    ):
        return path
    decoded = decode_path(path)
    # A colon alone makes no URL: folders of partitions such as `t=10:30` have them.
    if ":" not in decoded or not scheme_of(decoded):
        return without_dots(decoded)
    scheme, _, rest = table_url(decoded).partition("://")
    authority, slash, below = rest.partition("/")
    # Both name this machine, and `file:///` is the form that `table_url` gives to local paths.
    if scheme == "file" and authority == "localhost":
        authority = ""
    return f"{scheme}://{authority}{without_dots(slash + below)}"


MAY_BE_SPELLED_OTHERWISE = r"[%:]|\./|//|^/|\.$"
"""Finds the paths to which `canonical_path` may give another spelling."""


def qualified_path(path: str, table: str) -> str:
    """Add the store of a table to an absolute path of its log that names none.

    >>> qualified_path("/t/a%20b.parquet", "file:///t")
    'file:///t/a%20b.parquet'
    """
    if path[:1] != "/":
        return path
    scheme, _, rest = table.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/{path.lstrip('/')}"


def file_url(path: str, table: str) -> str:
    """Return the URL of a file: one for all spellings of its path, relative ones included.

    Args:
        path: The path, as the log has it.
        table: The URL of the table.

    >>> file_url("%61.parquet", "file:///t") == file_url("file:/t/./a.parquet", "file:///t")
    True
    """
    return absolute(table, canonical_path(qualified_path(path, table)))


ActionOf = TypeVar("ActionOf", bound=Action)


def qualified(actions: Iterable[ActionOf], table: str) -> list[ActionOf]:
    """Add the store of a table to the paths of its files that lack it; see `qualified_path`."""
    return [
        msgspec.structs.replace(action, path=qualified_path(action.path, table))
        if isinstance(action, (AddFile, RemoveFile)) and action.path[:1] == "/"
        else action
        for action in actions
    ]


_KEPT = r"[a-zA-Z0-9\-_.!~*'(),:$&+=@;/]*"
_ESCAPED = "%(?:[01][0-9A-F]|2[0235]|3[CEF]|5[B-E]|60|7[BCDF])"

SPELLED_AS_OURS = f"^{_KEPT}(?:{_ESCAPED}{_KEPT})*$"
"""Finds paths that `encode_path` spells as they are, where `canonical_path` only decodes."""

MORE_THAN_DECODED = r"\./|//|^/|:/|\.$"
"""Finds paths of which `canonical_path` may change more than what is escaped."""

_as_ours = re.compile(SPELLED_AS_OURS).match


def log_path(path: str, canonical: str) -> str | None:
    """Return a path as the log spells it; None where `encode_path` spells it so too."""
    if path == canonical:
        return None
    is_more = "//" in path or "./" in path or ":/" in path or path[0] == "/" or path[-1] == "."
    if not is_more and _as_ours(path):
        return None
    return None if encode_path(canonical) == path else path


def files_table(adds: Sequence[AddFile], paths: Sequence[str] | None = None) -> pa.Table:
    """Make rows of `FILES`.

    Args:
        adds: The records.
        paths: Their canonical paths, where they are known already.
    """
    return _table(adds, FILES, paths)


def files_in(rows: pa.Table, files: Sequence[AddFile]) -> list[AddFile]:
    """Return those of some records that are among rows of `FILES`, by their paths."""
    paths = set(rows["path"].to_pylist())
    return [file for file in files if canonical_path(file.path) in paths]


def tombstones_table(removes: Sequence[RemoveFile]) -> pa.Table:
    """Make rows of `TOMBSTONES`."""
    return _table(removes, TOMBSTONES, None)


def to_remove_file(file: AddFile) -> RemoveFile:
    """Return the record that takes a file out of the table."""
    return RemoveFile(
        path=file.path,
        deletion_timestamp=now_ms(),
        data_change=True,
        extended_file_metadata=True,
        # As delta-spark does: a column whose value is null is left out.
        partition_values={k: v for k, v in file.partition_values.items() if v is not None},
        size=file.size,
        tags=file.tags,
        deletion_vector=file.deletion_vector,
        base_row_id=file.base_row_id,
        default_row_commit_version=file.default_row_commit_version,
    )


def add_files(files: pa.Table) -> list[AddFile]:
    """Make records of rows of `FILES`, paths encoded again."""
    columns = {name: values_of(files[name]) for name in FILES.names}
    spelled = zip(columns["path"], columns.pop("log_path"), strict=True)
    columns["path"] = [encode_path(path) if given is None else given for path, given in spelled]
    columns["deletion_vector"] = [_vector(plain) for plain in columns["deletion_vector"]]
    rows = zip(*columns.values(), strict=True)
    return [AddFile(**dict(zip(columns, row, strict=True))) for row in rows]


def each_file(files: pa.Table) -> Iterator[AddFile]:
    """Yield records of rows of `FILES`, few of which are in memory at a time."""
    for start in range(0, files.num_rows, _RECORDS_AT_ONCE):
        yield from add_files(files.slice(start, _RECORDS_AT_ONCE))


def without(files: pa.Table, keys: Iterable[FileKey]) -> pa.Table:
    """Drop the rows whose keys are among `keys`; works for files and for tombstones.

    Chunks in which nothing is dropped are kept as they are, so that few changes to a long table
    copy little of it.
    """
    gone = set(keys)
    if not gone or not files.num_rows:
        return files
    # Arrow finds the rows by their paths at once; deletion vectors are compared only in these.
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
    """Join small neighbouring chunks once there are many, as each slows every use of a column."""
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


def joined_tables(tables: Sequence[pa.Table], schema: pa.Schema) -> pa.Table:
    """Put tables of one schema one after the other, without the chunks of empty ones."""
    filled = [table for table in tables if table.num_rows]
    return pa.concat_tables(filled) if filled else schema.empty_table()


@lru_cache(maxsize=64)
def nulls(count: int, kind: pa.DataType) -> pa.Array:
    """Return nulls, which all chunks of one length share: large tables have many such columns."""
    return pa.nulls(count, kind)


def _without(
    batch: pa.RecordBatch, suspects: pa.BooleanArray, gone: set[FileKey]
) -> Iterable[pa.RecordBatch]:
    if not suspects.true_count:
        yield batch
        return
    # Few rows share a path with a newer action, and only they are looked at one by one.
    found = batch.filter(suspects)
    stays = pa.array([key not in gone for key in keys_of(found)], pa.bool_())
    yield batch.filter(pc.invert(suspects))
    if stays.true_count:
        yield found.filter(stays)


def keys_of(files: pa.RecordBatch | pa.Table) -> Iterable[FileKey]:
    """Return the keys of rows of `FILES` or `TOMBSTONES`; see `file_key`."""
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
        if field.name == "log_path":
            spelled = zip(actions, paths, strict=True)
            columns.append(
                pa.array([log_path(add.path, path) for add, path in spelled], pa.string())
            )
            continue
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
        # A constant is cheaper than the members of a struct that is null in each row.
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


def total_bytes(files: pa.Table) -> int:
    """Return the size of files, given as rows of `FILES`."""
    return int(pc.sum(files["size"]).as_py() or 0)
