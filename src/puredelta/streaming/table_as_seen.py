"""The table of a stream, as it was when the query started."""

from __future__ import annotations

from dataclasses import dataclass

from puredelta.errors import DeltaError, DeltaFileNotFoundError
from puredelta.log.snapshot import Snapshot
from puredelta.log.table_log import TableLog


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAsSeen:
    """The table of a stream.

    Attributes:
        log: of the table.
        root: its folder, as Hadoop names it.
        read: the version that was the newest one when the query started.
    """

    log: TableLog
    root: str
    read: Snapshot

    @property
    def id(self) -> str:
        """The id of the table."""
        return self.read.metadata.id

    def at(self, version: int) -> Snapshot:
        """Return the table at a version that the stream needs.

        Raises:
            DeltaFileNotFoundError: DELTA_LOG_FILE_NOT_FOUND_FOR_STREAMING_SOURCE for a version that
                cannot be read any more.
        """
        if version == self.read.version:
            return self.read
        try:
            return self.log.at_version(version)
        except DeltaError as error:
            raise DeltaFileNotFoundError(
                "DELTA_LOG_FILE_NOT_FOUND_FOR_STREAMING_SOURCE",
                version=version,
                logPath=f"{self.root}/_delta_log",
            ) from error
