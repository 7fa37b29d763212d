"""Dynamic overwriting: the partitions that get rows lose those they had."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from puredelta.commands.rows.removed_files import shown
from puredelta.commands.rows.target import RemovedFiles, WriteTarget
from puredelta.engine.session.sessions import time_zone
from puredelta.engine.write.footers import WrittenFiles
from puredelta.log.files import add_files
from puredelta.table.partition_keys import PartitionKeys, keys_of, with_keys
from puredelta.txn.transaction import Transaction


@dataclass(frozen=True, slots=True)
class PartitionsHit:
    """An overwrite of the partitions that get rows.

    Attributes:
        target: the table.
        null_intolerant: leave partitions alone that have no value in some column.
    """

    target: WriteTarget
    null_intolerant: bool = False
    _keys: PartitionKeys = field(init=False)

    def __post_init__(self) -> None:
        zone = time_zone(self.target.context.session)
        object.__setattr__(self, "_keys", keys_of(self.target.before, zone))

    @property
    def must_hold(self) -> str | None:
        """No condition."""
        return None

    def replaced(self, written: WrittenFiles) -> RemovedFiles:
        """Take away the files of the partitions of the new ones."""
        files = self.target.before.files
        gone = with_keys(files, self._keys.of_files(files), sorted(self._hit(written)))
        return RemovedFiles(removed=add_files(gone))

    def track(
        self, transaction: Transaction, written: WrittenFiles, replaced: RemovedFiles
    ) -> None:
        """Depend on the partitions that get rows, and on what they had."""
        transaction.read_files(shown(replaced.removed))
        hit = self._hit(written)

        def concerns(values: Mapping[str, str | None]) -> bool:
            return self._keys.of_values(values) in hit

        transaction.read_partitions(concerns, "the partitions written")

    def _hit(self, written: WrittenFiles) -> set[str]:
        return {
            self._keys.of_values(file.partition_values)
            for file in written.files
            if not (self.null_intolerant and self._keys.has_null(file.partition_values))
        }
