"""REORG: files are written anew, so that what was deleted, or an older type, is in none of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from puredelta._util.clock import now_ms
from puredelta.commands.optimize.bin_writing import write_bins
from puredelta.commands.optimize.clustered_purge import ClusteredPurging
from puredelta.commands.optimize.clustering import ClusteringLayout, clustering_names
from puredelta.commands.optimize.file_schemas import files_whose_schema
from puredelta.commands.optimize.layout import (
    Choice,
    RewriteLayout,
    partitions_of,
    reorg_parameters,
)
from puredelta.commands.optimize.metrics import OptimizeMetrics
from puredelta.commands.optimize.partition_condition import partition_condition
from puredelta.commands.optimize.rewrite import Rewrite, rewrite_target
from puredelta.commands.rows.target import WriteTarget
from puredelta.commands.table_ref import TableRef
from puredelta.engine.scan.statement_scope import statement_scope
from puredelta.engine.session.context import Context
from puredelta.engine.write.footers import WrittenFiles
from puredelta.errors.classes import DeltaUnsupportedOperationError
from puredelta.log.files import FILES
from puredelta.maintenance.bins import Bin, bins_of
from puredelta.maintenance.rewrite_plan import RewritePlan
from puredelta.schema.datatypes import StructType
from puredelta.table.change_columns import CHANGE_TYPE
from puredelta.table.clustering import clustering_columns
from puredelta.table.columns.column_mapping import mapping_mode, physical_schema
from puredelta.table.columns.dropped_columns import has_other_columns, may_have_dropped
from puredelta.table.protocol.row_tracking import COLUMN_NAMES

OPERATION = "REORG"


# -------------------------------------------------------------------- files with something to purge


def _purgeable(target: WriteTarget, files: pa.Table) -> pa.Table:
    """Return the files from which something is to be purged.

    Reads footers, but for tables that are known to have lost no column.

    Args:
        target: the table.
        files: rows of `target.before.files`.

    Raises:
        DeltaError: a file cannot be read.
    """
    has_vector = pc.is_valid(files["deletion_vector"])
    marked, others = files.filter(has_vector), files.filter(pc.invert(has_vector))
    before = target.before
    if not may_have_dropped(before.schema, before.configuration):
        return marked
    known, hidden = _columns(target), _hidden(target)

    def has_dropped(found: pa.Schema) -> bool:
        return has_other_columns(found, known, hidden)

    options = target.table.options
    dropped = files_whose_schema(others, before.store, has_dropped, options)
    return pa.concat_tables([marked.cast(FILES), dropped.cast(FILES)])


def _columns(target: WriteTarget) -> StructType:
    before = target.before
    return physical_schema(before.schema, before.schema, mapping_mode(before.configuration))


def _hidden(target: WriteTarget) -> frozenset[str]:
    """Return the columns of files that say no values: ids of rows, and what a change was.

    Files that were written together with change files have that one, without values.
    """
    properties = target.before.configuration
    return frozenset([CHANGE_TYPE, *(properties[key] for key in COLUMN_NAMES if key in properties)])


# -------------------------------------------------------------------- REORG TABLE ... APPLY (PURGE)


@dataclass(frozen=True, slots=True)
class Purging:
    """The layout of REORG: files with something to purge, one new file for each bin.

    Attributes:
        choose: which files are written anew.
    """

    choose: Choice

    def plan(self, target: WriteTarget, considered: pa.Table) -> RewritePlan:
        """Put the files into bins; one that is alone is written anew as well."""
        files = self.choose(target, considered)
        most = target.context.settings.optimize.max_file_size
        bins = bins_of(partitions_of(target, files), files["size"].to_pylist(), most)
        return RewritePlan(considered=considered, files=files, bins=bins)

    def write(self, target: WriteTarget, files: pa.Table, bins: Sequence[Bin]) -> WrittenFiles:
        """Write one file for each bin."""
        return write_bins(target, files, bins)

    def parameters(self, predicate: Sequence[str], *, is_auto: bool) -> dict[str, object]:  # noqa: ARG002  # Protocol
        """Return the parameters of REORG."""
        return reorg_parameters(predicate)

    def stats(self, plan: RewritePlan) -> Mapping[str, Any]:  # noqa: ARG002  # Protocol
        """Return nothing: what a purge does is in the counts of files."""
        return MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Purge:
    """REORG TABLE ... APPLY (PURGE): files with deleted rows or dropped columns are written anew.

    Older versions keep their files, until these are removed from storage.

    Attributes:
        table: the table.
        condition: on partition columns, in SQL: which partitions; None for all.
        choose: which files are written anew, where it is for another reason than to purge them.
    """

    table: TableRef
    condition: str | None = None
    choose: Choice = _purgeable

    @statement_scope()
    def run(self, context: Context) -> OptimizeMetrics:
        """Write the files anew, in one commit; none is made where there is nothing to purge.

        Raises:
            DeltaAnalysisError: what `partition_condition` raises.
            DeltaUnsupportedOperationError: DELTA_CLUSTERING_WITH_PARTITION_PREDICATE.
            DeltaIllegalStateError: DELTA_NUM_RECORDS_MISMATCH.
            DeltaConcurrentModificationError: another writer took one of the files away.
        """
        started = now_ms()
        target = rewrite_target(context, self.table)
        texts = () if self.condition is None else (self.condition,)
        if texts and clustering_columns(target.before.domains.values()):
            raise DeltaUnsupportedOperationError(
                "DELTA_CLUSTERING_WITH_PARTITION_PREDICATE", predicates=self.condition
            )
        condition = partition_condition(target, texts, OPERATION)
        layout = self._layout(target)
        rewrite = Rewrite(
            target=target,
            layout=layout,
            operation=OPERATION,
            parameters=layout.parameters(condition.shown, is_auto=False),
            started_ms=started,
        )
        return rewrite.run(layout.plan(target, condition.files(target)))

    def _layout(self, target: WriteTarget) -> RewriteLayout:
        columns = clustering_names(target.before)
        if not columns:
            return Purging(self.choose)
        most = target.context.settings.optimize.max_file_size
        clustering = ClusteringLayout(columns, is_full=False, max_file_size=most)
        return ClusteredPurging(self.choose, clustering)
