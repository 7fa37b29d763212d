"""The records of the log, and a line of it to and from a record.

Protocol: Actions.
"""

import contextlib
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Annotated, Any, TypeAlias

import msgspec

from puredelta.errors import DeltaIllegalStateError

PartitionValues: TypeAlias = dict[str, str | None]

# A number beyond the integers of the protocol is damage: decoding refuses it by the field's name.
Long: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
SmallCount: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]


# Records never form a cycle, so the garbage collector need not walk the thousands of them.
class Record(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, gc=False
):
    """A record of the log. Unknown fields are skipped; fields without a value are not written."""


class Format(Record, frozen=True, kw_only=True, omit_defaults=False):
    """How data files are encoded; there is only Parquet."""

    # Protocol: Change Metadata. Each metaData has a format, so the defaults are written too.
    provider: str = "parquet"
    options: dict[str, str] = {}


class Protocol(Record, frozen=True, kw_only=True):
    """What a client must know to read and to write the table."""

    min_reader_version: SmallCount
    min_writer_version: SmallCount
    reader_features: list[str] | None = None
    writer_features: list[str] | None = None


NO_SCHEMA = '{"type":"struct","fields":[] }'
"""The schema of a table that has none, such as one that a stream is to fill: no columns.

A schema of no columns is written with other spaces, so a schema that was left out stays left out.
"""


class Metadata(Record, frozen=True, kw_only=True):
    """What the table is: its id, schema, partitioning and properties."""

    id: str
    name: str | None = None
    description: str | None = None
    format: Format
    schema_string: str = NO_SCHEMA
    partition_columns: list[str]
    configuration: dict[str, str]
    created_time: Long | None = None


class DeletionVector(Record, frozen=True, kw_only=True):
    """Where the row indexes that are deleted from a file are stored.

    Protocol: Deletion Vector Descriptor Schema.
    """

    storage_type: str
    path_or_inline_dv: str
    offset: SmallCount | None = None
    size_in_bytes: SmallCount
    cardinality: Count

    @property
    def unique_id(self) -> str:
        """Distinguishes this vector from any other of the same file."""
        # Vectors share files: only the offset differs between two that one statement wrote.
        suffix = "" if self.offset is None else f"@{self.offset}"
        return f"{self.storage_type}{self.path_or_inline_dv}{suffix}"


class AddFile(Record, frozen=True, kw_only=True):
    """A data file that joins the table; `path` is encoded as in the log."""

    path: str
    # Protocol: Add File and Remove File. It is required, so it is written even when it is empty.
    partition_values: PartitionValues
    size: Count
    modification_time: Long
    data_change: bool
    stats: str | None = None
    tags: dict[str, str | None] | None = None
    deletion_vector: DeletionVector | None = None
    base_row_id: Long | None = None
    default_row_commit_version: Long | None = None
    clustering_provider: str | None = None


class RemoveFile(Record, frozen=True, kw_only=True):
    """A data file that left the table, kept in the log until its tombstone expires."""

    path: str
    deletion_timestamp: Long | None = None
    data_change: bool
    extended_file_metadata: bool | None = None
    partition_values: PartitionValues | None = None
    size: Long | None = None
    tags: dict[str, str | None] | None = None
    deletion_vector: DeletionVector | None = None
    base_row_id: Long | None = None
    default_row_commit_version: Long | None = None
    stats: str | None = None


class AddCdcFile(Record, frozen=True, kw_only=True):
    """A file of changed rows, for readers of the change data feed."""

    path: str
    partition_values: PartitionValues
    size: Count
    data_change: bool
    tags: dict[str, str | None] | None = None


class SetTransaction(Record, frozen=True, kw_only=True):
    """The last version that an application wrote, in its own numbering."""

    app_id: str
    version: Long
    last_updated: Long | None = None


class DomainMetadata(Record, frozen=True, kw_only=True):
    """A named string that belongs to the table; `removed` ends it."""

    domain: str
    configuration: str
    removed: bool


class CommitInfo(Record, frozen=True, kw_only=True):
    """Who made a commit, when and how; free-form, so every field may be missing."""

    in_commit_timestamp: Long | None = None
    timestamp: Long | None = None
    user_id: str | None = None
    user_name: str | None = None
    operation: str | None = None
    operation_parameters: dict[str, Any] | None = None
    job: dict[str, Any] | None = None
    notebook: dict[str, Any] | None = None
    cluster_id: str | None = None
    read_version: int | None = None
    isolation_level: str | None = None
    is_blind_append: bool | None = None
    operation_metrics: dict[str, str] | None = None
    user_metadata: str | None = None
    tags: dict[str, str | None] | None = None
    engine_info: str | None = None
    txn_id: str | None = None


class CheckpointMetadata(Record, frozen=True, kw_only=True):
    """What a V2 checkpoint says of itself."""

    version: Count
    tags: dict[str, str | None] | None = None


class Sidecar(Record, frozen=True, kw_only=True):
    """A file of a V2 checkpoint that holds file actions."""

    path: str
    size_in_bytes: Count
    modification_time: Long
    tags: dict[str, str | None] | None = None


Action: TypeAlias = (
    AddFile
    | RemoveFile
    | AddCdcFile
    | Metadata
    | Protocol
    | SetTransaction
    | DomainMetadata
    | CommitInfo
    | CheckpointMetadata
    | Sidecar
)


class Line(Record, frozen=True, kw_only=True):
    """One line of a commit: Delta's tag is outside the object, so one field an action."""

    # Few commitInfos are ever needed, and a strange one must not make its line unreadable.
    commit_info: msgspec.Raw = msgspec.Raw()
    meta_data: Metadata | None = None
    protocol: Protocol | None = None
    domain_metadata: DomainMetadata | None = None
    txn: SetTransaction | None = None
    add: AddFile | None = None
    remove: RemoveFile | None = None
    cdc: AddCdcFile | None = None
    checkpoint_metadata: CheckpointMetadata | None = None
    sidecar: Sidecar | None = None


class SmallLine(Record, frozen=True, kw_only=True):
    """A line of a commit without the actions of files, which are passed over unread."""

    commit_info: msgspec.Raw = msgspec.Raw()
    meta_data: Metadata | None = None
    protocol: Protocol | None = None
    domain_metadata: DomainMetadata | None = None
    txn: SetTransaction | None = None


class FileLine(Record, frozen=True, kw_only=True):
    """A line of a commit, of which only files count."""

    add: AddFile | None = None
    remove: RemoveFile | None = None


_TAGS: dict[type[Record], str] = {
    CommitInfo: "commitInfo",
    Metadata: "metaData",
    Protocol: "protocol",
    DomainMetadata: "domainMetadata",
    SetTransaction: "txn",
    AddFile: "add",
    RemoveFile: "remove",
    AddCdcFile: "cdc",
    CheckpointMetadata: "checkpointMetadata",
    Sidecar: "sidecar",
}

_LINE = msgspec.json.Decoder(Line)
_SMALL_LINE = msgspec.json.Decoder(SmallLine)
_FILE_LINE = msgspec.json.Decoder(FileLine)
_PIECE = 2 * 1024 * 1024
_COMMIT_INFO = msgspec.json.Decoder(CommitInfo)


def camel_case(name: str) -> str:
    """Turn the name of an attribute into that of the field in the log.

    >>> camel_case("path_or_inline_dv")
    'pathOrInlineDv'
    """
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def decode_lines(data: bytes, name: str) -> list[Line]:
    """Read a file of the log, line by line; lines of blanks are passed over.

    Args:
        data: The content of the file.
        name: Its name, for the error.

    Raises:
        DeltaIllegalStateError: A line is not JSON, or not an action of the protocol.
    """
    try:
        # Deep nesting exhausts the decoder's stack, and bytes that are not UTF-8 may be in any
        # string.
        return _LINE.decode_lines(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _fault(data, name, error) from error


def decode_small_lines(data: bytes, name: str) -> list[SmallLine]:
    """Read a file of the log but for its file actions: ten times faster where it has many.

    Raises:
        DeltaIllegalStateError: A line is not JSON, or not an action of the protocol.
    """
    try:
        return _SMALL_LINE.decode_lines(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _fault(data, name, error) from error


def decode_file_actions(
    data: bytes, name: str, *, piece: int = _PIECE
) -> Iterator[list[AddFile | RemoveFile]]:
    """Read the file actions of a file of the log, in its order, some at a time.

    Args:
        data: The content of the file.
        name: Its name, for the error.
        piece: How many bytes are decoded at a time; a piece ends with a line.

    Raises:
        DeltaIllegalStateError: A line is not JSON, or not an action of the protocol.
    """
    # Records take ten times the space of their lines, and a commit may name files by the million.
    content, start = memoryview(data), 0
    while start < len(data):
        end = data.find(b"\n", start + piece) + 1 or len(data)
        try:
            lines = _FILE_LINE.decode_lines(content[start:end])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise _fault(data, name, error) from error
        yield [action for line in lines if (action := line.add or line.remove)]
        start = end


def decode_commit(data: bytes, name: str) -> list[Action]:
    """Read the actions of a commit, in the order of the file.

    Raises:
        DeltaIllegalStateError: A line is not JSON, or not an action of the protocol.
    """
    found = (action_of(line) for line in decode_lines(data, name))
    return [action for action in found if action is not None]


def action_of(line: Line) -> Action | None:
    """Return the action of a line, or None when it is one that we do not know."""
    # Protocol: Actions. A line has one action, so the order decides only how soon it is found. Most
    # lines are files.
    return (
        line.add
        or line.remove
        or line.cdc
        or line.txn
        or line.meta_data
        or line.protocol
        or line.domain_metadata
        or line.checkpoint_metadata
        or line.sidecar
        or (decode_commit_info(line.commit_info) if line.commit_info else None)
    )


def decode_commit_info(raw: msgspec.Raw) -> CommitInfo:
    """Read a commitInfo; fields whose values are not of our types are left out.

    The protocol lets writers put anything there, so a strange value must not make a table
    unreadable.
    """
    try:
        return _COMMIT_INFO.decode(raw)
    except (msgspec.ValidationError, UnicodeDecodeError):
        return _lenient_commit_info(_plain_value(raw))


def encode_action(action: Action) -> bytes:
    """Write one action as a line of a commit, without the newline."""
    return b'{"%b":%b}' % (_TAGS[type(action)].encode(), msgspec.json.encode(action))


def encode_commit(actions: Iterable[Action]) -> bytes:
    """Write a commit: one action a line, each line ended by a newline."""
    return b"".join(encode_action(action) + b"\n" for action in actions)


def _plain_value(raw: msgspec.Raw) -> object:
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # Decoding a line passes over this part of it, and does not see bytes that are no text.
        return None


def _lenient_commit_info(plain: object) -> CommitInfo:
    if not isinstance(plain, dict):
        return CommitInfo()
    # Spark writes metrics as strings. Those that other writers write as numbers are worth showing.
    if isinstance(metrics := plain.get("operationMetrics"), dict):
        plain["operationMetrics"] = {key: _metric(value) for key, value in metrics.items()}
    fitting: dict[str, Any] = {}
    for name, key, kind in _commit_info_fields():
        with contextlib.suppress(msgspec.ValidationError):
            fitting[name] = msgspec.convert(plain.get(key), kind)
    return CommitInfo(**fitting)


@cache
def _commit_info_fields() -> tuple[tuple[str, str, Any], ...]:
    fields = msgspec.structs.fields(CommitInfo)
    return tuple((field.name, field.encode_name, field.type) for field in fields)


def _metric(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _fault(data: bytes, name: str, error: Exception) -> DeltaIllegalStateError:
    number, reason = next(_bad_lines(data), (1, error))
    return DeltaIllegalStateError("DELTA_LOG_FILE_MALFORMED", path=name, line=number, reason=reason)


def _bad_lines(data: bytes) -> Iterator[tuple[int, Exception]]:
    """Decode line by line: the decoder of whole files does not say which one is to blame."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            try:
                _LINE.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                yield number, error
