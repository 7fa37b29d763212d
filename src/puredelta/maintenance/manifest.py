"""Manifests: lists of the live data files, for engines that know Parquet and not the log.

There is one file for each partition, below `_symlink_format_manifest` in a folder named as Hive
names it. Such engines see neither deleted rows nor mapped columns, so both are refused.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from puredelta._util.parallel import run_in_parallel
from puredelta.errors import DeltaIllegalArgumentError, DeltaUnsupportedOperationError
from puredelta.log.inspection.partition_values import partition_texts
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.vacuum.candidates import deepest_first
from puredelta.maintenance.vacuum.deletion import delete_folders
from puredelta.maintenance.vacuum.kept_files import folders_above
from puredelta.schema.datatypes import TIMESTAMP
from puredelta.storage.location import absolute
from puredelta.storage.unfinished import is_unfinished
from puredelta.table.columns.column_mapping import MappingMode, mapping_mode
from puredelta.table.partition_values import partition_folder, plain_from_text
from puredelta.table.statistics.datetime_text import timestamp_text, utc_shift

MODE = "symlink_format_manifest"
FOLDER = f"_{MODE}"
_FILE = "manifest"
_THREADS = 16
_MICROS_PER_SECOND = 1_000_000
_LOCAL = "file:///"
_MS_PER_SECOND = 1000

# A manifest is written in moments under a hidden name; one that is so old is of a killed process.
_ABANDONED_MS = 3_600_000

Partition = tuple["str | None", ...]
"""The values of the partition columns as the log has them, in the order of the columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestNames:
    """How manifests name folders and files.

    Attributes:
        root: The table's folder as an engine is to see it, `file:/tmp/t`; None for the name that
            the store has for it.
        zone: The zone in which the names of folders show points in time.
        shown: Texts of partition values that are known already, by the text in the log.
    """

    root: str | None = None
    zone: str = "UTC"
    shown: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    def name_of(self, snapshot: Snapshot, partition: Partition) -> str:
        """Return the name of a partition's manifest below the table's folder."""
        columns = snapshot.partition_columns
        values = {
            column: self._value(snapshot, column, text)
            for column, text in zip(columns, partition, strict=True)
        }
        folder = partition_folder(values, columns)
        return "/".join(part for part in (FOLDER, folder, _FILE) if part)

    def uri_of(self, snapshot: Snapshot, path: str) -> str:
        """Return a data file as a manifest names it: as Hadoop shows paths, without escapes."""
        url = absolute(snapshot.store.url, path)
        inside = snapshot.store.url + "/"
        if self.root is not None and url.startswith(inside):
            return f"{self.root.rstrip('/')}/{url[len(inside) :]}"
        return f"file:/{url.removeprefix(_LOCAL)}" if url.startswith(_LOCAL) else url

    def _value(self, snapshot: Snapshot, column: str, text: str | None) -> str | None:
        """Return a partition value as Hive reads it; it knows no times with a zone."""
        found = snapshot.schema.field(column)
        if not text or found is None or found.data_type != TIMESTAMP:
            return text
        if text not in self.shown:
            micros = plain_from_text(text, TIMESTAMP, self.zone)
            shown = timestamp_text(micros + utc_shift(self.zone, micros) * _MICROS_PER_SECOND)
            self.shown[text] = shown.rstrip("0") if "." in shown else shown
        return self.shown[text]


def check_mode(mode: str) -> None:
    """Refuse what GENERATE cannot generate.

    Raises:
        DeltaIllegalArgumentError: DELTA_MODE_NOT_SUPPORTED.
    """
    if mode.lower() != MODE:
        raise DeltaIllegalArgumentError("DELTA_MODE_NOT_SUPPORTED", mode=mode, supportedModes=MODE)


def write_manifests(snapshot: Snapshot, names: ManifestNames) -> int:
    """Write the manifests of all partitions, and delete those of partitions that are gone.

    Args:
        snapshot: The version whose files are listed.
        names: How folders and files are named.

    Returns:
        How many manifests there are.

    Raises:
        DeltaUnsupportedOperationError: DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS,
            DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING.
        DeltaError: The store failed.
    """
    _check_readable_by_others(snapshot)
    lists = _lists(snapshot, snapshot.files, names)
    if not snapshot.partition_columns:
        # A reader of a table without files finds an empty list, not a missing one.
        lists.setdefault(names.name_of(snapshot, ()), [])
    _put(snapshot, lists)
    # Deleted last: a failure leaves lists of files that are gone, and never too few of them.
    _delete(snapshot, (existing_manifests(snapshot) - lists.keys()) | _abandoned(snapshot))
    return len(lists)


def update_manifests(
    snapshot: Snapshot, names: ManifestNames, partitions: Collection[Partition]
) -> None:
    """Write the manifests of some partitions; those of empty partitions are deleted.

    Args:
        snapshot: The version whose files are listed.
        names: How folders and files are named.
        partitions: Those whose files have changed.

    Raises:
        DeltaError: See `write_manifests`.
    """
    _check_readable_by_others(snapshot)
    touched = {names.name_of(snapshot, partition) for partition in partitions}
    lists = _lists(snapshot, _of_partitions(snapshot, partitions), names)
    if not snapshot.partition_columns:
        lists.setdefault(names.name_of(snapshot, ()), [])
    _put(snapshot, lists)
    _delete(snapshot, touched - lists.keys())


def existing_manifests(snapshot: Snapshot) -> set[str]:
    """Return the names of the manifests that exist, below the table's folder."""
    found = snapshot.store.walk(FOLDER, lambda _folder: True)
    return {info.name for info in found if info.name.rpartition("/")[2] == _FILE}


def _abandoned(snapshot: Snapshot) -> set[str]:
    """Return the names of files that a process was writing when it was killed."""
    since_ms = time.time() * _MS_PER_SECOND - _ABANDONED_MS
    found = snapshot.store.walk(FOLDER, lambda _folder: True)
    return {
        info.name
        for info in found
        if is_unfinished(info.name.rpartition("/")[2], _FILE) and info.modified_ms < since_ms
    }


def has_manifests(snapshot: Snapshot) -> bool:
    """Say whether any manifest exists; the first one that is listed is enough."""
    return next(snapshot.store.walk(FOLDER, lambda _folder: True), None) is not None


def _check_readable_by_others(snapshot: Snapshot) -> None:
    if mapping_mode(snapshot.configuration) is not MappingMode.NONE:
        raise DeltaUnsupportedOperationError(
            "DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING"
        )
    vectors = snapshot.files["deletion_vector"]
    if vectors.null_count < len(vectors):
        raise DeltaUnsupportedOperationError("DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS")


def _of_partitions(snapshot: Snapshot, partitions: Collection[Partition]) -> pa.Table:
    """Return the live files of some partitions."""
    files = snapshot.files
    if not snapshot.partition_columns:
        return files
    # A file of another partition may pass a column alone, and is left out by the last filter.
    columns = partition_texts(snapshot, files)
    wanted = zip(*partitions, strict=True)
    masks = [
        pc.is_in(column, value_set=pa.array(set(texts), pa.string()))
        for column, texts in zip(columns, wanted, strict=True)
    ]
    suspects = masks[0]
    for mask in masks[1:]:
        suspects = pc.and_(suspects, mask)
    found = files.filter(suspects)
    keys = zip(*(texts.to_pylist() for texts in partition_texts(snapshot, found)), strict=True)
    known = set(partitions)
    return found.filter(pa.array([key in known for key in keys], pa.bool_()))


def _lists(snapshot: Snapshot, files: pa.Table, names: ManifestNames) -> dict[str, list[str]]:
    """Return the files that each manifest lists, by the name of the manifest."""
    paths = files["path"].to_pylist()
    if not paths:
        return {}
    columns = [texts.to_pylist() for texts in partition_texts(snapshot, files)]
    partitions = zip(*columns, strict=True) if columns else (() for _ in paths)
    grouped: dict[Partition, list[str]] = defaultdict(list)
    for partition, path in zip(partitions, paths, strict=True):
        grouped[partition].append(names.uri_of(snapshot, path))
    lists: dict[str, list[str]] = defaultdict(list)
    # Two texts can mean one value, and so one folder.
    for partition, uris in grouped.items():
        lists[names.name_of(snapshot, partition)].extend(uris)
    return dict(lists)


def _put(snapshot: Snapshot, lists: Mapping[str, list[str]]) -> None:
    def put(name: str) -> None:
        snapshot.store.put(name, "".join(f"{uri}\n" for uri in lists[name]).encode())

    for _ in run_in_parallel(put, lists, threads=_THREADS):
        pass


def _delete(snapshot: Snapshot, names: Collection[str]) -> None:
    """Delete manifests, and the folders of their partitions if nothing else is there."""
    if names:
        snapshot.store.delete(sorted(names))
        inside = [folder for folder in folders_above(names) if folder != FOLDER]
        delete_folders(snapshot.store, deepest_first(inside))
