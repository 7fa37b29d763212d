"""The rows of a checkpoint, in the columns of the protocol.

Protocol: Checkpoint Schema.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from puredelta.log.actions import (
    Action,
    CheckpointMetadata,
    DomainMetadata,
    Metadata,
    Protocol,
    SetTransaction,
    Sidecar,
    camel_case,
)
from puredelta.log.arrow_values import arrow_column
from puredelta.log.file_stats import parsed_stats
from puredelta.log.files import FILES, STRING_MAP, TOMBSTONES
from puredelta.log.summaries.checkpoint_options import CheckpointForm
from puredelta.storage.location import encode_path

# Arrow calls the values of a list `item`, Spark `element`.
_NAMES = pa.list_(pa.field("element", pa.string()))

_SMALL: dict[type, tuple[str, pa.StructType]] = {
    SetTransaction: (
        "txn",
        pa.struct([("appId", pa.string()), ("version", pa.int64()), ("lastUpdated", pa.int64())]),
    ),
    Metadata: (
        "metaData",
        pa.struct(
            [
                ("id", pa.string()),
                ("name", pa.string()),
                ("description", pa.string()),
                ("format", pa.struct([("provider", pa.string()), ("options", STRING_MAP)])),
                ("schemaString", pa.string()),
                ("partitionColumns", _NAMES),
                ("configuration", STRING_MAP),
                ("createdTime", pa.int64()),
            ]
        ),
    ),
    Protocol: (
        "protocol",
        pa.struct(
            [
                ("minReaderVersion", pa.int32()),
                ("minWriterVersion", pa.int32()),
                ("readerFeatures", _NAMES),
                ("writerFeatures", _NAMES),
            ]
        ),
    ),
    DomainMetadata: (
        "domainMetadata",
        pa.struct(
            [("domain", pa.string()), ("configuration", pa.string()), ("removed", pa.bool_())]
        ),
    ),
    CheckpointMetadata: (
        "checkpointMetadata",
        pa.struct([("version", pa.int64()), ("tags", STRING_MAP)]),
    ),
    Sidecar: (
        "sidecar",
        pa.struct(
            [
                ("path", pa.string()),
                ("sizeInBytes", pa.int64()),
                ("modificationTime", pa.int64()),
                ("tags", STRING_MAP),
            ]
        ),
    ),
}


def small_rows(actions: Iterable[Action], kinds: Sequence[type]) -> pa.Table:
    """Make rows of actions that are not files, a column a kind.

    Args:
        actions: The actions.
        kinds: The kinds that get a column; all actions are of one of these.
    """
    by_kind: dict[type, list[Action]] = {kind: [] for kind in kinds}
    for action in actions:
        by_kind[type(action)].append(action)
    # Tables without rows give every kind its column, also one of which there is no action.
    tables = [pa.table({_SMALL[kind][0]: pa.array([], _SMALL[kind][1])}) for kind in kinds]
    for kind, found in by_kind.items():
        tag, struct = _SMALL[kind]
        tables.append(pa.table({tag: arrow_column(map(msgspec.to_builtins, found), struct)}))
    return pa.concat_tables(tables, promote_options="default")


def file_rows(files: pa.Table, tombstones: pa.Table, form: CheckpointForm) -> Iterator[pa.Table]:
    """Make rows of files in tables of limited length with the columns `add` and `remove`.

    Live and removed files do not share a table as long as there are many.

    Args:
        files: The live files, as `FILES`.
        tombstones: The removed files, as `TOMBSTONES`.
        form: What the checkpoint is to look like.
    """
    partitions = form.partitions(files) if form.partitions is not None else None
    # Typed values are made of all files at once: one that cannot be read leaves out the column.
    length = form.rows_per_file
    schema = _schema(partitions, form)
    if files.num_rows + tombstones.num_rows <= length:
        yield _together(_adds(files, partitions, form), _removes(tombstones), schema)
        return
    for start in range(0, tombstones.num_rows, length):
        yield _together(None, _removes(tombstones.slice(start, length)), schema)
    for start in range(0, files.num_rows, length):
        typed = None if partitions is None else partitions.slice(start, length)
        yield _together(_adds(files.slice(start, length), typed, form), None, schema)


def file_schema(files: pa.Table, form: CheckpointForm) -> pa.Schema:
    """Return the columns `add` and `remove` that a checkpoint of these files has."""
    partitions = form.partitions(files) if form.partitions is not None else None
    return _schema(partitions, form)


def _schema(partitions: pa.Table | None, form: CheckpointForm) -> pa.Schema:
    adds = _adds(FILES.empty_table(), None if partitions is None else partitions.slice(0, 0), form)
    removes = _removes(TOMBSTONES.empty_table())
    return pa.schema([("add", adds.type), ("remove", removes.type)])


def _together(
    adds: pa.ChunkedArray | None, removes: pa.ChunkedArray | None, schema: pa.Schema
) -> pa.Table:
    found = {"add": adds, "remove": removes}
    tables = [pa.table({tag: rows}) for tag, rows in found.items() if rows is not None]
    return pa.concat_tables([schema.empty_table(), *tables], promote_options="default")


def _adds(files: pa.Table, partitions: pa.Table | None, form: CheckpointForm) -> pa.ChunkedArray:
    columns = {name: files[name] for name in FILES.names if name not in ("stats", "log_path")}
    extra: dict[str, pa.ChunkedArray] = {}
    if form.stats_as_json:
        extra["stats"] = files["stats"]
    if partitions is not None:
        extra["partitionValues_parsed"] = _struct(dict(_columns(partitions)), files.num_rows)
    if form.stats is not None:
        extra["stats_parsed"] = parsed_stats(files["stats"], form.stats)
    stated = _stated(columns, files.num_rows)
    # Readers that compare paths as strings match a tombstone by the spelling of the log.
    if files["log_path"].null_count < files.num_rows:
        stated["path"] = pc.coalesce(files["log_path"], stated["path"])
    return _struct({**stated, **extra}, files.num_rows)


def _removes(tombstones: pa.Table) -> pa.ChunkedArray:
    return _struct(_stated(dict(_columns(tombstones)), tombstones.num_rows), tombstones.num_rows)


def _columns(table: pa.Table) -> Iterator[tuple[str, pa.ChunkedArray]]:
    return zip(table.column_names, table.columns, strict=True)


def _stated(columns: Mapping[str, pa.ChunkedArray], rows: int) -> dict[str, pa.ChunkedArray]:
    """Write columns as a checkpoint does, which describes a state and not a change."""
    unchanged = pa.chunked_array([pa.repeat(pa.scalar(value=False), rows)], pa.bool_())
    stated = {**columns, "path": _encoded(columns["path"]), "data_change": unchanged}
    return {camel_case(name): column for name, column in stated.items()}


def _struct(columns: Mapping[str, pa.ChunkedArray], rows: int) -> pa.ChunkedArray:
    table = pa.table(dict(columns))
    kind = pa.struct(list(table.schema))
    # A table without rows has no batch to take the struct from.
    if not rows:
        return pa.chunked_array([], kind)
    batches = table.combine_chunks().to_batches()
    return pa.chunked_array(
        [pa.StructArray.from_arrays(batch.columns, fields=list(kind)) for batch in batches]
    )


def _encoded(paths: pa.ChunkedArray) -> pa.ChunkedArray:
    # Encoding goes path by path, and most paths need none.
    if not pc.any(pc.match_substring_regex(paths, r"[^a-zA-Z0-9\-_./=]")).as_py():
        return paths
    return pa.chunked_array([[encode_path(path) for path in paths.to_pylist()]], pa.string())
