"""Auto compaction: a write that leaves many small files behind is followed by an OPTIMIZE of them.

It runs in the thread that wrote, after its commit. The write stands whatever happens here: a
failure is a warning, unless the session wants it raised.
"""

import logging
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa

from puredelta._util.clock import now_ms
from puredelta.commands.optimize.layout import partition_keys_of
from puredelta.commands.optimize.optimize import OPERATION, chosen_layout
from puredelta.commands.optimize.rewrite import Rewrite, rewrite_target
from puredelta.commands.table_ref import TableRef
from puredelta.engine.scan.statement_scope import statement_scope
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaRuntimeError
from puredelta.log.actions import Action, AddFile, RemoveFile
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.compaction import CompactionLimits
from puredelta.maintenance.partition_counts import PartitionCounts
from puredelta.maintenance_settings import AutoCompactSettings
from puredelta.storage.uncommitted import take
from puredelta.table.partition_keys import with_keys

logger = logging.getLogger(__name__)

NAME = "Auto Compact"
_SWITCHES = ("delta.autoOptimize", "delta.autoOptimize.autoCompact")
# Large commits, such as RESTORE, are not followed by a rewrite of what they brought.
_REWRITES = ("OPTIMIZE", "REORG", "RESTORE")

_counts = PartitionCounts()


def compact_after_commit(
    context: Context, table: TableRef, after: Snapshot, operation: str, actions: Collection[Action]
) -> None:
    """Compact the partitions that a commit wrote to, if session or table ask for it.

    Args:
        context: the session.
        table: the table.
        after: the version that the commit made.
        operation: what history calls the commit.
        actions: what it did.

    Raises:
        DeltaRuntimeError: DELTA_POST_COMMIT_HOOK_FAILED, if the session wants to know.
    """
    chosen = context.settings.auto_compact
    if operation in _REWRITES or not is_asked_for(chosen, after):
        return
    written = [action for action in actions if isinstance(action, AddFile)]
    if not written or (chosen.not_after_appends and len(written) == len(actions)):
        return
    with _reported(after, may_fail=chosen.may_fail):
        _AfterCommit(context, table, after).run(written, actions)


def is_asked_for(chosen: AutoCompactSettings, snapshot: Snapshot) -> bool:
    """Say whether small files are put together after a write: the session, then the table."""
    if chosen.is_enabled is not None:
        return chosen.is_enabled
    properties = snapshot.configuration
    return any(properties.get(key, "").strip().lower() == "true" for key in _SWITCHES)


@contextmanager
def _reported(after: Snapshot, *, may_fail: bool) -> Iterator[None]:
    try:
        yield
    except Exception as reason:
        # The statement goes on and ends well, so its own tidying up would leave these files.
        for store, names in take():
            store.delete(names)
        if may_fail:
            raise DeltaRuntimeError(
                "DELTA_POST_COMMIT_HOOK_FAILED",
                version=after.version,
                name=NAME,
                message=str(reason),
            ) from reason
        logger.warning(
            "version %d of %s is made; putting its small files together failed: %s",
            after.version,
            after.store.url,
            reason,
            exc_info=True,
        )


@dataclass(frozen=True, slots=True)
class _AfterCommit:
    """The compaction that follows one commit."""

    context: Context
    table: TableRef
    after: Snapshot

    def run(self, written: Sequence[AddFile], actions: Collection[Action]) -> None:
        """Count what the commit wrote, and compact the partitions that are due."""
        chosen, known = self.context.settings.auto_compact, self.after.metadata.id
        keys = partition_keys_of(self.context, self.after)
        _counts.add(
            known,
            _changes(keys.of_values, actions, chosen.counts_up_to),
            most_tables=chosen.max_tables,
        )
        if chosen.modified_only:
            hit = sorted({keys.of_values(file.partition_values) for file in written})
        else:
            hit = sorted(set(keys.of_files(self.after.files).to_pylist()))
        due = _counts.due(known, hit, chosen.min_num_files)
        if len(due) > chosen.max_partitions:
            due = random.sample(due, chosen.max_partitions)  # no secret
        if not due:
            return
        if not chosen.reserves:
            self._compact(due)
            return
        with _counts.reserved(known, due) as free:
            if free:
                self._compact(free)

    @statement_scope()
    def _compact(self, partitions: Sequence[str]) -> None:
        started = now_ms()
        chosen = self.context.settings.auto_compact
        target = rewrite_target(self.context, self.table)
        limits = CompactionLimits(
            min_file_size=chosen.min_file_size,
            max_file_size=chosen.max_file_size,
            max_deleted_ratio=self.context.settings.optimize.max_deleted_ratio,
        )
        layout = chosen_layout(target, limits)
        considered = self._files_of(target.before, partitions)
        rewrite = Rewrite(
            target=target,
            layout=layout,
            operation=OPERATION,
            parameters=layout.parameters([], is_auto=True),
            started_ms=started,
        )
        rewrite.run(layout.plan(target, considered))
        _counts.start_again(self.after.metadata.id, partitions)

    def _files_of(self, snapshot: Snapshot, partitions: Sequence[str]) -> pa.Table:
        files = snapshot.files
        if not snapshot.partition_columns:
            return files
        keys = partition_keys_of(self.context, snapshot)
        return with_keys(files, keys.of_files(files), partitions)


def _changes(
    key_of: Callable[[Mapping[str, str | None]], str],
    actions: Collection[Action],
    at_most: int | None,
) -> Counter[str]:
    """Return how many more files, or fewer, each partition has that a commit touches."""
    changes: Counter[str] = Counter()
    for action in actions:
        if not isinstance(action, (AddFile, RemoveFile)):
            continue
        if at_most is not None and (action.size or 0) > at_most:
            continue
        changes[key_of(action.partition_values or {})] += 1 if isinstance(action, AddFile) else -1
    return changes
