"""A MERGE whose names are resolved: what each clause asks of rows, and what it makes of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column
from pyspark.sql.types import StructType

from puredelta.commands.dml.column_values import (
    AssignableColumns,
    Assigned,
    Path,
    is_default,
    new_path,
    overlapping,
    target_path,
)
from puredelta.commands.dml.scopes import Expression, Scope, unresolved
from puredelta.commands.merge.request import (
    ClauseAssignment,
    DeleteClause,
    InsertClause,
    MergeClauses,
    UpdateClause,
)
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.column_path import quote_name
from puredelta.table.protocol.feature_activation import GENERATION_KEY, IDENTITY_PREFIX

Clause = UpdateClause | DeleteClause | InsertClause


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A resolved clause.

    Attributes:
        number: identifies it among the others; 0 is no action.
        kind: `update`, `delete` or `insert`.
        by_source: it is of WHEN NOT MATCHED BY SOURCE.
        condition: for which rows; None for all.
        values: what it gives to columns; the others keep what they have.
        given: the columns that it assigns to by name.
    """

    number: int
    kind: str
    by_source: bool
    condition: Expression | None
    values: dict[str, Column]
    given: frozenset[str]

    @property
    def in_history(self) -> dict[str, str]:
        """The clause as history shows it."""
        asked = {} if self.condition is None else {"predicate": str(self.condition)}
        return {**asked, "actionType": self.kind}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedMerge:
    """A resolved MERGE.

    Attributes:
        on: the condition of a match.
        matched: clauses for rows with a match, in order.
        not_matched: clauses for rows of the source without one.
        by_source: clauses for rows of the target without one.
        kept: the columns of a row that no clause changes.
        schema: the target's columns afterwards.
    """

    on: Expression
    matched: tuple[Action, ...]
    not_matched: tuple[Action, ...]
    by_source: tuple[Action, ...]
    kept: dict[str, Column]
    schema: StructType

    def __iter__(self) -> Iterator[Action]:
        yield from (*self.matched, *self.not_matched, *self.by_source)

    @property
    def columns(self) -> list[Column]:
        """All that is asked of rows, and all that is made of them."""
        conditions = (
            self.on,
            *(clause.condition for clause in self if clause.condition is not None),
        )
        values = (value for clause in self for value in clause.values.values())
        return [*(condition.column for condition in conditions), *values]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolver:
    """Resolves clauses against the two sides.

    Attributes:
        target: what WHEN NOT MATCHED BY SOURCE sees.
        source: what WHEN NOT MATCHED sees.
        both: what ON and WHEN MATCHED see.
        alias: what clauses call the target.
        before: the target's columns.
        columns: its columns afterwards, and how values are put into them.
    """

    target: Scope
    source: Scope
    both: Scope
    alias: Path
    before: StructType
    columns: AssignableColumns

    def resolved(self, condition: Column, clauses: MergeClauses) -> ResolvedMerge:
        """Resolve a statement.

        Raises:
            DeltaAnalysisError: DELTA_MERGE_UNRESOLVED_EXPRESSION, DELTA_CONFLICT_SET_COLUMN,
                DELTA_DUPLICATE_COLUMNS_ON_INSERT, DELTA_UNSUPPORTED_NESTED_FIELD_IN_OPERATION,
                and what conditions and values are refused for.
        """
        old = {name: self.target.attribute(name) for name in self.before.names}
        kept = self.columns.kept(old)
        # 0 is reserved for rows that no clause acts on; they are counted under it as copied rows.
        numbers = iter(range(1, 1 + len(list(clauses))))
        actions = {
            matches: [
                self._action(clause, next(numbers), scope, kept, by_source=matches == "by_source")
                for clause in chosen
            ]
            for matches, chosen, scope in (
                ("matched", clauses.matched, self.both),
                ("not_matched", clauses.not_matched, self.source),
                ("by_source", clauses.by_source, self.target),
            )
        }
        return ResolvedMerge(
            on=self.both.condition(condition, "search condition"),
            matched=tuple(actions["matched"]),
            not_matched=tuple(actions["not_matched"]),
            by_source=tuple(actions["by_source"]),
            kept=kept,
            schema=self.columns.schema,
        )

    def _action(
        self,
        clause: Clause,
        number: int,
        scope: Scope,
        kept: dict[str, Column],
        *,
        by_source: bool,
    ) -> Action:
        kind = clause.action
        condition = None
        if clause.condition is not None:
            condition = scope.condition(clause.condition, f"{kind.upper()} condition")
        assigned: list[Assigned] = []
        values: dict[str, Column] = {}
        if isinstance(clause, UpdateClause):
            assigned = self._assigned(clause, scope)
            # As in delta-spark: SET * keeps the fields of a struct that the source lacks, and an
            # assignment by name replaces the struct.
            is_star = clause.assignments is None
            values = self.columns.updated(assigned, kept, keeps_fields=is_star)
        elif isinstance(clause, InsertClause):
            assigned = self._assigned(clause, scope)
            values = self.columns.inserted(assigned)
        return Action(
            number=number,
            kind=kind,
            by_source=by_source,
            condition=condition,
            values=values,
            given=frozenset(assignment.path[0] for assignment in assigned),
        )

    def _assigned(self, clause: UpdateClause | InsertClause, scope: Scope) -> list[Assigned]:
        place = f"{clause.action.upper()} clause"
        if clause.assignments is None:
            return list(self._of_all(place))
        paths = [self._path(assignment.path, place) for assignment in clause.assignments]
        if isinstance(clause, InsertClause):
            _check_inserted(paths)
        elif conflicts := overlapping(paths):
            text = ", ".join(".".join(map(quote_name, path)) for path in conflicts)
            raise DeltaAnalysisError("DELTA_CONFLICT_SET_COLUMN", columnList=text)
        values = _values(clause.assignments, scope, place)
        assigned = map(Assigned, paths, values)
        return [assignment for assignment in assigned if not self._is_left_out(assignment, clause)]

    def _is_left_out(self, assignment: Assigned, clause: UpdateClause | InsertClause) -> bool:
        """Say whether DEFAULT stands for what the table fills: as if nothing was assigned."""
        if not assignment.is_default:
            return False
        metadata = self.columns.schema[assignment.path[0]].metadata
        # A row that changes gets no new number: the assignment is refused.
        return (
            _is_made(metadata) if isinstance(clause, InsertClause) else GENERATION_KEY in metadata
        )

    def _of_all(self, place: str) -> Iterable[Assigned]:
        """Yield the assignments that `*` stands for."""
        given = {name.lower() for name in self.source.frame.columns}
        for field in self.columns.schema:
            if field.name.lower() in given:
                yield Assigned((field.name,), self.source.attribute(field.name))
            # With schema evolution a column that the source lacks keeps its value or gets its
            # default; without it, `*` has to name every column that the table does not fill itself.
            elif not self.columns.evolves and not _is_made(field.metadata):
                raise unresolved(field.name, place, self.source.columns)

    def _path(self, given: Path, place: str) -> Path:
        found = target_path(given, self.alias, self.before)
        # Under schema evolution the path may name a column that only the new schema has.
        if found is None:
            found = target_path(new_path(given, self.alias), (), self.columns.schema)
        if found is None:
            raise unresolved(".".join(given), place, self.target.columns)
        return found


def _check_inserted(paths: Sequence[Path]) -> None:
    # A new row has no old struct whose other fields a nested assignment could keep.
    for path in paths:
        if len(path) > 1:
            raise DeltaAnalysisError(
                "DELTA_UNSUPPORTED_NESTED_FIELD_IN_OPERATION",
                operation="INSERT clause of MERGE operation",
                fieldName=".".join(map(quote_name, path)),
            )
    if len(set(paths)) < len(paths):
        raise DeltaAnalysisError("DELTA_DUPLICATE_COLUMNS_ON_INSERT")


def _values(
    assignments: Sequence[ClauseAssignment], scope: Scope, place: str
) -> list[Expression | None]:
    """Resolve what is assigned; None for the word DEFAULT."""
    defaults = [is_default(assignment.value) for assignment in assignments]
    given = [
        assignment.value
        for assignment, is_word in zip(assignments, defaults, strict=True)
        if not is_word
    ]
    found = iter(scope.all_resolved(given, place))
    return [None if is_word else next(found) for is_word in defaults]


def _is_made(metadata: dict[str, Any]) -> bool:
    """Say whether a column is filled without a value of the source."""
    return any(key.startswith((GENERATION_KEY, IDENTITY_PREFIX)) for key in metadata)
