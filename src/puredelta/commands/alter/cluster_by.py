"""ALTER TABLE ... CLUSTER BY: other clustering columns, or none; files stay as they are."""

from collections.abc import Sequence
from dataclasses import dataclass

from puredelta.commands.alter.commit import Change, run_planned
from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.snapshot import Snapshot
from puredelta.schema.column_path import quote_path
from puredelta.table.clustering import (
    DOMAIN,
    FEATURE,
    check_statistics,
    chosen_columns,
    clustering_domain,
    logical_columns,
)
from puredelta.table.protocol.protocol import features_of, normal_form
from puredelta.table.statistics.indexed_columns import Path, indexing_of
from puredelta.txn.commit_info import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterBy:
    """ALTER TABLE ... CLUSTER BY (columns), or NONE.

    Attributes:
        table: the table.
        columns: paths of the columns, in any case; none for NONE.
    """

    table: TableRef
    columns: Sequence[Path]

    def plan(self, context: Context, before: Snapshot) -> Change | None:
        """Return the commit; None for NONE on a table that never had any. Nothing is written.

        Raises:
            DeltaAnalysisError: a partitioned table, or columns that a table cannot be clustered by.
        """
        del context
        if before.partition_columns:
            raise DeltaAnalysisError(
                "DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED"
            )
        if not self.columns and DOMAIN not in before.domains:
            return None
        chosen = chosen_columns(self.columns, before.schema)
        indexing = indexing_of(before.configuration)
        check_statistics([column.physical for column in chosen], before.schema, indexing)
        there = features_of(before.protocol)
        is_new = FEATURE not in there
        return Change(
            operation=Operation(
                "CLUSTER BY", _columns(before, [column.logical for column in chosen])
            ),
            # Metadata is repeated with a new protocol, as other writers do.
            metadata=before.metadata if is_new else None,
            protocol=normal_form(there | {FEATURE}) if is_new else before.protocol,
            actions=[clustering_domain(chosen)],
        )

    def run(self, context: Context) -> Snapshot:
        """Name the columns in one commit; raises what `plan` raises."""
        return run_planned(context, self)


def _columns(before: Snapshot, chosen: Sequence[Path]) -> dict[str, object]:
    there = logical_columns(before.domains.values(), before.schema)
    return {
        "oldClusteringColumns": ",".join(map(quote_path, there)),
        "newClusteringColumns": ",".join(map(quote_path, chosen)),
    }
