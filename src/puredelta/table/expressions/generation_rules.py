"""What the expression of a generated column may be, judged by what it resolves to.

A value that is computed when a row is written has to be what anyone would compute from the row
later: another engine when it checks or rewrites the row, a reader that leaves files out by it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol as Interface

from puredelta.errors import DeltaAnalysisError
from puredelta.schema.datatypes import VARIANT, DataType, StructType, simple_string
from puredelta.schema.walk import types_in
from puredelta.table.expressions.generation_functions import AGGREGATES, ALLOWED, USER_FUNCTIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A node of a resolved expression.

    Attributes:
        kind: the name of Spark's class for it.
        text: it and all below it, in SQL.
        is_deterministic: whether it is the same each time.
    """

    kind: str
    text: str
    is_deterministic: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What an expression resolves to.

    Attributes:
        data_type: the type of its values.
        parts: its nodes, each before those below it.
    """

    data_type: DataType
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """An expression that names a column which is not there.

    Attributes:
        name: the column, in SQL as the expression spells it.
    """

    name: str


class Expressions(Interface):
    """Resolves expressions in SQL."""

    def read(self, text: str, schema: StructType) -> Facts | Unknown:
        """Say what an expression resolves to.

        Args:
            text: the expression.
            schema: the columns that it may name.

        Raises:
            Exception: whatever the resolver says of a text that is no expression over any columns.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A generated column.

    Attributes:
        name: the column.
        data_type: its type.
        text: its generation expression, in SQL.
    """

    name: str
    data_type: DataType
    text: str

    def check(self, found: Facts) -> None:
        """Refuse an expression that resolves to what no column may be generated from.

        Raises:
            DeltaAnalysisError: DELTA_UDF_IN_GENERATED_COLUMN,
                DELTA_NON_DETERMINISTIC_EXPRESSION_IN_GENERATED_COLUMN,
                DELTA_AGGREGATE_IN_GENERATED_COLUMN, DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN,
                DELTA_UNSUPPORTED_DATA_TYPE_IN_GENERATED_COLUMN,
                DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH.
        """
        self._check_comparable(found.data_type)
        for part in found.parts:
            self._check_part(part)
        # Written so, types that differ in nullability alone are one.
        if simple_string(found.data_type) != simple_string(self.data_type):
            raise self._mismatch(found.data_type)

    def _check_comparable(self, given: DataType) -> None:
        for data_type in (given, self.data_type):
            if VARIANT in types_in(data_type):
                raise DeltaAnalysisError(
                    "DELTA_UNSUPPORTED_DATA_TYPE_IN_GENERATED_COLUMN",
                    **self._told({"dataType": simple_string(data_type)}),
                )

    def _check_part(self, part: Part) -> None:
        for is_wrong, condition, parameter in _WRONG_PARTS:
            if is_wrong(part):
                raise DeltaAnalysisError(condition, **self._told({parameter: part.text}))

    def _mismatch(self, given: DataType) -> DeltaAnalysisError:
        types = {
            "expressionType": simple_string(given),
            "columnType": simple_string(self.data_type),
        }
        return DeltaAnalysisError("DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH", **self._told(types))

    def _told(self, more: Mapping[str, str]) -> dict[str, str]:
        return {"columnName": self.name, "generation": self.text, **more}


_WRONG_PARTS: tuple[tuple[Callable[[Part], bool], str, str], ...] = (
    (lambda part: part.kind in USER_FUNCTIONS, "DELTA_UDF_IN_GENERATED_COLUMN", "udfExpr"),
    (
        lambda part: not part.is_deterministic,
        "DELTA_NON_DETERMINISTIC_EXPRESSION_IN_GENERATED_COLUMN",
        "expr",
    ),
    (lambda part: part.kind in AGGREGATES, "DELTA_AGGREGATE_IN_GENERATED_COLUMN", "sqlExpr"),
    (
        lambda part: part.kind not in ALLOWED,
        "DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN",
        "expression",
    ),
)
