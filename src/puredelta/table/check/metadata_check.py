"""What needs no look at a file: protocol, schema, partition values, what the log says of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from posixpath import normpath

from puredelta.errors import DeltaError
from puredelta.log.actions import AddFile, Metadata, Protocol
from puredelta.log.names import LOG_FOLDER
from puredelta.schema.codec import MalformedTypeError, schema_from_json
from puredelta.schema.datatypes import STRING, DataType, StructType
from puredelta.storage.location import absolute
from puredelta.storage.store_aliases import canonical_store_url
from puredelta.table.check.finding import Finding, error, examples, warning
from puredelta.table.check.naive_replay import ReplayedFiles, path_of, shown_path
from puredelta.table.columns.column_mapping import mapping_mode, physical_name
from puredelta.table.columns.schema_check import repeated_names
from puredelta.table.partition_values import plain_from_text
from puredelta.table.protocol.features import find_feature
from puredelta.table.protocol.protocol import check_readable


def schema_of(metadata: Metadata) -> StructType | None:
    """Read the schema; None when it is damaged."""
    try:
        return schema_from_json(metadata.schema_string)
    except MalformedTypeError:
        return None


def protocol_findings(protocol: Protocol, metadata: Metadata, table: str) -> Iterator[Finding]:
    """Look for unknown features and for a protocol that contradicts itself."""
    readers = set(protocol.reader_features or ())
    writers = set(protocol.writer_features or ())
    if (protocol.reader_features is None) is (protocol.min_reader_version == 3):
        text = f"Reader version {protocol.min_reader_version} and its features do not go together."
        yield error("protocol-malformed", LOG_FOLDER, text)
    if (protocol.writer_features is None) is (protocol.min_writer_version == 7):
        text = f"Writer version {protocol.min_writer_version} and its features do not go together."
        yield error("protocol-malformed", LOG_FOLDER, text)
    if only_read := sorted(readers - writers):
        text = f"Features for readers that are not among those for writers: {examples(only_read)}."
        yield error("protocol-malformed", LOG_FOLDER, text)
    if unknown := sorted(name for name in readers | writers if find_feature(name) is None):
        text = f"Table features that are not known here: {examples(unknown)}."
        yield error("feature-unknown", LOG_FOLDER, text)
        # `check_readable` would report the same features once more.
        return
    try:
        check_readable(protocol, metadata, table)
    except DeltaError as reason:
        yield warning("feature-not-supported", LOG_FOLDER, reason.message)


def schema_findings(metadata: Metadata) -> Iterator[Finding]:
    """Look whether the schema can be read and has the partition columns."""
    try:
        schema = schema_from_json(metadata.schema_string)
    except MalformedTypeError as reason:
        yield error("schema-damaged", LOG_FOLDER, f"The schema cannot be read: {reason}")
        return
    if missing := [name for name in metadata.partition_columns if schema.field(name) is None]:
        text = f"The schema has no column for the partitioning by {examples(missing)}."
        yield error("schema-damaged", LOG_FOLDER, text)
    if alike := repeated_names(schema):
        message = f"Columns have names that differ at most in case: {examples(alike)}."
        text = f"{message} Spark takes them for one unless spark.sql.caseSensitive is true."
        yield error("columns-alike", LOG_FOLDER, text)


def partition_findings(
    files: list[AddFile], schema: StructType, metadata: Metadata
) -> Iterator[Finding]:
    """Look whether each file has the partition columns, with values of their types."""
    columns = _partition_types(schema, metadata)
    good: dict[str, set[str | None]] = {name: set() for name in columns}
    for add in files:
        # Checkpoints may lack them.
        path, values = shown_path(add), add.partition_values or {}
        if values.keys() != columns.keys():
            text = f"It has the partition columns {sorted(values)}, the table {sorted(columns)}."
            yield error("partition-columns", path, text)
        for name in values.keys() & columns.keys():
            # Tables have many files and few partition values.
            if values[name] in good[name]:
                continue
            try:
                plain_from_text(values[name], columns[name])
                good[name].add(values[name])
            except DeltaError as reason:
                text = f"Partition column {name}: {reason.message}"
                yield error("partition-value", path, text)


def file_findings(files: list[AddFile], protocol: Protocol) -> Iterator[Finding]:
    """Look for files that are live twice, and vectors that the protocol does not allow."""
    times = Counter(map(shown_path, files))
    for path in sorted(path for path, count in times.items() if count > 1):
        text = f"It is live {times[path]} times, with other deletion vectors: rows are doubled."
        yield error("file-twice", path, text)
    marked = [shown_path(add) for add in files if add.deletion_vector is not None]
    if marked and "deletionVectors" not in (protocol.reader_features or ()):
        text = f"There are deletion vectors and no table feature for them: {examples(marked)}."
        yield error("feature-missing", LOG_FOLDER, text)


def spelling_findings(state: ReplayedFiles, table: str) -> Iterator[Finding]:
    """Look for one file that the log names in several ways, of which readers make several files.

    Args:
        state: What the log says.
        table: The URL of the table.
    """
    spellings: dict[str, set[str]] = {}
    live = sorted({path_of(key) for key in state.files})
    for path in live:
        spellings.setdefault(_place(table, path), set()).add(path)
    for path in map(path_of, state.removed):
        if (found := spellings.get(_place(table, path))) is not None:
            found.add(path)
    for path in live:
        others = sorted(spellings[_place(table, path)] - {path})
        if others:
            message = f"The log names this file in other ways, too: {examples(others)}."
            text = f"{message} Its rows may count twice, or stay when it is removed."
            yield error("file-respelled", path, text)


def _place(table: str, path: str) -> str:
    """Return one text for all spellings of where a file lies."""
    scheme, _, rest = canonical_store_url(absolute(table, path)).partition("://")
    authority, slash, name = rest.partition("/")
    return f"{scheme}://{authority}{slash}{normpath(name)}"


def _partition_types(schema: StructType, metadata: Metadata) -> dict[str, DataType]:
    """Give the types of the partition columns, by the names that the log has for them."""
    mode = mapping_mode(metadata.configuration)
    found: dict[str, DataType] = {}
    for name in metadata.partition_columns:
        field = schema.field(name)
        if field is None:
            found[name] = STRING
        else:
            found[physical_name(field, mode)] = field.data_type
    return found
