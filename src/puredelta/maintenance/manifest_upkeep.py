"""The manifests of a table that asks for them, brought up to date after each commit."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from puredelta.errors import DeltaError, DeltaRuntimeError
from puredelta.log.actions import Action, AddFile, RemoveFile
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.manifest import (
    ManifestNames,
    Partition,
    has_manifests,
    update_manifests,
    write_manifests,
)
from puredelta.table.protocol.properties import SYMLINK_MANIFEST

_NAME = "Generate Symlink Format Manifest"


@dataclass(frozen=True, slots=True)
class ManifestUpkeep:
    """What follows a commit to a table with `delta.compatibility.symlinkFormatManifest.enabled`.

    Attributes:
        names: How folders and files are named.
    """

    names: ManifestNames

    def __call__(
        self, before: Snapshot | None, after: Snapshot, actions: Collection[Action]
    ) -> None:
        """Bring the manifests up to date.

        Args:
            before: The version that the commit read; None for a new table.
            after: The version that it made.
            actions: What it wrote.

        Raises:
            DeltaRuntimeError: DELTA_POST_COMMIT_HOOK_FAILED; the version stands.
        """
        if not SYMLINK_MANIFEST.of(after.configuration):
            return
        try:
            self._update(before, after, actions)
        except (DeltaError, OSError) as reason:
            said = reason.message if isinstance(reason, DeltaError) else str(reason)
            message = said.rstrip(".")
            raise DeltaRuntimeError(
                "DELTA_POST_COMMIT_HOOK_FAILED", version=after.version, name=_NAME, message=message
            ) from reason

    def _update(
        self, before: Snapshot | None, after: Snapshot, actions: Collection[Action]
    ) -> None:
        # Another writer may have enabled the property without writing a manifest: then nothing
        # lists the partitions that this commit leaves alone.
        if _is_out_of_date(before, after) or not has_manifests(after):
            write_manifests(after, self.names)
        elif partitions := set(_partitions(after, actions)):
            update_manifests(after, self.names, partitions)


def _is_out_of_date(before: Snapshot | None, after: Snapshot) -> bool:
    """Say whether manifests of older versions are of no use."""
    if before is None or not SYMLINK_MANIFEST.of(before.configuration):
        return True
    return before.partition_columns != after.partition_columns


def _partitions(after: Snapshot, actions: Collection[Action]) -> Iterator[Partition]:
    """Yield the partitions whose files a commit changes."""
    columns = after.partition_columns
    for action in actions:
        if isinstance(action, (AddFile, RemoveFile)):
            values = action.partition_values or {}
            # The empty text means null, too.
            yield tuple(values.get(column) or None for column in columns)
