"""The clauses of MERGE as values: when each one acts, and what it does."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pyspark.sql import Column


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


def without_condition(clauses: Sequence[UpdateClause | DeleteClause | InsertClause]) -> bool:
    """Say whether a clause before the last one has no condition, so that those behind never act."""
    return any(clause.condition is None for clause in clauses[:-1])
