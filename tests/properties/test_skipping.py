"""Skipping never drops a row: what holds for a row of a file, the file's verdict allows for."""

import math
from decimal import Context, Decimal

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from puredelta.schema.datatypes import (
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DecimalType,
)
from puredelta.table.skipping.evaluate import evaluate
from puredelta.table.skipping.predicate import (
    OPERATORS,
    And,
    CastValue,
    Column,
    Comparison,
    Constant,
    In,
    IsNull,
    IsTrue,
    Literal,
    Not,
    Or,
    StartsWith,
    Unknown,
    YearValue,
)
from puredelta.table.statistics.datetime_text import zone_shift
from tests.properties.skipping_strategies import DAY, ZONES, casts, conditions, one_column, tables

WIDE = Context(prec=80)
ANY = {True, False, None}


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data(), tables(), st.sampled_from(ZONES))
def test_a_verdict_allows_for_every_row(data, made, zone):
    condition = data.draw(conditions(made))

    found = evaluate(condition, made.files, made.columns)

    check(condition, found, made, zone)


@given(st.data(), casts(), st.sampled_from(ZONES), st.sampled_from(OPERATORS))
def test_a_cast_keeps_its_bounds(data, cast, zone, operator):
    made, target = cast
    operand = CastValue(Column(("c",)), target, in_utc=zone == "UTC")
    row = data.draw(st.sampled_from(made.rows[0]))
    edge = Row(row, made.types, zone).value(operand)[0]
    condition = Comparison(operator, operand, Literal(edge, target))

    check(condition, evaluate(condition, made.files, made.columns), made, zone)


@given(st.lists(st.dates(), min_size=1, max_size=4), st.integers(0, 3), st.sampled_from(OPERATORS))
def test_a_year_keeps_its_bounds(dates, place, operator):
    made = one_column(DATE, dates)
    year = Literal(dates[place % len(dates)].year, INTEGER)
    condition = Comparison(operator, YearValue(Column(("c",))), year)

    check(condition, evaluate(condition, made.files, made.columns), made, "UTC")


def check(condition, found, made, zone):
    """Compare what a verdict allows for with what each row makes of the condition."""
    for place, rows in enumerate(made.rows):
        allowed = {
            value
            for value, mask in (
                (True, found.may_be_true),
                (False, found.may_be_false),
                (None, found.may_be_null),
            )
            if mask[place]
        }
        for row in rows:
            assert outcome(condition, Row(row, made.types, zone)) <= allowed


class Row:
    """A row, to evaluate conditions for."""

    def __init__(self, values, types, zone):
        self.values, self.types, self.zone = values, types, zone

    def value(self, operand):
        """The plain value and the type of an operand."""
        match operand:
            case Column(path):
                return self.values[path], self.types.get(path)
            case Literal(value, data_type):
                return value, data_type
            case YearValue(inner):
                day = np.datetime64(self.value(inner)[0], "D").item()
                return day.year, INTEGER
            case CastValue(inner, data_type):
                value, source = self.value(inner)
                return None if value is None else self.cast(value, source, data_type), data_type

    def cast(self, value, source, target):
        """Cast as Spark does."""
        if source in (DATE, TIMESTAMP, TIMESTAMP_NTZ):
            return self.moved(value * DAY if source == DATE else value, source, target)
        if isinstance(source, DecimalType):
            return value * 10 ** (target.scale - source.scale)
        if isinstance(target, DecimalType):
            return value * 10**target.scale
        if target == FLOAT:
            return float(np.float32(value))
        return float(value) if target == DOUBLE else value

    def moved(self, micros, source, target):
        """Cast between dates and points in time."""
        if source == TIMESTAMP and target != TIMESTAMP:
            micros = local(micros, self.zone)
        if target == TIMESTAMP and source != TIMESTAMP:
            micros -= zone_shift(self.zone, micros) * 1_000_000
        return micros // DAY if target == DATE else micros


def local(micros, zone):
    """The wall clock of a zone at a point in time."""
    for shift in sorted(
        {zone_shift(zone, micros + hours * 3_600_000_000) for hours in range(-26, 27)}
    ):
        wall = micros + shift * 1_000_000
        if wall - zone_shift(zone, wall) * 1_000_000 == micros:
            return wall
    return micros


def outcome(condition, row):
    """What a condition can be for a row: one of true, false and null, or all for the unknown."""
    match condition:
        case Unknown():
            return ANY
        case IsNull(Column() | Literal() | CastValue() as operand):
            return {row.value(operand)[0] is None}
        case IsNull(of):
            return {one is None for one in outcome(of, row)}
        case IsTrue(of):
            return {one is True for one in outcome(of, row)}
        case Not(of):
            return {None if one is None else not one for one in outcome(of, row)}
        case And(parts) | Or(parts):
            final = isinstance(condition, Or)
            return joined([outcome(part, row) for part in parts], final=final)
    return {answer(condition, row)}


def answer(condition, row):
    """What a condition without others in it is for a row."""
    match condition:
        case Constant(value):
            return value
        case Comparison(operator, left, right):
            return compared(operator, row.value(left), row.value(right))
        case In(operand, values, data_type, has_null):
            return contained(row.value(operand), values, data_type, has_null=has_null)
        case StartsWith(operand, prefix):
            text = row.value(operand)[0]
            return None if text is None else text.encode().startswith(prefix.encode())


def joined(outcomes, *, final):
    """Join conditions of which one decides when it is `final`."""
    found = {not final}
    for some in outcomes:
        found = {joint(left, right, final) for left in found for right in some}
    return found


def joint(left, right, final):
    """Join two of them."""
    if final in (left, right) and (left is final or right is final):
        return final
    return None if left is None or right is None else not final


def compared(operator, left, right):
    """Compare two plain values."""
    if operator == "<=>":
        if left[0] is None or right[0] is None:
            return left[0] is right[0]
        return ordered(*left) == ordered(*right)
    if left[0] is None or right[0] is None:
        return None
    a, b = ordered(*left), ordered(*right)
    return {
        "=": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b
    }[operator]  # fmt: skip


def contained(value, values, data_type, *, has_null):
    """Look a value up in a list."""
    if value[0] is None:
        return None
    if any(ordered(*value) == ordered(one, data_type) for one in values):
        return True
    return None if has_null else False


def ordered(value, data_type):
    """A key that has Spark's order."""
    if data_type in (FLOAT, DOUBLE):
        return (1, 0.0) if math.isnan(value) else (0, value)
    if isinstance(data_type, DecimalType):
        return Decimal(value).scaleb(-data_type.scale, WIDE)
    return value.encode() if data_type == STRING else value
