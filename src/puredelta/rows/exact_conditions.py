"""Conditions of Spark as expressions of Arrow, where both mean the same for each row."""

from __future__ import annotations

from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.rows.filter_values import ColumnValue
from puredelta.rows.row_conditions import FilterCondition, FoundColumn, in_list, truth, with_value
from puredelta.schema.datatypes import (
    BYTE,
    DECLARED_TYPE_KEY,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    DataType,
    StructField,
    StructType,
)
from puredelta.table.columns.schema_check import COLLATIONS
from puredelta.table.skipping.predicate import (
    MIRRORED,
    OPERANDS,
    And,
    CastValue,
    Column,
    Comparison,
    Condition,
    Constant,
    In,
    IsNull,
    IsTrue,
    Literal,
    Not,
    Operand,
    Or,
    StartsWith,
)

_TRUE = pc.scalar(pa.scalar(value=True))
_INTEGERS = (BYTE, SHORT, INTEGER, LONG)
_FLOATS = (FLOAT, DOUBLE)


class _NotExactError(Exception):
    """Arrow may see a row otherwise than Spark."""


def rows_where(condition: Condition, schema: StructType) -> pc.Expression | None:
    """Return a condition for Arrow: true, false or null for a row; None where it may differ.

    Args:
        condition: the condition.
        schema: the columns that it is about.
    """
    try:
        return _Rows(schema).where(condition)
    except _NotExactError:
        return None


class _Rows:
    """Translates conditions on some columns."""

    def __init__(self, schema: StructType) -> None:
        """Take the columns."""
        self._schema = schema

    def where(self, condition: Condition) -> pc.Expression:
        """Return a condition for Arrow."""
        match condition:
            case And(parts):
                return reduce(pc.and_kleene, map(self.where, parts), _TRUE)
            case Or(parts):
                return reduce(pc.or_kleene, map(self.where, parts))
            case Not(of):
                return pc.invert(self.where(of))
            case IsTrue(of):
                return truth(FilterCondition(self.where(of)), value=True).rows
            case IsNull(of) if not isinstance(of, OPERANDS):
                return self.where(of).is_null()
        return self._test(condition)

    def _test(self, condition: Condition) -> pc.Expression:
        match condition:
            case Constant(value):
                return pc.scalar(pa.scalar(value, pa.bool_()))
            case Comparison(operator, left, right):
                return self._compared(operator, left, right)
            case In(operand, values, data_type, has_null) if data_type not in _FLOATS:
                listed = [ColumnValue("=", value, data_type) for value in values]
                return in_list(self._column(operand, data_type), listed, has_null=has_null).rows
            case StartsWith(operand, prefix):
                return pc.starts_with(self._column(operand, STRING).rows, pattern=prefix)
            case IsNull(Column() as column):
                return self._column(column, None).rows.is_null()
        raise _NotExactError

    def _compared(self, operator: str, left: Operand, right: Operand) -> pc.Expression:
        if isinstance(left, Literal):
            operator, left, right = MIRRORED[operator], right, left
        if not isinstance(right, Literal) or right.value is None:
            raise _NotExactError
        column = self._column(left, right.data_type)
        # Parquet's bounds tell -0.0 from 0.0, so what Spark finds depends on what it asks of them.
        if right.data_type in _FLOATS and right.value == 0:
            raise _NotExactError
        if operator == "<=>":
            equal = with_value(column, ColumnValue("=", right.value, right.data_type))
            return truth(equal, value=True).rows
        return with_value(column, ColumnValue(operator, right.value, right.data_type)).rows

    def _column(self, operand: Operand, data_type: DataType | None) -> FoundColumn:
        """Return a column whose values are compared in a type; None for any."""
        if isinstance(operand, CastValue):
            kinds = (operand.data_type, data_type)
            column = self._column(operand.operand, None)
            # An integer in more bytes is the same number.
            is_wider = column.data_type in _INTEGERS and set(kinds) <= {*_INTEGERS}
            if not is_wider or _INTEGERS.index(column.data_type) > _INTEGERS.index(kinds[0]):
                raise _NotExactError
            return column
        field = self._field(operand)
        if data_type not in (None, field.data_type):
            raise _NotExactError
        return FoundColumn((field.name,), field.data_type)

    def _field(self, operand: Operand) -> StructField:
        """Return a column at the top; CHAR and collations have an order of their own."""
        if not isinstance(operand, Column) or len(operand.path) > 1:
            raise _NotExactError
        field = self._schema.field(operand.path[0])
        if field is None or not {DECLARED_TYPE_KEY, COLLATIONS}.isdisjoint(field.metadata):
            raise _NotExactError
        return field
