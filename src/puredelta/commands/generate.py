"""GENERATE as a value: which manifests are written for which table."""

from __future__ import annotations

from dataclasses import dataclass

from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context
from puredelta.engine.session.sessions import time_zone
from puredelta.maintenance.manifest import ManifestNames, check_mode, write_manifests


@dataclass(frozen=True, slots=True, kw_only=True)
class Generate:
    """GENERATE symlink_format_manifest: lists of files for engines that do not know the log.

    Attributes:
        table: the table.
        mode: what is generated, in any case of letters.
    """

    table: TableRef
    mode: str

    def run(self, context: Context) -> int:
        """Write the manifests of the newest version; return how many there are.

        Raises:
            DeltaIllegalArgumentError: DELTA_MODE_NOT_SUPPORTED.
            DeltaUnsupportedOperationError: DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS,
                DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING.
        """
        check_mode(self.mode)
        names = ManifestNames(root=self.table.root, zone=time_zone(context.session))
        return write_manifests(self.table.log().latest(), names)
