"""What stops a stream: commits that it cannot read, a table that was replaced, other columns."""

from __future__ import annotations

from dataclasses import dataclass

from puredelta.errors import DeltaError, DeltaIllegalStateError
from puredelta.log.actions import Metadata
from puredelta.streaming.commit_checks import check_table_is_same
from puredelta.streaming.commits import Commit
from puredelta.streaming.offsets import Offset, read_offset
from puredelta.streaming.readings import Reading
from puredelta.streaming.schema_checks import SchemaCheck
from puredelta.streaming.table_as_seen import TableAsSeen
from puredelta.table.columns.column_mapping import MappingMode, mapping_mode
from puredelta.table.protocol.protocol import check_readable


@dataclass(kw_only=True)
class StreamChecks:
    """Refuses what a stream cannot go on with.

    Attributes:
        table: that is read.
        reading: what the stream makes of commits.
        schemas: compares columns; None for a stream that keeps its own.
    """

    table: TableAsSeen
    reading: Reading
    schemas: SchemaCheck | None
    _has_started: bool = False

    def check(self, commit: Commit) -> None:
        """Refuse a commit.

        Raises:
            DeltaError: why the stream cannot go on.
        """
        check_table_is_same(commit, self.table.id)
        metadata, protocol = commit.metadata, commit.protocol
        if protocol is not None:
            check_readable(protocol, metadata or self.table.read.metadata, self.table.root)
        if metadata is not None and self.schemas is not None:
            self.schemas.check(metadata, commit.version)
        self.reading.check(commit)

    def refusal(self, commit: Commit) -> DeltaError | None:
        """Return why a commit stops the stream; None for one that does not."""
        try:
            self.check(commit)
        except DeltaError as error:
            return error
        return None

    def check_not_replaced(self, begin: Offset | None) -> None:
        """Refuse a table that was deleted, or made again under the same path.

        Args:
            begin: the end of the last batch; None for a new stream.

        Raises:
            DeltaIllegalStateError: DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE.
            DeltaAnalysisError: there is no table any more.
        """
        if begin is None:
            return
        try:
            found = self.table.log.latest().metadata.id
        except DeltaError:
            # A log with a gap is for the commits to tell, which a stream may pass over.
            if not self.table.log.exists():
                raise
            return
        read_offset(begin.to_json(), found)

    def check_start(self, begin: Offset) -> None:
        """Refuse the version that a query goes on from; it is looked at once.

        Raises:
            DeltaError: why the stream cannot go on.
        """
        if self._has_started:
            return
        self._has_started = True
        version = min(begin.version, self.table.read.version)
        found = self.metadata_at(version)
        if found is not None:
            self.reading.check_start(found, version)
            if self.schemas is not None:
                self.schemas.check(found, version)

    def metadata_at(self, version: int) -> Metadata | None:
        """Return the metadata of a version; None where it is gone and does not matter.

        Raises:
            DeltaIllegalStateError: DELTA_STREAMING_CHECK_COLUMN_MAPPING_NO_SNAPSHOT where it is
                gone and columns are mapped.
        """
        if version == self.table.read.version:
            return self.table.read.metadata
        try:
            return self.table.log.at_version(version).metadata
        except DeltaError as error:
            if mapping_mode(self.table.read.configuration) is MappingMode.NONE:
                return None
            raise DeltaIllegalStateError(
                "DELTA_STREAMING_CHECK_COLUMN_MAPPING_NO_SNAPSHOT", version=version
            ) from error
