"""How a rewrite chooses files and lays out rows: where OPTIMIZE, ZORDER BY and REORG differ."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa

from puredelta.commands.rows.target import WriteTarget
from puredelta.engine.session.context import Context
from puredelta.engine.session.sessions import time_zone
from puredelta.engine.write.footers import WrittenFiles
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.bins import Bin
from puredelta.maintenance.partitions_asked_for import partition_texts
from puredelta.maintenance.rewrite_plan import RewritePlan
from puredelta.table.partition_keys import PartitionKeys, keys_of

Choice = Callable[[WriteTarget, pa.Table], pa.Table]
"""Which of some files of a table are written anew: given and returned are rows of `FILES`."""


class RewriteLayout(Protocol):
    """How a rewrite chooses files and lays out their rows.

    A rewrite asks in the order of the methods: it plans, writes the bins of one commit after the
    other, and shows what it did.
    """

    def plan(self, target: WriteTarget, considered: pa.Table) -> RewritePlan:
        """Choose files and put them into bins.

        Args:
            target: the table.
            considered: the files of the partitions that were asked for, rows of
                `target.before.files`.
        """

    def write(self, target: WriteTarget, files: pa.Table, bins: Sequence[Bin]) -> WrittenFiles:
        """Write the rows of some bins as new files, with their tags and clustering provider.

        Args:
            target: the table.
            files: the `files` of the plan.
            bins: which of them go together.
        """

    def parameters(self, predicate: Sequence[str], *, is_auto: bool) -> dict[str, object]:
        """Return the parameters of the operation, in the order in which history shows them.

        Args:
            predicate: the conditions on partitions, as history shows them.
            is_auto: a write started it, not a user.
        """

    def stats(self, plan: RewritePlan) -> Mapping[str, Any]:
        """Return what the result row says of this layout alone: `zOrderStats`, for example.

        Args:
            plan: what was done.
        """


def reorg_parameters(predicate: Sequence[str]) -> dict[str, object]:
    """Return the parameters of REORG, whatever it rewrites files for, as history shows them.

    Args:
        predicate: the conditions on partitions.
    """
    return {"predicate": list(predicate), "applyPurge": True}


def partition_keys_of(context: Context, snapshot: Snapshot) -> PartitionKeys:
    """Return how the partitions of a version are distinguished, by the values of their types."""
    return keys_of(snapshot, time_zone(context.session))


def partitions_of(target: WriteTarget, files: pa.Table) -> list[str]:
    """Return for each file a text that is the same for all files of its partition."""
    before = target.before
    # The zone costs a round trip to the JVM, which tables without partitions save.
    zone = time_zone(target.context.session) if before.partition_columns else "UTC"
    return partition_texts(before, files, zone)
