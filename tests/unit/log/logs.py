"""Small logs for tests: actions with what matters, and commits of them in a store."""

import msgspec

from puredelta.log.actions import (
    Action,
    AddFile,
    CommitInfo,
    DeletionVector,
    Format,
    Metadata,
    Protocol,
    RemoveFile,
    encode_commit,
)
from puredelta.log.names import commit_name
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import LONG, STRING, StructField, StructType
from puredelta.storage.store import Store

SCHEMA = StructType((StructField("a", LONG), StructField("p", STRING)))
PROTOCOL = Protocol(min_reader_version=1, min_writer_version=2)
METADATA = Metadata(
    id="t-1",
    format=Format(),
    schema_string=schema_to_json(SCHEMA),
    partition_columns=["p"],
    configuration={},
    created_time=1_700_000_000_000,
)


def metadata(**properties: str) -> Metadata:
    """Return the metadata with properties: `delta_x` stands for `delta.x`."""
    configuration = {name.replace("_", "."): value for name, value in properties.items()}
    return msgspec.structs.replace(METADATA, configuration=configuration)


def add(path: str, vector: DeletionVector | None = None, size: int = 10, **other) -> AddFile:
    """Return a file of partition `x`."""
    values = {
        "partition_values": {"p": "x"},
        "modification_time": 1_700_000_000_000,
        "data_change": True,
        **other,
    }
    return AddFile(path=path, size=size, deletion_vector=vector, **values)


def remove(path: str, vector: DeletionVector | None = None, when: int = 1) -> RemoveFile:
    """Return the tombstone of a file."""
    return RemoveFile(
        path=path, deletion_timestamp=when, data_change=True, deletion_vector=vector, size=10
    )


def vector(number: int) -> DeletionVector:
    """Return a deletion vector that is unlike the others."""
    return DeletionVector(
        storage_type="u", path_or_inline_dv="ab", offset=number, size_in_bytes=4, cardinality=1
    )


def info(operation: str = "WRITE", **other) -> CommitInfo:
    """Return what a writer says of its commit."""
    return CommitInfo(operation=operation, **other)


def commit(store: Store, version: int, *actions: Action) -> None:
    """Write one version."""
    assert store.put_if_absent(commit_name(version), encode_commit(actions))


def create(store: Store, *actions: Action, table: Metadata = METADATA) -> None:
    """Write version 0."""
    commit(store, 0, info("CREATE TABLE"), table, PROTOCOL, *actions)


def paths(files) -> list[str]:
    """Return the sorted paths of a table of files."""
    return sorted(files["path"].to_pylist())
