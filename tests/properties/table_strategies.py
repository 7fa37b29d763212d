"""What tests of tables are made of at random: types, values, files and commits."""

import datetime
import math
import struct
from decimal import Decimal

from hypothesis import strategies as st

from puredelta.log.actions import AddFile, RemoveFile
from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DecimalType,
)

_BITS = {BYTE: 8, SHORT: 16, INTEGER: 32, LONG: 64}
# The years that Python knows, but for a day that the zone may shift.
_FIRST, _LAST = (datetime.datetime.fromisoformat(text) for text in ("0001-01-02", "9999-12-30"))


def decimal_types():
    """Decimals of every physical width in Parquet."""
    return st.integers(1, 38).flatmap(
        lambda precision: st.builds(DecimalType, st.just(precision), st.integers(0, precision))
    )


def ordered_types():
    """Types whose columns have bounds."""
    plain = [BYTE, SHORT, INTEGER, LONG, FLOAT, DOUBLE, STRING, DATE, TIMESTAMP, TIMESTAMP_NTZ]
    return st.one_of(st.sampled_from(plain), decimal_types())


def partition_types():
    """Types that can partition a table."""
    return st.one_of(ordered_types(), st.sampled_from([BOOLEAN, BINARY]))


def texts():
    """Texts that can be stored: no lone surrogates. Long ones, and ends of the alphabet too."""
    characters = st.characters(exclude_categories=["Cs"])
    likely = st.sampled_from(["a", "\x7e", "\x7f", "é", "\uffff", "😀", "\U0010ffff"])
    return st.text(st.one_of(characters, likely), max_size=80)


def values(data_type):
    """Python values of a type, as Arrow gives them back."""
    if isinstance(data_type, DecimalType):
        limit = 10**data_type.precision - 1
        unscaled = st.integers(-limit, limit)
        return unscaled.map(lambda number: decimal_of(number, data_type.scale))
    if data_type in _BITS:
        edge = 2 ** (_BITS[data_type] - 1)
        return st.integers(-edge, edge - 1)
    times = st.datetimes(_FIRST, _LAST)
    return {
        BOOLEAN: st.booleans(),
        BINARY: st.binary(max_size=20),
        DATE: st.dates(),
        DOUBLE: st.floats(),
        FLOAT: st.floats(width=32),
        STRING: texts(),
        TIMESTAMP: times.map(lambda time: time.replace(tzinfo=datetime.timezone.utc)),
        TIMESTAMP_NTZ: times,
    }[data_type]


def typed_values(types):
    """A type and a value of it."""
    return types.flatmap(lambda found: st.tuples(st.just(found), values(found)))


def columns(types, *, max_size=30):
    """A type and a list of values of it, nulls among them."""
    return types.flatmap(
        lambda found: st.tuples(
            st.just(found), st.lists(st.none() | values(found), max_size=max_size)
        )
    )


def decimal_of(unscaled, scale):
    """Make a decimal of exactly this scale, whatever its length."""
    return Decimal((unscaled < 0, tuple(map(int, str(abs(unscaled)))), -scale))


def same_number(left, right):
    """Compare values so that NaN is itself and zeros keep their signs."""
    if isinstance(left, float) and isinstance(right, float):
        return (math.isnan(left) and math.isnan(right)) or (
            struct.pack("<d", left) == struct.pack("<d", right)
        )
    return left == right


def file_changes(max_size=6):
    """Commits over a few files in a few partitions: (name, partition) to add and to remove."""
    files = st.tuples(st.integers(0, 7), st.sampled_from(["1", "2", None]))
    return st.tuples(
        st.lists(files, max_size=max_size, unique=True),
        st.lists(files, max_size=max_size, unique=True),
    )


def add_of(name, p):
    """A file that joins, named so that its partition shows."""
    return AddFile(
        path=f"{name}-{p}.parquet",
        partition_values={"p": p},
        size=1,
        modification_time=1,
        data_change=True,
    )


def remove_of(name, p):
    """The same file as it leaves."""
    return RemoveFile(
        path=f"{name}-{p}.parquet",
        deletion_timestamp=1,
        data_change=True,
        extended_file_metadata=True,
        partition_values={"p": p},
        size=1,
    )
