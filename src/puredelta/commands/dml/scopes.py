"""What the clauses of a MERGE see, and how Spark resolves their expressions there.

Expressions are resolved once, to columns by their ids, and are then at home in each of the frames
that the MERGE makes of its two sides.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql.types import BooleanType, DataType, _parse_datatype_json_string

from puredelta._util.similar_names import like_it
from puredelta.engine.bridge.classes import kind_of
from puredelta.engine.bridge.deferred import settled
from puredelta.engine.bridge.failures import unlogged
from puredelta.engine.bridge.handles import each_of, first_children, items_of
from puredelta.engine.catalyst.sql_conditions import condition_sql, with_fixed_time
from puredelta.engine.session.spark_objects import column_of, expression_of
from puredelta.errors.classes import DeltaAnalysisError


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression that Spark has resolved.

    Attributes:
        catalyst: Spark's own object.
        given: the same as it was given, where something in it was computed since.
        known_type: the type of its values, where it was asked for together with others.
    """

    catalyst: Any
    given: Any = None
    known_type: DataType | None = field(default=None, compare=False)

    @property
    def column(self) -> Column:
        """The expression as a column, for frames that have the columns it names."""
        return column_of(self.catalyst)

    @property
    def type(self) -> DataType:
        """The type of its values."""
        if self.known_type is not None:
            return self.known_type
        return _parse_datatype_json_string(self.catalyst.dataType().json())

    @property
    def kind(self) -> str:
        """What Spark calls such an expression: `EqualTo`."""
        return kind_of(self.catalyst)

    @property
    def sql(self) -> str:
        """The expression in SQL, for errors."""
        return str(self.catalyst.sql())

    def __str__(self) -> str:
        """Return the expression as history shows it."""
        # History shows `current_timestamp()` as it was written, not the instant that it stands for.
        known = self.given or self.catalyst
        return condition_sql(known) or str(known.toString())

    @property
    def column_ids(self) -> frozenset[int]:
        """The ids of the columns that it names."""
        return frozenset(each_of(self.catalyst.references(), "exprId", "id"))

    def conjuncts(self) -> Iterator["Expression"]:
        """Yield the conditions of which all must hold."""
        if self.kind == "And":
            yield from Expression(self.catalyst.left()).conjuncts()
            yield from Expression(self.catalyst.right()).conjuncts()
        else:
            yield self


def expressions_in(items: Any, *methods: str) -> list[Expression]:
    """Return expressions with their types, which are asked for in one call.

    Args:
        items: a Scala collection.
        methods: what gives the expression of each item; none where the item is the expression.
    """
    types = each_of(items, *methods, "dataType", "json")
    found = each_of(items, *methods) if methods else items_of(items)
    return [
        Expression(expression, known_type=_parse_datatype_json_string(text))
        for expression, text in zip(found, types, strict=True)
    ]


@dataclass(frozen=True)
class Scope:
    """The columns that a clause sees.

    Attributes:
        frame: has them, under the names by which the user knows them.
    """

    frame: DataFrame

    @cached_property
    def columns(self) -> list[str]:
        """Their names, for errors."""
        plan = self.frame._jdf.queryExecution().analyzed()
        return each_of(plan.output(), "sql")

    @cached_property
    def column_ids(self) -> frozenset[int]:
        """Their ids."""
        plan = self.frame._jdf.queryExecution().analyzed()
        return frozenset(each_of(plan.output(), "exprId", "id"))

    def attribute(self, name: str) -> Expression:
        """Return one of the columns by its name, whatever its case.

        Raises:
            DeltaAnalysisError: AMBIGUOUS_REFERENCE: several columns have the name.
        """
        [first, *others] = self._attributes[name.lower()]
        # A source of a join may have two columns of one name; Spark refuses the name with this
        # error.
        if others:
            known = ", ".join(expression.sql for expression in (first, *others))
            raise DeltaAnalysisError("AMBIGUOUS_REFERENCE", name=name, referenceNames=f"[{known}]")
        return first

    @cached_property
    def _attributes(self) -> dict[str, list[Expression]]:
        found: dict[str, list[Expression]] = {}
        output = self.frame._jdf.queryExecution().analyzed().output()
        for name, attribute in zip(each_of(output, "name"), expressions_in(output), strict=True):
            found.setdefault(name.lower(), []).append(attribute)
        return found

    def all_resolved(self, columns: Sequence[Column], place: str) -> list[Expression]:
        """Resolve expressions together, as `resolved` does."""
        # One analysis resolves all of them: each costs a call into the JVM.
        named = [column.alias("value") for column in columns]
        try:
            with unlogged(), settled():
                plan = self.frame.select(*named)._jdf.queryExecution().analyzed()
        except AnalysisException:
            plan = None
        if plan is None or not self._is_of_one_row(plan):
            # One of them is wrong; resolved by itself it raises the error that names it.
            return [self.resolved(column, place) for column in columns]
        return expressions_in(plan.projectList(), "child")

    def resolved(self, column: Column, place: str) -> Expression:
        """Resolve an expression.

        Args:
            column: the expression.
            place: where it stands, for errors: `UPDATE clause`.

        Raises:
            DeltaAnalysisError: DELTA_MERGE_UNRESOLVED_EXPRESSION, DELTA_AGGREGATION_NOT_SUPPORTED.
            AnalysisException: Spark's, for what else it does not take.
        """
        try:
            with settled():
                plan = self.frame.select(column.alias("value"))._jdf.queryExecution().analyzed()
        except AnalysisException as error:
            known = error.getCondition() or ""
            if known == "MISSING_GROUP_BY":
                raise self._aggregated(column, place) from error
            if not known.startswith("UNRESOLVED_COLUMN"):
                raise
            name = (error.getMessageParameters() or {}).get("objectName")
            raise self.unresolved(column, place, name) from error
        if not self._is_of_one_row(plan):
            raise self._aggregated(column, place)
        return Expression(plan.projectList().apply(0).child())

    def _is_of_one_row(self, plan: Any) -> bool:
        """Say of a resolved SELECT whether it computes each row by itself.

        Aggregates make another plan, windows and generators put one between.
        """
        base = self.frame._jdf.queryExecution().analyzed()
        kinds = [kind for kind, _ in first_children(plan)[:2]]
        return kinds == ["Project", kind_of(base)]

    def _aggregated(self, column: Column, place: str) -> DeltaAnalysisError:
        """Return the error for an expression that is about many rows."""
        return DeltaAnalysisError(
            "DELTA_AGGREGATION_NOT_SUPPORTED",
            operation=f"{place} of MERGE operation",
            predicate=f"(condition = {expression_of(column).sql()})",
        )

    def unresolved(self, column: Column, place: str, name: str | None = None) -> DeltaAnalysisError:
        """Return the error for an expression with a name that is no column here.

        Args:
            column: the expression.
            place: where it stands: `UPDATE clause`.
            name: the name, where Spark says which one it is.
        """
        return unresolved(name or str(expression_of(column).sql()), place, self.columns)

    def condition(self, column: Column, place: str) -> Expression:
        """Resolve a condition, which must always decide a pair of rows the same.

        Several jobs ask it, so the current time is the same in all of them.

        Args:
            column: the condition.
            place: where it stands, for errors: `search condition`.

        Raises:
            DeltaAnalysisError: as `resolved`; DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED.
            AnalysisException: Spark's, for a condition that is neither true nor false.
        """
        found = self.resolved(column, place)
        if not isinstance(found.type, BooleanType):
            self.frame.where(column)  # Spark raises its own error for the type
        if not found.catalyst.deterministic():
            raise DeltaAnalysisError(
                "DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED",
                operation=f"{place} of MERGE operation",
                expression=f"(condition = {found.sql})",
            )
        plan = self.frame._jdf.queryExecution().analyzed()
        return Expression(with_fixed_time(found.catalyst, plan), found.catalyst)


def unresolved(sql: str, place: str, columns: Sequence[str]) -> DeltaAnalysisError:
    """Return the error for a name that is no column.

    Args:
        sql: the name.
        place: where it stands: `UPDATE clause`.
        columns: those that there are.
    """
    known = [_without_own_alias(column) for column in columns]
    return DeltaAnalysisError(
        "DELTA_MERGE_UNRESOLVED_EXPRESSION",
        sqlExpr=sql,
        like=like_it(sql.replace("`", ""), known),
        clause=place,
        cols=", ".join(known),
    )


def _without_own_alias(column: str) -> str:
    """Return the name of a column as users know it: aliases of our own start with `__`."""
    alias, _, name = column.partition(".")
    return name if name and alias.startswith("__") else column
