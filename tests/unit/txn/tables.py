"""Small tables in memory for the tests of transactions."""

from puredelta.log.actions import AddFile, Format, Metadata, RemoveFile
from puredelta.log.refresh import TableLog
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import LONG, STRING, StructField, StructType
from puredelta.storage.memory import MemoryStore
from puredelta.table.protocol import protocol_for_new_table
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction

SCHEMA = StructType((StructField("a", LONG), StructField("p", STRING)))
WRITE = Operation("WRITE", {"mode": "Append"}, {"numFiles": "1"})


def metadata(partition_columns=("p",), **configuration):
    return Metadata(
        id="11111111-1111-1111-1111-111111111111",
        format=Format(),
        schema_string=schema_to_json(SCHEMA),
        partition_columns=list(partition_columns),
        configuration=configuration,
        created_time=1,
    )


def add(name, p="1", *, data_change=True, partitioned=True, vector=None):
    return AddFile(
        path=f"{name}.parquet",
        partition_values={"p": p} if partitioned else {},
        size=10,
        modification_time=1,
        data_change=data_change,
        stats='{"numRecords":1}',
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
    log = TableLog(MemoryStore(url="memory:///t"))
    create(log, partition_columns, **configuration)
    return log


def commit(log, *actions, operation=WRITE, **options):
    """Commit onto the latest version."""
    return Transaction(log, log.latest()).commit(list(actions), operation, **options)


def paths(snapshot):
    """The live files."""
    return sorted(snapshot.files["path"].to_pylist())
