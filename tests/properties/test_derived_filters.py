"""Derived filters never lose a row: where a filter holds, so does all that follows from it."""

import re
import sqlite3

import numpy as np
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from puredelta.schema.datatypes import (
    BYTE,
    DATE,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DecimalType,
    StructField,
    StructType,
)
from puredelta.table.generated_filters.derive import Derivation
from puredelta.table.generated_filters.expressions import Call, Cast
from puredelta.table.skipping.predicate import (
    OPERATORS,
    And,
    CastValue,
    Column,
    Comparison,
    In,
    IsNull,
    IsTrue,
    Literal,
    Not,
    Or,
    StartsWith,
    YearValue,
)
from puredelta.table.statistics.datetime_text import days_from_text, micros_from_text
from tests.properties.generation_model import DAY, HOUR, generated, wall
from tests.properties.generation_model import instant as instant_of
from tests.properties.test_skipping import Row, outcome

ZONES = [
    "UTC",
    "America/New_York",
    "America/St_Johns",
    "America/Juneau",
    "America/Sao_Paulo",
    "Asia/Kathmandu",
    "Asia/Manila",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Kiritimati",
    "+18:00",
    "-18:00",
]
TIMES = (DATE, TIMESTAMP, TIMESTAMP_NTZ)
C = Column(("c",))
DEC, NARROW, WIDE = DecimalType(8, 3), DecimalType(4, 1), DecimalType(20, 5)

OF_TIMES = [
    Cast(C, DATE),
    Cast(C, TIMESTAMP),
    Cast(C, TIMESTAMP_NTZ),
    Call("year", Cast(C, DATE)),
    Call("month", Cast(C, DATE)),
    Call("day", Cast(C, DATE)),
    Call("hour", C),
    Call("trunc", Cast(C, DATE), ("WEEK",)),
    Call("trunc", Cast(C, DATE), ("MM",)),
    Call("trunc", Cast(C, DATE), ("QUARTER",)),
    *(
        Call("date_trunc", Cast(C, TIMESTAMP), (unit,))
        for unit in ("SECOND", "HOUR", "DAY", "WEEK", "QUARTER", "YEAR")
    ),
    *(
        Call("date_format", Cast(C, TIMESTAMP), (pattern,))
        for pattern in ("yyyy", "yyyy-MM", "yyyyMMdd", "yyyy-MM-dd", "yyyy-MM-dd-HH")
    ),
    Call("date_format", Cast(Cast(C, DATE), TIMESTAMP), ("yyyy-MM-dd-HH",)),
    Call("trunc", Cast(Call("date_trunc", Cast(C, TIMESTAMP), ("DAY",)), DATE), ("MM",)),
]
OF_TEXTS = [
    C,
    Cast(C, DATE),
    Call("trunc", Cast(C, DATE), ("MM",)),
    *(
        Call("substring", C, arguments)
        for arguments in ((0, 1), (1, 1), (1, 3), (2, 2), (-2, 1), (-3, 9), (1, 0), (1, -1))
    ),
]
FORMS = {
    DATE: [C, *OF_TIMES],
    TIMESTAMP: [C, *OF_TIMES],
    TIMESTAMP_NTZ: [C, *OF_TIMES],
    STRING: OF_TEXTS,
    INTEGER: [C, *(Cast(C, to) for to in (BYTE, SHORT, LONG, NARROW, WIDE))],
    DEC: [C, *(Cast(C, to) for to in (BYTE, INTEGER, NARROW, WIDE))],
}

# Around what is special: the epoch, clock changes, leap days, the first and last years, BC.
DAYS = [
    days_from_text(text)
    for text in (
        "1970-01-01", "1969-12-31", "2024-02-29", "2024-03-10", "2024-11-03", "2011-12-30",
        "1892-07-05", "1867-10-18", "1844-12-31", "1582-10-10", "1583-01-01", "0001-01-01",
        "-0044-03-15", "9999-12-31", "+10000-01-01", "+12345-06-07", "2018-11-04",
    )
]  # fmt: skip
days = st.builds(int.__add__, st.sampled_from(DAYS), st.integers(-3, 3) | st.integers(-400, 400))
micros = st.builds(
    lambda day, hours, rest: day * DAY + hours * HOUR // 2 + rest,
    days,
    st.integers(-30, 60),
    st.integers(-1, 1) | st.integers(0, HOUR),
)
texts = st.text(st.sampled_from("ab0-é€𝄞\ue000'\\$%"), max_size=5) | days.map(
    lambda day: str(np.datetime64(day, "D"))
)
VALUES = {
    DATE: days,
    TIMESTAMP: micros,
    TIMESTAMP_NTZ: micros,
    STRING: texts,
    INTEGER: st.integers(-300, 300) | st.integers(-(2**31), 2**31 - 1),
    DEC: st.integers(-30_000, 30_000) | st.integers(1 - 10**8, 10**8 - 1),
}
NEAR = {
    DATE: st.integers(-40, 40),
    TIMESTAMP: st.integers(-1, 1) | st.integers(-50, 50).map(lambda hours: hours * HOUR),
    TIMESTAMP_NTZ: st.integers(-1, 1) | st.integers(-50, 50).map(lambda hours: hours * HOUR),
    INTEGER: st.integers(-2, 2),
    DEC: st.integers(-900, 900),
}


def near(value, data_type):
    """Constants that conditions compare with a value: often about the same."""
    if value is None:
        return VALUES[data_type]
    if data_type == STRING:
        return st.just(value) | st.integers(0, 5).map(lambda size: value[:size]) | texts
    return NEAR[data_type].map(lambda distance: value + distance) | VALUES[data_type]


@st.composite
def leaves(draw, value, data_type, zone):
    """Conditions on the column, some of which are true."""
    operand, kind, found = C, data_type, value
    if data_type in TIMES and draw(st.booleans()):
        kind = draw(st.sampled_from(TIMES))
        operand = CastValue(C, kind, in_utc=zone == "UTC")
        found = (
            None
            if value is None
            else Reading({("c",): value}, {("c",): data_type}, zone).cast(value, data_type, kind)
        )
    choice = draw(st.sampled_from(["compare", "compare", "in", "null", "starts", "year"]))
    if choice == "null":
        return IsNull(operand)
    if choice == "starts" and kind == STRING:
        return StartsWith(operand, draw(near(found, STRING)))
    if choice == "year" and kind == DATE:
        literal = draw(st.sampled_from([1970, 1969, 2024, 2023, 2012, 0, 10000, -44]))
        return Comparison(
            draw(st.sampled_from(OPERATORS)), YearValue(operand), Literal(literal, INTEGER)
        )
    if choice == "in":
        listed = draw(st.lists(near(found, kind), min_size=1, max_size=4))
        return In(operand, tuple(listed), kind, draw(st.booleans()))
    sides = [operand, Literal(draw(near(found, kind)), kind)]
    if draw(st.booleans()):
        sides.reverse()
    return Comparison(draw(st.sampled_from(OPERATORS)), *sides)


def conditions(value, data_type, zone):
    leaf = leaves(value, data_type, zone)
    return leaf | st.recursive(
        leaf,
        lambda inner: st.one_of(
            inner.map(Not),
            inner.map(IsTrue),
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: And(tuple(parts))),
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: Or(tuple(parts))),
        ),
        max_leaves=4,
    )


@settings(max_examples=250, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.sampled_from(list(FORMS)), st.sampled_from(ZONES), st.sampled_from(ZONES))
def test_what_is_derived_holds_for_every_row_that_is_wanted(data, data_type, writer, reader):
    value = data.draw(st.none() | VALUES[data_type])
    condition = data.draw(conditions(value, data_type, reader))
    row = Reading({("c",): value}, {("c",): data_type}, reader)
    if outcome(condition, row) != {True}:
        event("not wanted")
        return
    event("wanted")
    exact = data.draw(st.booleans())
    partition = [
        stored(generated(form, value, data_type, writer), writer, reader, exact=exact)
        for form in FORMS[data_type]
    ]

    found = derivation(data_type).derived(condition)

    event("derived" if found else "nothing derived")
    for text in found:
        assert holds(text, partition), (text, partition)


def derivation(data_type):
    """What is derived where a column partitions a table by all forms that it has."""
    forms = FORMS[data_type]
    fields = [
        StructField(f"p{place}", generated(form, None, data_type, "UTC")[1])
        for place, form in enumerate(forms)
    ]
    schema = StructType((StructField("c", data_type), *fields))
    texts = [(field, field.name) for field in fields]
    return Derivation.over(schema, texts, lambda text, _: forms[int(text[1:])])


def stored(found, writer, reader, *, exact):
    """A partition value as it is read back: older writers left out the zone of times."""
    value, data_type = found
    if data_type == TIMESTAMP and value is not None and not exact:
        return instant_of(wall(value, writer), reader)
    return None if value == "" else value


def holds(text, partition):
    """Evaluate a derived condition; anything but true leaves the partition out."""
    text = re.sub(r"DATE '([^']*)'", lambda found: str(days_from_text(found[1])), text)
    text = re.sub(
        r"TIMESTAMP(?:_NTZ)? '([^']*?)Z?'", lambda found: str(micros_from_text(found[1])), text
    )
    text = re.sub(r"(?<![\d.'])(-?\d+)\.(\d{1,5})(?![\d'])", decimal, text)
    text = text.replace("AS STRING)", "AS TEXT)")
    names = ", ".join(f"? AS `p{place}`" for place in range(len(partition)))
    with sqlite3.connect(":memory:") as base:
        return base.execute(f"SELECT ({text}) FROM (SELECT {names})", partition).fetchone()[0] == 1


def decimal(found):
    """Turn a decimal back into the whole number that the model has."""
    return found[1] + found[2]


class Reading(Row):
    """A row as a session reads it; years may be any."""

    def value(self, operand):
        if isinstance(operand, YearValue):
            days = self.value(operand.operand)[0]
            if days is None:
                return None, INTEGER
            year = np.datetime64(days, "D").astype("datetime64[Y]").astype(np.int64)
            return int(year) + 1970, INTEGER
        return super().value(operand)
