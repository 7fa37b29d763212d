"""The log in which a stream keeps the columns that it reads with, in the files of delta-spark.

A stream that has one reads each version with the columns that the table had then, and not with the
newest: it goes on through renames, drops and changes of types.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from puredelta.errors import DeltaAnalysisError, DeltaRuntimeError
from puredelta.log.actions import Metadata, Protocol
from puredelta.schema.codec import MalformedTypeError, schema_to_json, stored_schema_from_json
from puredelta.schema.datatypes import StructType
from puredelta.storage.store import Store
from puredelta.table.protocol.protocol import schema_of

_HEADER = "v1"


class TrackedSchema(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The columns of a stream from some version on.

    Attributes:
        table_id: the id of the table.
        delta_commit_version: the version.
        data_schema_json: the columns.
        partition_schema_json: those that partition the table.
        source_metadata_path: the folder of the source in the checkpoint.
        table_configurations: the properties of the table.
        protocol_json: the table's protocol, as a line of the log.
        previous_metadata_seq_num: the number of the entry that was in force before.
    """

    table_id: str
    delta_commit_version: int
    data_schema_json: str
    partition_schema_json: str
    source_metadata_path: str
    table_configurations: dict[str, str] | None = None
    protocol_json: str | None = None
    previous_metadata_seq_num: int | None = None

    @property
    def schema(self) -> StructType:
        """The columns.

        Raises:
            DeltaRuntimeError: DELTA_STREAMING_SCHEMA_LOG_PARSE_SCHEMA_FAILED.
        """
        try:
            return stored_schema_from_json(self.data_schema_json)
        except MalformedTypeError as error:
            raise DeltaRuntimeError(
                "DELTA_STREAMING_SCHEMA_LOG_PARSE_SCHEMA_FAILED", reason=error
            ) from error

    @property
    def configuration(self) -> Mapping[str, str]:
        """The properties of the table."""
        return self.table_configurations or {}

    @property
    def protocol(self) -> Protocol | None:
        """The protocol of the table."""
        if self.protocol_json is None:
            return None
        return _PROTOCOLS.decode(self.protocol_json).protocol

    def metadata(self, newest: Metadata) -> Metadata:
        """Return the metadata that the stream reads with.

        Args:
            newest: that of the table, for what does not concern columns.
        """
        partitions = stored_schema_from_json(self.partition_schema_json)
        return msgspec.structs.replace(
            newest,
            schema_string=self.data_schema_json,
            partition_columns=[field.name for field in partitions],
            configuration=dict(self.configuration),
        )


class _ProtocolLine(msgspec.Struct):
    protocol: Protocol


_PROTOCOLS = msgspec.json.Decoder(_ProtocolLine)
_ENTRIES = msgspec.json.Decoder(TrackedSchema)


def tracked(
    metadata: Metadata, protocol: Protocol, version: int, source: str, previous: int | None = None
) -> TrackedSchema:
    """Return an entry for a version of a table.

    Args:
        metadata: of the version.
        protocol: of the version.
        version: the version.
        source: the folder of the source in the checkpoint.
        previous: the number of the entry that was in force before.
    """
    schema = schema_of(metadata)
    parts = [field for name in metadata.partition_columns if (field := schema.field(name))]
    line = msgspec.json.encode({"protocol": protocol}).decode()
    return TrackedSchema(
        table_id=metadata.id,
        delta_commit_version=version,
        data_schema_json=metadata.schema_string,
        partition_schema_json=schema_to_json(StructType(tuple(parts))),
        source_metadata_path=source,
        table_configurations=dict(metadata.configuration),
        protocol_json=line,
        previous_metadata_seq_num=previous,
    )


@dataclass(frozen=True, slots=True)
class SchemaLog:
    """The entries of one stream, by their numbers.

    Attributes:
        store: of the folder.
        table: the id of the table.
    """

    store: Store
    table: str

    def numbers(self) -> list[int]:
        """Return the numbers of the entries, in order."""
        names = (info.name.rpartition("/")[2] for info in self.store.list_from(""))
        return sorted(int(name) for name in names if name.isdigit())

    def newest(self) -> tuple[int, TrackedSchema] | None:
        """Return the entry that is in force, with its number; None in an empty log."""
        numbers = self.numbers()
        return (numbers[-1], self.read(numbers[-1])) if numbers else None

    def read(self, number: int) -> TrackedSchema:
        """Read an entry.

        Raises:
            DeltaRuntimeError: DELTA_STREAMING_SCHEMA_LOG_DESERIALIZE_FAILED.
            DeltaAnalysisError: DELTA_STREAMING_SCHEMA_LOG_INCOMPATIBLE_DELTA_TABLE_ID.
        """
        place = f"{self.store.url}/{number}"
        header, _, body = self.store.read(str(number)).partition(b"\n")
        try:
            if header.decode().strip() != _HEADER:
                raise _malformed(place, f"it begins with {header!r}, not with {_HEADER}")
            found = _ENTRIES.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise _malformed(place, str(error)) from error
        if found.table_id != self.table:
            raise DeltaAnalysisError(
                "DELTA_STREAMING_SCHEMA_LOG_INCOMPATIBLE_DELTA_TABLE_ID",
                persistedId=found.table_id,
                tableId=self.table,
                location=self.store.url,
            )
        return found

    def write(self, entry: TrackedSchema) -> int:
        """Add an entry; return its number.

        Raises:
            DeltaRuntimeError: PUREDELTA_STREAMING_SCHEMA_LOG_TAKEN where another run of the query
                has added one at the same time.
        """
        numbers = self.numbers()
        number = numbers[-1] + 1 if numbers else 0
        data = f"{_HEADER}\n".encode() + msgspec.json.encode(entry)
        if not self.store.put_if_absent(str(number), data):
            raise DeltaRuntimeError(
                "PUREDELTA_STREAMING_SCHEMA_LOG_TAKEN", location=f"{self.store.url}/{number}"
            )
        return number


def _malformed(place: str, reason: str) -> DeltaRuntimeError:
    return DeltaRuntimeError(
        "DELTA_STREAMING_SCHEMA_LOG_DESERIALIZE_FAILED", location=place, reason=reason
    )
