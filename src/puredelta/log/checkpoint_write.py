"""Writing a classic checkpoint, and the hint that leads to it.

Protocol: Checkpoints, Classic Checkpoint; Last Checkpoint File.
"""

from collections.abc import Iterable, Mapping

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from puredelta.log.actions import Action, camel_case
from puredelta.log.arrow_values import column_of
from puredelta.log.files import FILES, STRING_MAP, TOMBSTONES
from puredelta.log.names import LAST_CHECKPOINT, checkpoint_name
from puredelta.log.segment import LastCheckpoint
from puredelta.log.snapshot import Snapshot
from puredelta.storage.location import encode_path

# Statistics as JSON come last, where the reference has them.
_ADD = [*(name for name in FILES.names if name != "stats"), "stats"]

_PROTOCOL = pa.struct(
    [
        ("minReaderVersion", pa.int32()),
        ("minWriterVersion", pa.int32()),
        ("readerFeatures", pa.list_(pa.field("element", pa.string()))),
        ("writerFeatures", pa.list_(pa.field("element", pa.string()))),
    ]
)
_METADATA = pa.struct(
    [
        ("id", pa.string()),
        ("name", pa.string()),
        ("description", pa.string()),
        ("format", pa.struct([("provider", pa.string()), ("options", STRING_MAP)])),
        ("schemaString", pa.string()),
        ("partitionColumns", pa.list_(pa.field("element", pa.string()))),
        ("configuration", STRING_MAP),
        ("createdTime", pa.int64()),
    ]
)
_TRANSACTION = pa.struct(
    [("appId", pa.string()), ("version", pa.int64()), ("lastUpdated", pa.int64())]
)
_DOMAIN = pa.struct(
    [("domain", pa.string()), ("configuration", pa.string()), ("removed", pa.bool_())]
)


def write_checkpoint(
    snapshot: Snapshot, *, tombstones_since: int, transactions_since: int | None = None
) -> LastCheckpoint:
    """Write the checkpoint of a version, and then the hint.

    A checkpoint is made of the state alone, so writing one twice does no harm.

    Args:
        snapshot: The version, whose commit file must be there.
        tombstones_since: Removed files whose deletion is older are forgotten, in milliseconds.
        transactions_since: Entries of applications that were last updated before, or do not say
            when, are forgotten; all are kept by default.
    """
    tombstones = _unexpired(snapshot.tombstones(), tombstones_since)
    transactions = [
        entry
        for entry in snapshot.transactions.values()
        if transactions_since is None or (entry.last_updated or 0) >= transactions_since
    ]
    table = pa.concat_tables(
        [
            _small("protocol", [snapshot.protocol], _PROTOCOL),
            _small("metaData", [snapshot.metadata], _METADATA),
            _small("txn", transactions, _TRANSACTION),
            _small("domainMetadata", snapshot.domains.values(), _DOMAIN),
            _files("remove", tombstones, TOMBSTONES.names),
            _files("add", snapshot.files, _ADD),
        ],
        promote_options="default",
    )
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="snappy")
    data = sink.getvalue().to_pybytes()
    snapshot.store.put(checkpoint_name(snapshot.version), data)
    return _write_hint(snapshot, table.num_rows, len(data))


def _write_hint(snapshot: Snapshot, size: int, size_in_bytes: int) -> LastCheckpoint:
    hint = LastCheckpoint(
        version=snapshot.version,
        size=size,
        size_in_bytes=size_in_bytes,
        num_of_add_files=snapshot.num_files,
    )
    snapshot.store.put(LAST_CHECKPOINT, msgspec.json.encode(hint))
    return hint


def _unexpired(tombstones: pa.Table, since: int) -> pa.Table:
    """Keep what was deleted since; what does not say when counts as deleted long ago."""
    times = pc.fill_null(tombstones["deletion_timestamp"], 0)
    return tombstones.filter(pc.greater_equal(times, since))


def _small(tag: str, actions: Iterable[Action], kind: pa.DataType) -> pa.Table:
    return pa.table({tag: column_of(map(msgspec.to_builtins, actions), kind)})


def _files(tag: str, files: pa.Table, names: Iterable[str]) -> pa.Table:
    columns = {name: files[name] for name in names}
    columns["path"] = _encoded(columns["path"])
    # A checkpoint tells the state, not a change.
    columns["data_change"] = pa.chunked_array([pa.repeat(pa.scalar(value=False), files.num_rows)])
    return pa.table({tag: _struct(columns, files.num_rows)})


def _struct(columns: Mapping[str, pa.ChunkedArray], rows: int) -> pa.ChunkedArray:
    table = pa.table({camel_case(name): column for name, column in columns.items()})
    batches = table.combine_chunks().to_batches()
    if not rows:
        return pa.chunked_array([], pa.struct(list(table.schema)))
    return pa.chunked_array(
        [pa.StructArray.from_arrays(b.columns, b.schema.names) for b in batches]
    )


def _encoded(paths: pa.ChunkedArray) -> pa.ChunkedArray:
    if not pc.any(pc.match_substring_regex(paths, r"[^a-zA-Z0-9\-_./=]")).as_py():
        return paths
    return pa.chunked_array([[encode_path(path) for path in paths.to_pylist()]], pa.string())
