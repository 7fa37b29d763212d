"""What the log proves of a file holds for each of its rows: no violation hides from a scan."""

import math

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from puredelta.log.files import files_table
from puredelta.schema.arrow import to_arrow
from puredelta.schema.datatypes import DOUBLE, FLOAT, StructField, StructType
from puredelta.table.skipping.columns import StatsColumns
from puredelta.table.skipping.predicate import (
    OPERATORS,
    And,
    CastValue,
    Column,
    Comparison,
    IsNull,
    Literal,
    Not,
    Or,
)
from puredelta.table.skipping.proof import surely_true
from puredelta.table.statistics.file_stats import stats_from_arrow
from tests.properties.skipping_strategies import ZONES, _add, conditions, one_column, tables
from tests.properties.test_skipping import Row, outcome

C = Column(("c",))


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data(), tables(), st.sampled_from(ZONES))
def test_a_proven_file_has_no_row_that_violates(data, made, zone):
    condition = data.draw(conditions(made))

    found = surely_true(condition, made.files, made.columns)

    for place, rows in enumerate(made.rows):
        if found[place]:
            for row in rows:
                assert outcome(condition, Row(row, made.types, zone)) == {True}


numbers = st.floats(width=32, allow_nan=True, allow_infinity=True)


@given(
    st.lists(st.none() | numbers, min_size=1, max_size=5),
    st.sampled_from([FLOAT, DOUBLE]),
    st.sampled_from([one for one in OPERATORS if one != "<=>"]),
    st.floats(width=32, allow_nan=False),
    st.booleans(),
)
def test_nothing_is_proven_that_a_nan_breaks_which_statistics_pass_over(
    values, kind, operator, limit, negated
):
    """As deltalake writes them: bounds of the numbers, and NaN counted among the rows only."""
    schema = StructType((StructField("c", kind),))
    shown = [None if one is not None and math.isnan(one) else one for one in values]
    told = stats_from_arrow(
        pa.Table.from_pylist([{"c": v} for v in shown], to_arrow(schema)), schema
    )
    nulls = sum(one is None for one in values)
    told = told.replace(f'"c":{shown.count(None)}}}', f'"c":{nulls}}}')
    condition = Comparison(operator, C, Literal(limit, kind))
    wanted = Not(condition) if negated else condition

    found = surely_true(wanted, files_table([_add(0, {}, told)]), StatsColumns(schema))

    if found[0]:
        assert all(holds(value, operator, limit) is not negated for value in values)


def holds(value, operator, limit):
    """Compare as Spark does, which takes NaN for the greatest number; null holds neither way."""
    if value is None:
        return None
    left, right = ((math.isnan(one), 0.0 if math.isnan(one) else one) for one in (value, limit))
    return {
        "=": left == right,
        "!=": left != right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }[operator]


def test_a_cast_float_has_no_upper_bound_either():
    made = one_column(FLOAT, [1.0, 2.0])
    as_double = CastValue(C, DOUBLE)

    below = Comparison("<", as_double, Literal(5.0, DOUBLE))
    above = Comparison(">", as_double, Literal(0.5, DOUBLE))

    assert not surely_true(below, made.files, made.columns)[0]
    assert surely_true(above, made.files, made.columns)[0]


def test_what_statistics_tell_is_proven():
    made = one_column(DOUBLE, [1.0, 2.0])
    above = Comparison(">", C, Literal(0.5, DOUBLE))
    all_there = Not(IsNull(C))

    assert surely_true(And((above, all_there)), made.files, made.columns)[0]
    assert surely_true(Or((above, IsNull(C))), made.files, made.columns)[0]
    assert not surely_true(Comparison(">", C, Literal(1.5, DOUBLE)), made.files, made.columns)[0]
