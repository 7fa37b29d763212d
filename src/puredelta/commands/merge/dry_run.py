"""What a MERGE would do: its first job is run, which finds the rows, and nothing is written."""

from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.dml.dry_run import ChangePlan
from puredelta.commands.merge.join import ACTION, first_of
from puredelta.commands.merge.metrics import Counted
from puredelta.commands.merge.prepare import prepare
from puredelta.commands.merge.request import Request
from puredelta.commands.merge.resolved_clauses import check_clauses
from puredelta.commands.merge.rewrite import MatchResult, MergeExecutor
from puredelta.commands.merge.source import cached_source
from puredelta.engine.scan.statement_scope import statement_scope
from puredelta.engine.session.context import Context
from puredelta.engine.session.snapshot_pinning import snapshot_per_table


@statement_scope()
@snapshot_per_table()
def merge_plan(request: Request, context: Context) -> ChangePlan:
    """Find out what a MERGE would do.

    Raises:
        DeltaAnalysisError: clauses, columns or types that don't fit.
        DeltaUnsupportedOperationError: several rows of the source match one of the target.
    """
    check_clauses(request.clauses)
    before = request.base or request.table.log().latest()
    prepared = prepare(request, context, before)
    with cached_source(request.source) as source:
        work = MergeExecutor(prepared=prepared, source=source)
        with work.found(takes_many=request.clauses.takes_many) as found:
            counts = {**found.touched.counts(prepared.merge), **_inserts(work, found)}
    touched = found.touched.files
    rows = Counted(source=source.count, by_action=counts).rows(prepared.merge)
    return ChangePlan(
        operation="MERGE",
        before=before,
        candidates=found.looked.files,
        touched=touched,
        rewritten=touched.slice(0, 0) if work.uses_vectors else touched,
        rows=rows,
        uses_vectors=work.uses_vectors,
        choice=found.looked.choice,
    )


def _inserts(work: MergeExecutor, found: MatchResult) -> dict[int, int]:
    """Count the rows that each clause would insert, by its number."""
    clauses = work.prepared.merge.not_matched
    if not clauses or not work.source.count:
        return {}
    new = found.without_match(work.source)
    counted = new.select(first_of(clauses).alias(ACTION)).where(F.col(ACTION) > 0)
    return {row[0]: row[1] for row in counted.groupBy(ACTION).count().collect()}
