"""The rows of a batch of a stream: Spark's own scans over files that were chosen for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from puredelta.engine.hadoop.table_options import remember
from puredelta.engine.scan.change_feed import DERIVED, RECORDED, partitions_of, schema_of_changes
from puredelta.engine.scan.described_table import DescribedTable
from puredelta.engine.scan.handle import FeedPart, ScanHandle, schema_fingerprint
from puredelta.engine.scan.pinned_files import FilesOfPlans, remember_files, remember_version
from puredelta.engine.scan.reader_settings import set_reader_settings
from puredelta.engine.streaming.streaming_plan import as_stream
from puredelta.log.files import FILES, total_bytes
from puredelta.log.snapshot import Snapshot
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import StructType
from puredelta.streaming.version_files import VersionFiles
from puredelta.table.columns.visible_schema import visible_schema


def stream_schema(snapshot: Snapshot, *, changes: bool) -> StructType:
    """Return the columns of a stream.

    Args:
        snapshot: the version whose columns it has.
        changes: it gives the changes of rows.
    """
    return schema_of_changes(snapshot) if changes else visible_schema(snapshot.schema)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchFrames:
    """Makes the DataFrames of the batches of one stream.

    Attributes:
        session: where they are read.
        root: the table's folder, as Hadoop names it.
        snapshot: the version whose columns the stream has; its own files do not count.
        options: of the table's file system.
        changes: the stream gives the changes of rows.
    """

    session: SparkSession
    root: str
    snapshot: Snapshot
    options: Mapping[str, str]
    changes: bool
    _kept: FilesOfPlans = field(default_factory=FilesOfPlans)

    def release(self) -> None:
        """Forget the files of the last batch, which has been read."""
        self._kept.release()

    def frame(self, parts: Sequence[VersionFiles]) -> DataFrame:
        """Return the rows of a batch, as a streaming DataFrame; for no files, without rows.

        Args:
            parts: the files, version by version.
        """
        set_reader_settings(self.snapshot)
        with self._kept.keep():
            if not self.changes:
                return self._scan(_joined(parts), None)
            recorded = [part for part in parts if part.recorded]
            derived = [part for part in parts if not part.recorded]
            first, last = (parts[0].version, parts[-1].version) if parts else (0, 0)
            found = [
                self._scan(_joined(some), FeedPart(start=first, end=last, part=part))
                for part, some in ((DERIVED, derived), (RECORDED, recorded))
                if some or part == DERIVED
            ]
            return found[0] if len(found) == 1 else found[0].union(found[1])

    def _scan(self, files: pa.Table, changes: FeedPart | None) -> DataFrame:
        snapshot = self.snapshot
        number = remember_files(files)
        handle = ScanHandle(
            root=self.root,
            version=snapshot.version,
            fingerprint=schema_fingerprint(snapshot.metadata),
            options=remember(self.options),
            only_files=number,
            # The version itself is kept: its log may be gone before the stream is.
            planned=remember_version(snapshot),
            number=number,
            changes=changes,
        )
        more = [] if changes is None else partitions_of(changes.part)
        described = DescribedTable(
            handle=handle,
            name=handle.label,
            schema=schema_to_json(stream_schema(snapshot, changes=changes is not None)),
            partitions=[*snapshot.partition_columns, *more],
            bytes=total_bytes(files),
            options=self.options,
        )
        return as_stream(described.frame(self.session))


def _joined(parts: Sequence[VersionFiles]) -> pa.Table:
    return pa.concat_tables([FILES.empty_table(), *(part.files for part in parts)])
