"""What the rows of a write must keep: constraints, what columns demand, what an overwrite selects."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import StructField, StructType

from puredelta.engine.check_rules import Condition
from puredelta.engine.required_fields import required_rules
from puredelta.engine.row_checks import RowRule
from puredelta.engine.text_lengths import length_rules
from puredelta.schema.column_path import quote_name
from puredelta.table.constraints import constraints_of


@dataclass(frozen=True, slots=True)
class Demands:
    """What rows must keep besides what their columns themselves demand.

    Attributes:
        constraints: the table's.
        match: the condition of an overwrite that its rows must meet, if any.
    """

    constraints: tuple[Condition, ...] = ()
    match: Condition | None = None

    def absent(self, there: Sequence[str]) -> frozenset[str]:
        """Return the names that they use and no column has.

        Args:
            there: names of columns.
        """
        everything = (*self.constraints, *([self.match] if self.match else ()))
        return frozenset().union(*(one.absent(there) for one in everything))


def demands_of(configuration: Mapping[str, str], must_hold: str | None = None) -> Demands:
    """Return what rows of a table must keep.

    Args:
        configuration: the table's properties.
        must_hold: the condition of an overwrite that its rows must meet, in SQL.
    """
    return Demands(
        tuple(Condition.of(one.name, one.expression) for one in constraints_of(configuration)),
        None if must_hold is None else Condition.of("replaceWhere", must_hold),
    )


def rules_of(
    session: SparkSession,
    schema: StructType,
    sources: Sequence[StructField | None],
    demands: Demands,
) -> list[RowRule]:
    """Return the rules that rows are checked by, in order.

    Args:
        session: whether its settings ask for lengths.
        schema: the table's columns, which the rows have by their names.
        sources: for each of them the field of the data, where that tells its nullability.
        demands: what they must keep besides.
    """
    rules = [one.constraint for one in demands.constraints]
    rules += _required(schema, sources)
    for field in schema:
        rules += length_rules(session, F.col(quote_name(field.name)), field)
    return rules if demands.match is None else [*rules, demands.match.match]


def _required(schema: StructType, sources: Sequence[StructField | None]) -> Iterator[RowRule]:
    for field, source in zip(schema, sources, strict=True):
        yield from required_rules(F.col(quote_name(field.name)), field, source)
