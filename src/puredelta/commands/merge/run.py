"""MERGE as a value: what it was asked for, and its run from the first look to the commit."""

from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame

from puredelta.commands.merge.clauses import Clauses
from puredelta.commands.table_ref import TableRef
from puredelta.engine.context import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What a MERGE did.

    Attributes:
        version: the version that was made; the one there was when nothing changed.
        changed: whether a version was made.
        metrics: what history shows of it.
    """

    version: int
    changed: bool
    metrics: dict[str, str] = field(default_factory=dict)

    @property
    def row(self) -> dict[str, int]:
        """The row that the statement answers with."""
        updated, deleted, inserted = (
            int(self.metrics.get(f"numTargetRows{kind}", 0))
            for kind in ("Updated", "Deleted", "Inserted")
        )
        return {
            "num_affected_rows": updated + deleted + inserted,
            "num_updated_rows": updated,
            "num_deleted_rows": deleted,
            "num_inserted_rows": inserted,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """MERGE INTO, and `DeltaTable.merge`.

    Attributes:
        table: the target.
        source: rows to merge, with the alias by which clauses call them on the frame itself.
        condition: ON, over both sides, unresolved.
        clauses: what is done to which rows.
        evolves: let the table grow by the columns of the source that it lacks.
        alias: what clauses call the target, its parts in order (`spark_catalog`, `default`, `t`);
            empty for nothing.
    """

    table: TableRef
    source: DataFrame
    condition: Column
    clauses: Clauses
    evolves: bool = False
    alias: tuple[str, ...] = ()

    def run(self, context: Context) -> Merged:
        """Merge and commit.

        Raises:
            DeltaAnalysisError: clauses, columns or types that don't fit.
            DeltaUnsupportedOperationError: several rows of the source match one of the target.
            DeltaInvariantViolationError: a row that a rule of the table refuses.
            DeltaConcurrentModificationError: another writer's commit that this one cannot follow.
        """
        raise NotImplementedError
