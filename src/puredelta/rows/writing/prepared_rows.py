"""Rows of a caller as rows of a table: its columns, in its types, with what the data leaves out.

Protocol: Default Columns; Identity Columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from puredelta.errors import DeltaUnsupportedOperationError
from puredelta.log.actions import Protocol
from puredelta.rows.writing.constraints import check_conditions
from puredelta.rows.writing.exact_casts import cast_exactly
from puredelta.rows.writing.file_layout import FileLayout
from puredelta.rows.writing.literals import literal
from puredelta.rows.writing.not_null import check_not_null
from puredelta.schema.changes import not_found
from puredelta.schema.datatypes import StructField
from puredelta.table.evolution.matching_rules import (
    IN_DATA,
    MatchingRules,
    check_distinct,
    check_left_out,
)
from puredelta.table.expressions.identity_columns import (
    IdentityColumn,
    check_not_given,
    identity_of,
)
from puredelta.table.protocol.defaults import allows_defaults, default_of


@dataclass(frozen=True, slots=True)
class PreparedRows:
    """Rows on their way into files.

    Attributes:
        table: with all columns of the table, as its files name them.
        marks: the high-water marks that identity columns have after them, by column.
    """

    table: pa.Table
    marks: Mapping[str, int]


def make_rows(data: pa.Table, layout: FileLayout, protocol: Protocol, label: str) -> PreparedRows:
    """Return rows of a caller as rows of a table, all rules of which they keep.

    Args:
        data: the rows; columns are found by name, in any case of letters and in any order.
        layout: of the table.
        protocol: of the table.
        label: what messages call it.

    Raises:
        DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA, DELTA_DUPLICATE_COLUMNS_FOUND.DATA,
            DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED.
        DeltaIllegalArgumentError: PUREDELTA_WRITE_TYPE_DIFFERS, PUREDELTA_WRITE_VALUE_DIFFERS.
        DeltaInvariantViolationError: DELTA_MISSING_NOT_NULL_COLUMN_VALUE,
            DELTA_NOT_NULL_CONSTRAINT_VIOLATED, DELTA_VIOLATE_CONSTRAINT_WITH_VALUES.
        DeltaUnsupportedOperationError: PUREDELTA_WRITE_NEEDS_SPARK, for a default that is no
            literal.
        DeltaArithmeticError: PUREDELTA_IDENTITY_OVERFLOW.
    """
    schema = layout.table
    check_distinct(data.column_names, "", IN_DATA)
    for name in data.column_names:
        if schema.field(name) is None:
            raise not_found((name,), schema)
    check_not_given(schema, data.column_names)
    rules = MatchingRules(
        table=label,
        by_name=True,
        evolve=False,
        same_types=False,
        defaults=allows_defaults(protocol),
    )
    places = {name.lower(): place for place, name in enumerate(data.column_names)}
    columns: list[pa.ChunkedArray] = []
    marks: dict[str, int] = {}
    for field, target in zip(schema, layout.arrow, strict=True):
        place = places.get(field.name.lower())
        identity = identity_of(field.name, field.metadata)
        if place is not None:
            column = cast_exactly(data.column(place), field.data_type, target.type, (field.name,))
        elif identity is not None:
            column = _numbers(identity, data.num_rows)
            if data.num_rows:
                marks[field.name] = identity.marked(identity.after(data.num_rows)).mark or 0
        else:
            check_left_out(field, field.name, rules)
            column = _left_out(field, target.type, data.num_rows, rules)
        check_not_null(column, field)
        columns.append(column)
    made = pa.Table.from_arrays(columns, schema=layout.arrow)
    check_conditions(made, layout.metadata)
    return PreparedRows(made, marks)


def _numbers(column: IdentityColumn, count: int) -> pa.ChunkedArray:
    if not count:
        return pa.chunked_array([], pa.int64())
    column.after(count)
    # Within bounds, but a product of the two may not be: the sum wraps around as it should.
    with np.errstate(over="ignore"):
        numbers = np.int64(column.base) + np.arange(count, dtype=np.int64) * np.int64(column.step)
    return pa.chunked_array([pa.array(numbers)])


def _left_out(
    field: StructField, target: pa.DataType, count: int, rules: MatchingRules
) -> pa.ChunkedArray:
    text = default_of(field.metadata) if rules.defaults else None
    if text is None:
        return pa.chunked_array([pa.nulls(count, target)])
    value = literal(text)
    if value is None:
        raise DeltaUnsupportedOperationError(
            "PUREDELTA_WRITE_NEEDS_SPARK",
            table=rules.table,
            reason=f"the default of the column {field.name} is an expression ({text})",
        )
    rows = pa.chunked_array([pa.repeat(value, count)])
    return cast_exactly(rows, field.data_type, target, (field.name,))
