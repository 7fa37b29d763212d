"""CHECK constraints and invariants of columns, where conditions of rows judge them as Spark does.

Protocol: CHECK Constraints; Column Invariants. A condition must be true; null is not enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.errors import DeltaError, DeltaInvariantViolationError
from puredelta.log.actions import Metadata
from puredelta.rows.filter_text import parse_filter
from puredelta.schema.column_path import quote_name
from puredelta.schema.datatypes import TIMESTAMP
from puredelta.schema.walk import types_in
from puredelta.table.columns.column_mapping import MappingMode, mapping_mode
from puredelta.table.expressions.constraints import constraints_of
from puredelta.table.expressions.invariants import invariant_of
from puredelta.table.protocol.feature_activation import CONSTRAINT_PREFIX
from puredelta.table.protocol.protocol import schema_of

_NUMBER = "__row_number"
_WORDS = {"none": "null"}


class StoredCondition(NamedTuple):
    """A condition in SQL that the log keeps.

    Attributes:
        name: as errors show it.
        expression: the condition.
    """

    name: str
    expression: str


def stored_conditions(metadata: Metadata) -> Iterator[StoredCondition]:
    """Yield the conditions that rows of a table must meet, in the order of Spark."""
    configuration = metadata.configuration
    # Of several broken constraints the first one of the properties is reported.
    order = [key.lower() for key in configuration]
    for constraint in sorted(
        constraints_of(configuration), key=lambda one: order.index(CONSTRAINT_PREFIX + one.name)
    ):
        yield StoredCondition(constraint.name, constraint.expression)
    for field in schema_of(metadata):
        text = invariant_of(field.metadata, field.name)
        if text is not None:
            yield StoredCondition(f"EXPRESSION({text})", text)


def why_not_judged(condition: StoredCondition, metadata: Metadata) -> str | None:
    """Return why only Spark can judge a condition; None where rows of Arrow show it as well."""
    schema = schema_of(metadata)
    try:
        _, columns = parse_filter(condition.expression, schema)
    except DeltaError as error:
        return str(error.parameters.get("reason") or error.message)
    is_mapped = mapping_mode(metadata.configuration) is not MappingMode.NONE
    for name in columns:
        field = schema.field(name)
        types = set() if field is None else set(types_in(field.data_type))
        # A text without a zone is a time in the zone of Spark's session, whichever that is.
        if TIMESTAMP in types:
            return f"{name} is a timestamp, whose text depends on the time zone of a session"
        if is_mapped and len(types) > 1:
            return f"{name} is a struct, whose fields have other names in files"
    return None


def check_conditions(rows: pa.Table, metadata: Metadata) -> None:
    """Refuse rows that break a constraint or an invariant of a table.

    Args:
        rows: with all columns of the table, as its files name them.
        metadata: of the table; each of its conditions can be judged.

    Raises:
        DeltaInvariantViolationError: DELTA_VIOLATE_CONSTRAINT_WITH_VALUES.
    """
    schema = schema_of(metadata)
    for condition in stored_conditions(metadata):
        known = rows.rename_columns(schema.names)
        judged, columns = parse_filter(condition.expression, schema)
        at = _first_broken(known, judged.rows)
        if at is not None:
            (row,) = known.select(columns).slice(at, 1).to_pylist() if columns else ({},)
            raise DeltaInvariantViolationError(
                "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES",
                constraintName=condition.name,
                expression=f"({condition.expression})",
                values="\n".join(_lines(row)),
            )


def _first_broken(rows: pa.Table, expression: pc.Expression) -> int | None:
    """Return the place of the first row for which a condition is not true; None for none."""
    places = pa.array(range(rows.num_rows), pa.int64())
    kept = rows.append_column(_NUMBER, places).filter(expression)[_NUMBER]
    if len(kept) == rows.num_rows:
        return None
    is_broken = pc.invert(pc.is_in(places, value_set=kept))
    broken: int = places.filter(is_broken)[0].as_py()
    return broken


def _lines(row: Mapping[str, object]) -> Iterator[str]:
    for name in sorted(row):
        value = row[name]
        shown = str(value).lower() if value is None or isinstance(value, bool) else str(value)
        yield f" - {quote_name(name)} : {_WORDS.get(shown, shown)}"
