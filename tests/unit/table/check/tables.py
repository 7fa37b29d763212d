"""A table with real data files, made without Spark, and ways to damage it."""

import datetime
import io
import json
from decimal import Decimal

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from pyroaring import BitMap64

from puredelta._util.clock import now_ms
from puredelta.log.actions import AddFile, Format, Metadata, RemoveFile
from puredelta.log.names import LOG_FOLDER, commit_name
from puredelta.log.table_log import TableLog
from puredelta.schema.arrow import to_arrow
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import (
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    StructField,
    StructType,
)
from puredelta.storage.memory import MemoryStore
from puredelta.table.check.run import check_store
from puredelta.table.deletion_vectors.vectors import VectorFile
from puredelta.table.protocol.protocol import protocol_for_new_table
from puredelta.table.statistics.file_stats import stats_from_arrow
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction

DATA = StructType(
    (
        StructField("id", INTEGER),
        StructField("s", STRING),
        StructField("f", FLOAT),
        StructField("d", DOUBLE),
        StructField("day", DATE),
        StructField("ts", TIMESTAMP),
        StructField("money", DecimalType(38, 10)),
        StructField("list", ArrayType(INTEGER)),
        StructField("st", StructType((StructField("x", INTEGER), StructField("y", STRING)))),
    )
)
SCHEMA = StructType((*DATA, StructField("p", INTEGER)))
VECTORS = {"delta.enableDeletionVectors": "true"}
WRITE = Operation("WRITE", {"mode": "Append"})


def rows(start, count):
    """Rows with nulls, long texts and nested columns."""
    numbers = range(start, start + count)
    zone = datetime.timezone.utc
    columns = {
        "id": list(numbers),
        "s": [None if n % 3 == 0 else f"{n}-" + "\u00e9\U0001f600" * 40 for n in numbers],
        "f": [n / 7 for n in numbers],
        "d": [None if n % 5 == 0 else n / 3 for n in numbers],
        "day": [datetime.date(1960, 1, 1) + datetime.timedelta(days=n) for n in numbers],
        "ts": [datetime.datetime(2020, 1, 1, 1, 2, 3, 999_999, zone) for _ in numbers],
        "money": [n + Decimal("0.5") for n in numbers],
        "list": [None if n % 4 == 0 else [n] for n in numbers],
        "st": [None if n % 2 else {"x": n, "y": None} for n in numbers],
    }
    return pa.table(columns, schema=to_arrow(DATA))


def parquet(table, **options):
    """The rows as a file."""
    out = io.BytesIO()
    pq.write_table(table, out, **{"write_page_checksum": True, **options})
    return out.getvalue()


def put_file(store, path, table, value="1", **options):
    """Put a data file where it belongs, and say how the log has to name it."""
    content = parquet(table, **options)
    store.put(path, content)
    return AddFile(
        path=path,
        partition_values={"p": value},
        size=len(content),
        modification_time=1,
        data_change=True,
        stats=stats_from_arrow(table, DATA),
    )


def remove(add):
    """The tombstone of a file."""
    return RemoveFile(
        path=add.path,
        deletion_timestamp=1,
        data_change=True,
        extended_file_metadata=True,
        partition_values=add.partition_values,
        size=add.size,
        deletion_vector=add.deletion_vector,
    )


def create(**configuration):
    """Version 0 in memory."""
    protocol, stored = protocol_for_new_table(configuration, SCHEMA)
    metadata = Metadata(
        id="11111111-1111-1111-1111-111111111111",
        format=Format(),
        schema_string=schema_to_json(SCHEMA),
        partition_columns=["p"],
        configuration=stored,
        created_time=1,
    )
    # With a clock of today, so that log cleanup leaves all versions.
    log = TableLog(MemoryStore(url="memory:///t", now=now_ms))
    created = Operation("CREATE TABLE")
    Transaction(log, None).commit([], created, metadata=metadata, protocol=protocol)
    return log


def commit(log, *actions):
    """Make the next version."""
    return Transaction(log, log.latest()).commit(list(actions), WRITE)


def simple_table():
    """Three files in three versions, without checkpoints and checksums."""
    log = create(**{"delta.checkpointInterval": "1000"})
    for number in range(3):
        commit(log, put_file(log.store, f"p={number}/f{number}.parquet", rows(number * 10, 10)))
    for one in log.store.list_from(LOG_FOLDER):
        if one.name.endswith(".crc"):
            log.store.delete([one.name])
    return log.store


def long_table():
    """Eight versions, with removed files, checkpoints and checksums."""
    log = create(**{"delta.checkpointInterval": "3"})
    adds = [
        put_file(log.store, f"p=1/f{number}.parquet", rows(number * 10, 10)) for number in range(6)
    ]
    for add in adds:
        commit(log, add)
    commit(log, remove(adds[0]), remove(adds[4]))
    return log.store


def table_with_vector(deleted, count=10, **changes):
    """One file with a deletion vector; `changes` are what the log says wrongly of the vector."""
    log = create(**VECTORS)
    add = put_file(log.store, "p=1/f.parquet", rows(0, count))
    commit(log, add)
    file = VectorFile()
    vector = msgspec.structs.replace(file.add(BitMap64(deleted)), **changes)
    log.store.put(file.path, file.content)
    stats = {**json.loads(add.stats), "tightBounds": False}
    marked = msgspec.structs.replace(add, deletion_vector=vector, stats=json.dumps(stats))
    commit(log, remove(add), marked)
    return log.store, file.path


def edit(store, version, tag, change):
    """Change the actions of one kind in a commit; `change` gets each and gives another, or None."""
    lines = []
    for line in store.read(commit_name(version)).decode().splitlines():
        action = json.loads(line)
        if tag in action:
            changed = change(action[tag])
            if changed is None:
                continue
            action = {tag: changed}
        lines.append(json.dumps(action))
    store.put(commit_name(version), ("\n".join(lines) + "\n").encode())


def edit_stats(store, change, version=1):
    """Change the statistics of the file in a commit."""

    def with_stats(add):
        stats = json.loads(add["stats"])
        change(stats)
        return {**add, "stats": json.dumps(stats)}

    edit(store, version, "add", with_stats)


def found(store, **options):
    """What a check finds, as severity, code and file."""
    report = check_store(store, **options)
    return [(one.severity.value, one.code, one.file) for one in report.findings]


def log_file(store, ending):
    """The first file of the log with this ending."""
    names = (one.name for one in store.list_from(LOG_FOLDER))
    return next(name for name in names if name.endswith(ending))
