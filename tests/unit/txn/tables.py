"""Small tables in memory for the tests of transactions."""

import json

from puredelta._util.clock import now_ms
from puredelta.log.actions import AddFile, DomainMetadata, Format, Metadata, RemoveFile
from puredelta.log.names import commit_name
from puredelta.log.table_log import TableLog
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import LONG, STRING, StructField, StructType
from puredelta.storage.memory import MemoryStore
from puredelta.table.protocol.protocol import protocol_for_new_table
from puredelta.txn.commit_info import Operation
from puredelta.txn.retry_policy import RetryPolicy
from puredelta.txn.transaction import Transaction

SCHEMA = StructType((StructField("a", LONG), StructField("p", STRING)))
WRITE = Operation("WRITE", {"mode": "Append"}, {"numFiles": "1"})


NO_WAIT = RetryPolicy(sleep=lambda _: None)


def metadata(partition_columns=("p",), **configuration):
    return Metadata(
        id="11111111-1111-1111-1111-111111111111",
        format=Format(),
        schema_string=schema_to_json(SCHEMA),
        partition_columns=list(partition_columns),
        configuration=configuration,
        created_time=1,
    )


def add(name, p="1", *, data_change=True, partitioned=True, vector=None, rows=1):
    return AddFile(
        path=f"{name}.parquet",
        partition_values={"p": p} if partitioned else {},
        size=10,
        modification_time=1,
        data_change=data_change,
        stats=f'{{"numRecords":{rows}}}',
        deletion_vector=vector,
    )


def remove(name, p="1", *, data_change=True, partitioned=True):
    return RemoveFile(
        path=f"{name}.parquet",
        deletion_timestamp=1,
        data_change=data_change,
        extended_file_metadata=True,
        partition_values={"p": p} if partitioned else {},
        size=10,
    )


def create(log, partition_columns=("p",), **configuration):
    """Make version 0."""
    protocol, stored = protocol_for_new_table(configuration, SCHEMA)
    return Transaction(log, None).commit(
        [],
        Operation("CREATE TABLE"),
        metadata=metadata(partition_columns, **stored),
        protocol=protocol,
    )


def table(partition_columns=("p",), **configuration):
    """A log with version 0, over a store in memory."""
    log = TableLog(MemoryStore(url="memory:///t", now=now_ms))
    create(log, partition_columns, **configuration)
    return log


def clustered():
    """A log with version 0 of a table clustered by `a`."""
    log = TableLog(MemoryStore(url="memory:///t"))
    asked = {"delta.feature.clustering": "supported"}
    protocol, stored = protocol_for_new_table(asked, SCHEMA)
    domain = domain_of("delta.clustering", '{"clusteringColumns":[["a"]]}')
    Transaction(log, None).commit(
        [domain], Operation("CREATE TABLE"), metadata=metadata((), **stored), protocol=protocol
    )
    return log


def domain_of(name, text="{}", *, removed=False):
    return DomainMetadata(domain=name, configuration=text, removed=removed)


def commit(log, *actions, operation=WRITE, **options):
    """Commit onto the latest version."""
    transaction = Transaction(log, log.latest(), patience=NO_WAIT)
    return transaction.commit(list(actions), operation, **options)


def lines(log, version):
    """The lines of a commit."""
    text = log.store.read(commit_name(version)).decode()
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def info(log, version):
    """The commit info of a version."""
    return lines(log, version)[0]["commitInfo"]


def tags(log, version):
    """The kinds of the lines of a commit."""
    return [next(iter(line)) for line in lines(log, version)]


def paths(snapshot):
    """The live files."""
    return sorted(snapshot.files["path"].to_pylist())
