"""What a MERGE would do: its search runs, which finds the rows, and nothing is written."""

from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.dml.dry_run import ChangePlan
from puredelta.commands.merge.join import ACTION, ActionCounts, first_of
from puredelta.commands.merge.prepare import prepare
from puredelta.commands.merge.request import MergeRequest, check_clauses
from puredelta.commands.merge.resolved_clauses import ResolvedMerge
from puredelta.commands.merge.search import MatchResult, search
from puredelta.commands.merge.source import Source, cached_source
from puredelta.engine.scan.statement_scope import statement_scope
from puredelta.engine.session.context import Context
from puredelta.engine.session.snapshot_pinning import snapshot_per_table


@statement_scope()
@snapshot_per_table()
def merge_plan(request: MergeRequest, context: Context) -> ChangePlan:
    """Find out what a MERGE would do.

    Raises:
        DeltaAnalysisError: clauses, columns or types that don't fit.
        DeltaUnsupportedOperationError: several rows of the source match one of the target.
    """
    check_clauses(request.clauses)
    before = request.base or request.table.log().latest()
    prepared = prepare(request, context, before)
    merge = prepared.merge
    with (
        cached_source(request.source) as source,
        search(prepared, source, takes_many=request.clauses.takes_many) as found,
    ):
        counts = {**found.affected.counts(merge), **_count_inserts(merge, source, found)}
    files, marks = found.affected.files, found.strategy.change.marks
    return ChangePlan(
        operation="MERGE",
        before=before,
        candidates=found.candidates.files,
        touched=files,
        # Deletion vectors leave the files where they are.
        rewritten=files.slice(0, 0) if marks else files,
        rows=ActionCounts(source=source.count, by_action=counts).rows(merge),
        uses_vectors=marks,
        choice=found.candidates.choice,
        strategy=str(found.strategy),
    )


def _count_inserts(merge: ResolvedMerge, source: Source, found: MatchResult) -> dict[int, int]:
    """Count the rows that each clause would insert, by its number."""
    new = found.source_rows_to_insert(source)
    # No row is inserted, so no job counts any.
    if new is None:
        return {}
    counted = new.select(first_of(merge.not_matched).alias(ACTION)).where(F.col(ACTION) > 0)
    return {row[0]: row[1] for row in counted.groupBy(ACTION).count().collect()}
