"""A MERGE as it is requested: its two sides, its condition and its clauses, as values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pyspark.sql import Column, DataFrame

from puredelta.commands.table_ref import TableRef
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class ClauseAssignment:
    """A new value for a column.

    Attributes:
        path: the column of the target, or a field in its structs, as the user spells it.
        value: over the columns that the clause sees, unresolved.
    """

    path: tuple[str, ...]
    value: Column


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateClause:
    """WHEN MATCHED or WHEN NOT MATCHED BY SOURCE ... THEN UPDATE.

    Attributes:
        assignments: None for `SET *`: each column of the source to the one of its name.
        condition: for which rows; None for all.
    """

    assignments: tuple[ClauseAssignment, ...] | None = None
    condition: Column | None = None
    action: ClassVar[str] = "update"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteClause:
    """WHEN MATCHED or WHEN NOT MATCHED BY SOURCE ... THEN DELETE.

    Attributes:
        condition: for which rows; None for all.
    """

    condition: Column | None = None
    action: ClassVar[str] = "delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertClause:
    """WHEN NOT MATCHED ... THEN INSERT.

    Attributes:
        assignments: None for `*`: each column of the source into the one of its name. Columns that
            are not named get their default, else null.
        condition: for which rows of the source; None for all.
    """

    assignments: tuple[ClauseAssignment, ...] | None = None
    condition: Column | None = None
    action: ClassVar[str] = "insert"


Change = UpdateClause | DeleteClause
"""What can happen to a row that the target has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeClauses:
    """All clauses of a statement; of each kind the first whose condition is true acts.

    Attributes:
        matched: for rows of the target with a match; they see both sides.
        not_matched: for rows of the source without one; they see the source.
        by_source: for rows of the target without one; they see the target.
    """

    matched: tuple[Change, ...] = ()
    not_matched: tuple[InsertClause, ...] = ()
    by_source: tuple[Change, ...] = ()

    def __iter__(self) -> Iterator[UpdateClause | DeleteClause | InsertClause]:
        yield from (*self.matched, *self.not_matched, *self.by_source)

    @property
    def inserts_only(self) -> bool:
        """Whether no row of the target can change."""
        return not self.matched and not self.by_source

    @property
    def takes_many(self) -> bool:
        """Whether several matches of one row are no contradiction: it goes, whichever counts."""
        match self.matched:
            case ():
                return True
            case (DeleteClause(condition=None),):
                return True
        return False


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
        app: id and version of the writing application; None: as the session says.
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
    app: tuple[str, int] | None = None


def check_clauses(clauses: MergeClauses) -> None:
    """Refuse clauses that cannot be.

    Raises:
        DeltaAnalysisError: DELTA_MERGE_MISSING_WHEN, DELTA_NON_LAST_..._CLAUSE_OMIT_CONDITION.
    """
    if not list(clauses):
        raise DeltaAnalysisError("DELTA_MERGE_MISSING_WHEN")
    for condition, found in (
        ("DELTA_NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION", clauses.matched),
        ("DELTA_NON_LAST_NOT_MATCHED_CLAUSE_OMIT_CONDITION", clauses.not_matched),
        ("DELTA_NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION", clauses.by_source),
    ):
        if without_condition(found):
            raise DeltaAnalysisError(condition)


def without_condition(clauses: Sequence[UpdateClause | DeleteClause | InsertClause]) -> bool:
    """Say whether a clause before the last one has no condition, so that those behind never act."""
    return any(clause.condition is None for clause in clauses[:-1])
