"""A table read without Spark: its version, schema, files and history."""

from collections.abc import Mapping
from datetime import datetime, timezone
from os import PathLike
from typing import Any

import msgspec
import pyarrow as pa

from puredelta.errors import (
    DeltaAnalysisError,
    DeltaIllegalArgumentError,
    DeltaTableNotFoundError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.actions import Metadata, Protocol
from puredelta.log.history import history_row
from puredelta.log.inspection.checkpoints import list_checkpoints
from puredelta.log.inspection.column_stats import list_stats
from puredelta.log.inspection.files import list_files
from puredelta.log.inspection.partitions import list_partitions
from puredelta.log.inspection.versions import list_versions
from puredelta.log.listing import list_log
from puredelta.log.snapshot import Snapshot
from puredelta.log.table_log import TableLog, open_log
from puredelta.schema.arrow import to_arrow
from puredelta.schema.column_path import quote_path
from puredelta.schema.datatypes import (
    DECLARED_TYPE_KEY,
    StructField,
    StructType,
    simple_string,
)
from puredelta.schema.physical import logical_path
from puredelta.storage.location import absolute, path_text


def open_table(
    path: str | PathLike[str],
    version: int | None = None,
    timestamp: str | datetime | None = None,
    storage_options: Mapping[str, str] | None = None,
) -> "TableReader":
    """Open a table for reading, at its latest version or an older one.

    Args:
        path: Where it lies: a folder of this machine, or a URL such as `s3://bucket/table`.
        version: The version wanted.
        timestamp: In place of a version, the time whose latest version is wanted. Without a zone
            it is in the zone of this machine.
        storage_options: What the store needs to get in, in the names of obstore or of Hadoop.

    Raises:
        DeltaTableNotFoundError: DELTA_PATH_DOES_NOT_EXIST.
        DeltaAnalysisError: There is no such version of it.
    """
    if version is not None and timestamp is not None:
        raise DeltaIllegalArgumentError("DELTA_ONEOF_IN_TIMETRAVEL")
    path = path_text(path)
    log = open_log(path, storage_options)
    if not log.exists():
        raise DeltaTableNotFoundError("DELTA_PATH_DOES_NOT_EXIST", path=path)
    if version is not None:
        return TableReader(log, log.at_version(version))
    if timestamp is not None:
        return TableReader(log, log.at_timestamp(_milliseconds(timestamp), show=_iso_text))
    return TableReader(log, log.latest())


class TableReader:
    """One version of a table, with what the log says of it."""

    def __init__(self, log: TableLog, snapshot: Snapshot) -> None:
        self.log = log
        self.snapshot = snapshot

    def __repr__(self) -> str:
        return f"TableReader({self.log.store.url!r}, version={self.version})"

    @property
    def version(self) -> int:
        """The version that is read."""
        return self.snapshot.version

    @property
    def schema(self) -> StructType:
        """The schema, in the types of Delta."""
        return self.snapshot.schema

    @property
    def arrow_schema(self) -> pa.Schema:
        """The schema, in the types of Arrow."""
        return to_arrow(self.snapshot.schema)

    @property
    def protocol(self) -> Protocol:
        """What a client must know to read and to write the table."""
        return self.snapshot.protocol

    @property
    def metadata(self) -> Metadata:
        """Id, schema, partitioning and properties, as the log has them."""
        return self.snapshot.metadata

    def history(self, limit: int | None = None) -> list[dict[str, Any]]:
        """Return who made which version, newest first, from the version that is read on.

        The keys are the columns of `DESCRIBE HISTORY`; the time is ISO 8601 text in UTC.

        Args:
            limit: How many versions to look at.
        """
        # The log counts its limit from the newest version, which may be after this one.
        newer = self.log.latest().version - self.version
        records = self.log.history(None if limit is None else limit + newer)
        return [
            {**history_row(record), "timestamp": _iso_text(record.timestamp_ms)}
            for record in records
            if record.version <= self.version
        ]

    def detail(self) -> dict[str, Any]:
        """Return what the table is; the keys are the columns of `DESCRIBE DETAIL`."""
        snapshot, metadata = self.snapshot, self.metadata
        created = metadata.created_time
        return {
            "format": "delta",
            "id": metadata.id,
            "name": metadata.name,
            "description": metadata.description,
            "location": self.log.store.url,
            "createdAt": None if created is None else _iso_text(created),
            "lastModified": _iso_text(snapshot.modified_ms),
            "partitionColumns": list(metadata.partition_columns),
            "clusteringColumns": _clustering_columns(snapshot),
            "numFiles": snapshot.num_files,
            "sizeInBytes": snapshot.size_in_bytes,
            "properties": dict(metadata.configuration),
            "minReaderVersion": snapshot.protocol.min_reader_version,
            "minWriterVersion": snapshot.protocol.min_writer_version,
            "tableFeatures": feature_names(snapshot.protocol),
        }

    def columns(self) -> list[dict[str, Any]]:
        """Describe the columns, in order, each by the same keys.

        Returns:
            `name`; `type` as SQL writes it, such as `varchar(10)`; `nullable`; `partition`, the
            column's position among the partition columns from 1 on, or None; `comment`, or None.
        """
        positions = {name.lower(): n for n, name in enumerate(self.metadata.partition_columns, 1)}
        return [_column(field, positions.get(field.name.lower())) for field in self.schema]

    def files(self) -> pa.Table:
        """List the data files, a row each; see `log.inspection.files.list_files`.

        Returns:
            `path` below the table, `size` in bytes, `modification_time`, for partitioned tables
            the struct `partition` with a typed field a column, `num_records` and `num_deleted`
            (rows in the file, and those of them that a deletion vector hides), `tags`,
            `base_row_id`, `default_row_commit_version`, `clustering_provider`, and the `stats` as
            JSON.
        """
        return list_files(self.snapshot)

    def partitions(self) -> pa.Table:
        """List the partitions that have files, a row each, ordered by their values.

        Returns:
            The struct `partition` with a typed field a column, `num_files`, `size` in bytes,
            `num_records` and `num_deleted` (null where a file does not say), `smallest_file` and
            `largest_file` in bytes, `modification_time` of the newest file. A table without
            partition columns is one row, without the column `partition`.
        """
        return list_partitions(self.snapshot)

    def stats(self, column: str | None = None) -> pa.Table:
        """List what the log knows of the values in each file, a row a file and column.

        Args:
            column: The path of one column, `a.b`; its bounds come in its type. By default all,
                with bounds as text.

        Returns:
            `path` of the file, `column`, `type`, `min` and `max`, `null_count`, `num_records`,
            and `tight_bounds`, whether they are those of the rows that are left.

        Raises:
            DeltaAnalysisError: There is no such column, or it has parts of its own.
        """
        return list_stats(self.snapshot, column)

    def checkpoints(self) -> pa.Table:
        """List the complete checkpoints up to this version, the newest first.

        Returns:
            `version`, `kind` (`classic`, `multi-part` or `v2`), `in_use` (is this version read
            from it?), `parts`, `sidecars`, `size` in bytes, `num_rows` (the actions in it; null
            when it cannot be read), `modification_time`.
        """
        return list_checkpoints(self.snapshot)

    def versions(self, limit: int | None = None) -> pa.Table:
        """List the versions up to this one with the size that the table had, the oldest first.

        Args:
            limit: How many versions to look at, the newest ones.

        Returns:
            `version`, `timestamp`, `operation`, `num_files`, `size` in bytes, and `num_rows`,
            without those that deletion vectors hide; null where a file does not say.
        """
        # A version was opened, so that one at least can be read.
        first = list_log(self.log.store).earliest_readable() or 0
        if limit is not None:
            first = max(first, self.version - limit + 1)
        first = min(first, self.version)
        newer = self.log.latest().version - first + 1
        return list_versions(self.log.at_version(first), self.version, self.log.history(newer))

    def file_uris(self) -> list[str]:
        """List the data files as URLs, for readers of Parquet.

        Files lack the partition columns, whose values `files()` has.

        Raises:
            DeltaUnsupportedOperationError: PUREDELTA_FILES_ARE_NOT_THE_ROWS: a reader of the
                files alone would get deleted rows, columns of other names or values of older types.
        """
        reasons = _unlike_rows(self.snapshot)
        root = self.log.store.url
        if reasons:
            raise DeltaUnsupportedOperationError(
                "PUREDELTA_FILES_ARE_NOT_THE_ROWS",
                tableName=root,
                version=self.version,
                reasons=", ".join(reasons),
            )
        return [absolute(root, path) for path in self.snapshot.files["path"].to_pylist()]


def _column(field: StructField, position: int | None) -> dict[str, Any]:
    declared = field.metadata.get(DECLARED_TYPE_KEY)
    return {
        "name": field.name,
        "type": str(declared or simple_string(field.data_type)),
        "nullable": field.nullable,
        "partition": position,
        "comment": field.metadata.get("comment"),
    }


def _unlike_rows(snapshot: Snapshot) -> list[str]:
    """List the reasons why the rows of the files are not those of the table."""
    vectors = snapshot.files["deletion_vector"]
    mapping = snapshot.configuration.get("delta.columnMapping.mode", "none").lower()
    reasons = {
        "deletion vectors hide rows of the files": vectors.null_count < len(vectors),
        "the files may have other names for the columns (column mapping)": mapping != "none",
        # Fields at any depth can have the key, so the JSON of the schema is searched.
        "columns were widened after files were written": '"delta.typeChanges"'
        in snapshot.metadata.schema_string,
    }
    return [reason for reason, holds in reasons.items() if holds]


class _ClusteringDomain(msgspec.Struct, rename="camel"):
    clustering_columns: list[str | list[str]] = []


def _clustering_columns(snapshot: Snapshot) -> list[str]:
    domain = snapshot.domains.get("delta.clustering")
    if domain is None:
        return []
    try:
        found = msgspec.json.decode(domain.configuration, type=_ClusteringDomain)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        # Clustering says only how rows are laid out, so the table can be read without it.
        return []
    # Spark writes the parts of each name, the protocol text shows whole names.
    paths = [[column] if isinstance(column, str) else column for column in found.clustering_columns]
    return [quote_path(logical_path(path, snapshot.schema) or path) for path in paths]


def _milliseconds(timestamp: str | datetime) -> int:
    if isinstance(timestamp, str):
        try:
            # `Z` is understood from Python 3.11 on.
            timestamp = datetime.fromisoformat(timestamp.strip().replace("Z", "+00:00"))
        except ValueError as error:
            raise DeltaAnalysisError("DELTA_TIMESTAMP_INVALID", expr=timestamp) from error
    try:
        return int(timestamp.timestamp() * 1000)
    except (ValueError, OverflowError) as error:
        # The ends of the calendar, moved over them by a zone.
        raise DeltaAnalysisError("DELTA_TIMESTAMP_INVALID", expr=timestamp) from error


def _iso_text(timestamp_ms: int) -> str:
    try:
        moment = datetime.fromtimestamp(timestamp_ms / 1000, timezone.utc)
    except (ValueError, OverflowError):
        # Past the calendar of Python, which a damaged log may be.
        return f"{timestamp_ms} ms"
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


# ----------------------------------------------------------- features of numbered protocol versions


TABLE_FEATURES_READER = 3
"""From this reader version on, reader features are listed by name."""

TABLE_FEATURES_WRITER = 7
"""From this writer version on, writer features are listed by name."""

# The version that brought each feature; a higher one implies it.
_BY_WRITER_VERSION = {
    "appendOnly": 2,
    "invariants": 2,
    "checkConstraints": 3,
    "changeDataFeed": 4,
    "generatedColumns": 4,
    "columnMapping": 5,
    "identityColumns": 6,
}


def feature_names(protocol: Protocol) -> list[str]:
    """Name all features of a protocol, those that are implied too, sorted."""
    if protocol.min_writer_version >= TABLE_FEATURES_WRITER:
        return sorted({*(protocol.reader_features or []), *(protocol.writer_features or [])})
    version = protocol.min_writer_version
    return sorted(name for name, since in _BY_WRITER_VERSION.items() if since <= version)
