"""What rows must keep: constraints, what columns demand, the condition of an overwrite."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import StructField, StructType

from puredelta.engine.bridge.deferred import settled
from puredelta.engine.bridge.failures import unlogged
from puredelta.engine.catalyst.constraint_expressions import checked_expression
from puredelta.engine.catalyst.double_quotes import portable
from puredelta.engine.catalyst.expression_columns import is_function
from puredelta.engine.catalyst.stored_expressions import Stored, check_stored
from puredelta.engine.row_checks.char_lengths import length_rules
from puredelta.engine.row_checks.char_padding import padded_rows
from puredelta.engine.row_checks.not_null import field_parts, required_rules
from puredelta.engine.row_checks.rules import RowRule, with_checks
from puredelta.engine.row_checks.sql_rules import Condition
from puredelta.engine.session.sessions import setting
from puredelta.schema.column_path import quote_name
from puredelta.table.expressions.constraints import Constraint, constraints_of
from puredelta.table.expressions.generated_columns import Governed
from puredelta.table.expressions.invariants import invariant_of
from puredelta.table.protocol.feature_activation import CONSTRAINT_PREFIX

_CASE_SENSITIVE = "spark.sql.caseSensitive"


@dataclass(frozen=True, slots=True)
class Requirements:
    """What rows must keep besides what their columns themselves demand.

    Attributes:
        constraints: the table's, in order.
        match: the condition of an overwrite that its rows must meet, if any.
        table: the table that they are for; None for one that is being made.
        generated: the checks of generated columns that the data has.
    """

    constraints: tuple[Condition, ...] = ()
    match: Condition | None = None
    table: Governed | None = None
    generated: tuple[Condition, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """The names that they have for columns."""
        matches = () if self.match is None else (self.match,)
        everything = (*self.constraints, *self.generated, *matches)
        return frozenset(name for expression in everything for name in expression.names)


def requirements_of(
    configuration: Mapping[str, str],
    table: Governed | None = None,
    must_hold: str | None = None,
) -> Requirements:
    """Return what rows of a table must keep.

    Args:
        configuration: the table's properties, in whose order its constraints are checked.
        table: the version that they come upon; None for a table that is being made.
        must_hold: the condition of an overwrite that its rows must meet, in SQL.
    """
    # Of several broken constraints the first is reported, so their order has to be a stable one.
    order = [key.lower() for key in configuration]
    constraints = sorted(
        constraints_of(configuration),
        key=lambda constraint: order.index(CONSTRAINT_PREFIX + constraint.name),
    )
    return Requirements(
        tuple(_constraint(constraint) for constraint in constraints),
        # A condition of the statement is in the words of the session, not of a table.
        None if must_hold is None else Condition.of("replaceWhere", must_hold, portable(must_hold)),
        table,
    )


def _constraint(constraint: Constraint) -> Condition:
    stored = Stored.constraint(constraint.name, constraint.expression)
    return Condition.of(constraint.name, constraint.expression, stored=stored)


def with_constraint_checks(
    rows: DataFrame,
    schema: StructType,
    sources: Sequence[StructField | None],
    demands: Requirements,
) -> DataFrame:
    """Return the same rows, none of which can be read unless it keeps the rules of its table.

    Args:
        rows: with the table's columns.
        schema: the table's.
        sources: for each column the field of the data, where that says its nullability.
        demands: what they must keep besides.

    Raises:
        DeltaAnalysisError: DELTA_NON_BOOLEAN_CHECK_CONSTRAINT, DELTA_INVARIANT_MALFORMED,
            PUREDELTA_STORED_EXPRESSION_REFUSED.
        AnalysisException: Spark's, for a constraint that it cannot resolve.
    """
    rules = list(rules_of(rows.sparkSession, schema, sources, demands))
    if not rules:
        return rows
    seen = padded_rows(rows, schema)
    whole = with_names(seen.frame, demands.names)
    try:
        with unlogged(), settled():
            return seen.as_stored(with_checks(whole, rules))
    # Spark names the whole projection; each constraint by itself shows which one is wrong.
    except AnalysisException:
        for constraint in demands.constraints:
            checked_expression(rows.sparkSession, whole.schema, constraint.name, constraint.text)
        raise


def rules_of(
    session: SparkSession,
    schema: StructType,
    sources: Sequence[StructField | None],
    demands: Requirements,
) -> Iterator[RowRule]:
    """Yield the rules that rows are checked by, in order.

    Args:
        session: whether its settings ask for lengths.
        schema: the table's columns, which the rows have by their names.
        sources: for each of them the field of the data, where that says its nullability.
        demands: what they must keep besides.
    """
    for constraint in demands.constraints:
        if constraint.stored is not None:
            check_stored(session, constraint.stored)
        yield constraint.constraint
    columns = [F.col(quote_name(field.name)) for field in schema]
    for column, field, source in zip(columns, schema, sources, strict=True):
        yield from required_rules(column, field, source)
        yield from _invariants(session, field, schema)
    # The first broken rule is the error that users see: constraints, then nulls, then lengths.
    for column, field in zip(columns, schema, strict=True):
        yield from length_rules(session, column, field)
    if demands.match is not None:
        yield demands.match.match
    for check in demands.generated:
        yield check.constraint


def _invariants(session: SparkSession, field: StructField, schema: StructType) -> Iterator[RowRule]:
    for path, part in field_parts(field):
        column = ".".join((field.name, *path))
        text = invariant_of(part.metadata, column)
        if text is not None:
            stored = Stored.invariant(column, text, schema.names)
            check_stored(session, stored)
            yield Condition.of(f"EXPRESSION({text})", text, stored=stored).constraint


def with_names(rows: DataFrame, names: Collection[str]) -> DataFrame:
    """Return rows in which expressions find the columns that they name, and nothing else.

    What a query calls its tables is not taken for a struct of that name. A column that is not there
    is null. One that is spelled otherwise is itself, even in a session that takes it for another.
    """
    return rows.toDF(*rows.columns).withColumns(_other_names(rows, names))


def _other_names(rows: DataFrame, names: Collection[str]) -> dict[str, Column]:
    known = {name.lower(): name for name in rows.columns}
    others = sorted(name for name in {*names} - {*rows.columns} if not is_function(name))
    if setting(rows.sparkSession, _CASE_SENSITIVE, "false") == "false":
        return {name: F.lit(None) for name in others if name.lower() not in known}
    return {
        name: F.col(quote_name(known[name.lower()])) if name.lower() in known else F.lit(None)
        for name in others
    }
