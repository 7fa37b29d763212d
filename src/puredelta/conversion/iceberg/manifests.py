"""The data files of an Iceberg table, as the manifests of its current snapshot list them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyiceberg.manifest import FileFormat, ManifestContent

from puredelta.conversion.bad_files import Problems
from puredelta.conversion.iceberg.locations import StoreFiles
from puredelta.conversion.iceberg.partitioning import PartitionColumn, physical_values
from puredelta.conversion.source_file import SourceFile
from puredelta.errors import DeltaError, DeltaUnsupportedOperationError


@dataclass(frozen=True, slots=True)
class Manifests:
    """The manifests of a snapshot.

    Attributes:
        data: Those that list data files.
        deletes: Those that list what takes rows away from them.
    """

    data: tuple[Any, ...]
    deletes: tuple[Any, ...]


def read_manifests(metadata: Any, source: StoreFiles) -> Manifests:
    """Read which manifests the current snapshot has; none when nothing was ever written.

    Args:
        metadata: The `TableMetadata`.
        source: Reads files.
    """
    snapshot = metadata.current_snapshot()
    found = () if snapshot is None else tuple(snapshot.manifests(source))
    live = [
        manifest
        for manifest in found
        if manifest.has_added_files() or manifest.has_existing_files()
    ]
    return Manifests(
        tuple(manifest for manifest in live if manifest.content == ManifestContent.DATA),
        tuple(manifest for manifest in live if manifest.content == ManifestContent.DELETES),
    )


@dataclass(frozen=True, slots=True)
class DataFiles:
    """Reads the data files of a table from its manifests.

    Attributes:
        metadata: The `TableMetadata`.
        source: Reads manifests.
        columns: The partition columns.
        problems: Takes what is wrong with a file.
        samples: A file of each snapshot that added some, once all were gone through: what one
            writer left at a time is alike, and manifests may mix writers.
    """

    metadata: Any
    source: StoreFiles
    columns: Sequence[PartitionColumn]
    problems: Problems
    samples: dict[int | None, SourceFile] = field(default_factory=dict)

    def of(self, manifests: Manifests) -> Iterator[tuple[Any, SourceFile]]:
        """Yield each file as a manifest has it, a `ManifestEntry`, and as one to be converted."""
        times = {
            snapshot.snapshot_id: snapshot.timestamp_ms for snapshot in self.metadata.snapshots
        }
        usual = self.metadata.last_updated_ms
        for manifest in manifests.data:
            for entry in manifest.fetch_manifest_entry(self.source):
                file = entry.data_file
                name = self.source.locations.name(file.file_path)
                try:
                    found = self._file(file, name, times.get(entry.snapshot_id, usual))
                except DeltaError as error:
                    self.problems.bad_file(name, file.file_size_in_bytes, error)
                    continue
                self.samples.setdefault(entry.snapshot_id, found)
                yield entry, found

    def _file(self, file: Any, name: str, modified_ms: int) -> SourceFile:
        if file.file_format != FileFormat.PARQUET:
            raise DeltaUnsupportedOperationError(
                "DELTA_ICEBERG_FILE_FORMAT", path=file.file_path, format=file.file_format.value
            )
        values = physical_values(self.columns, file.spec_id, file.partition)
        empty = next((name for name, value in values.items() if value == ""), None)
        if empty is not None:
            raise DeltaUnsupportedOperationError(
                "DELTA_ICEBERG_EMPTY_PARTITION_VALUE", path=file.file_path, column=empty
            )
        return SourceFile(name, file.file_size_in_bytes, modified_ms, values)
