"""Conditions in SQL that each row must meet, as rules that report the values they looked at."""

from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.catalyst.expression_columns import Path, columns_of
from puredelta.engine.catalyst.sql_conditions import condition_column
from puredelta.engine.catalyst.stored_expressions import Stored, stored_column
from puredelta.engine.row_checks.rules import RowRule, describe_violation, explain_value
from puredelta.schema.column_path import quote_path


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that rows must meet.

    Attributes:
        name: what it is called.
        text: the condition, in SQL.
        columns: the columns it names, as it spells them.
        asked: the condition that is evaluated, where errors show another one.
        stored: the expression in the table's log that it comes from, if any.
    """

    name: str
    text: str
    columns: frozenset[Path]
    asked: str | None = None
    stored: Stored | None = None

    @classmethod
    def of(
        cls, name: str, text: str, asked: str | None = None, stored: Stored | None = None
    ) -> "Condition":
        """Read off a text which columns it names."""
        return cls(name, text, columns_of(asked or text) or frozenset(), asked, stored)

    @property
    def constraint(self) -> RowRule:
        """The rule that it is as a CHECK constraint."""
        error, values = "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES", ("values", self._values)
        named = {"constraintName": self.name, "expression": f"({self.text})"}
        return RowRule(self._kept, describe_violation(error, values, **named))

    @property
    def match(self) -> RowRule:
        """The rule that it is for the rows of an overwrite of what it selects."""
        values = ("message", self._values)
        broken = describe_violation("DELTA_REPLACE_WHERE_MISMATCH", values, replaceWhere=self.text)
        return RowRule(self._kept, broken)

    @property
    def names(self) -> frozenset[str]:
        """The names that it has for columns."""
        return frozenset(path[0] for path in self.columns)

    @property
    def _kept(self) -> Column:
        text = self.asked or self.text
        return condition_column(text) if self.stored is None else stored_column(text)

    @property
    def _values(self) -> Column:
        """A line ` - column : value` for each column, sorted by name."""
        # What differs from another in case alone is listed once.
        names = {name.lower(): name for name in sorted(map(quote_path, self.columns))}
        parts: list[Column] = []
        # The columns are a set: without an order the same violation would have several messages.
        for place, name in enumerate(sorted(names.values())):
            start = "\n" if place else ""
            parts += [F.lit(f"{start} - {name} : "), explain_value(F.col(name))]
        return F.concat(*parts) if parts else F.lit("")
