"""What a MERGE was asked for."""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame

from puredelta.commands.merge.clauses import MergeClauses
from puredelta.commands.table_ref import TableRef
from puredelta.log.snapshot import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRequest:
    """What a MERGE was asked for.

    Attributes:
        table: the target.
        source: rows to merge, with the alias by which clauses call them on the frame itself.
        condition: ON, over both sides, unresolved.
        clauses: what is done to which rows.
        evolves: let the table grow by the columns of the source that it lacks.
        alias: what clauses call the target, its parts in order (`spark_catalog`, `default`, `t`);
            empty for nothing.
        rows: the target as the statement names it, where that is more than an alias: a view of it.
        frame: the target as `DeltaTable.toDF()` gave it, whose columns expressions may name.
        reads_target: the source is made of rows of the target, though its plan does not name any
            more.
        base: the version that the source was made from, so that nothing that came later is
            overlooked; the newest by default.
    """

    table: TableRef
    source: DataFrame
    condition: Column
    clauses: MergeClauses
    evolves: bool = False
    alias: tuple[str, ...] = ()
    rows: DataFrame | None = None
    frame: DataFrame | None = None
    reads_target: bool = False
    base: Snapshot | None = None
