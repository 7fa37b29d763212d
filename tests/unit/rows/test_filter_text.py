"""Filters as text: which rows are kept, which files are skipped, what is refused."""

import pyarrow as pa
import pytest

from puredelta.errors import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.rows.filters import read_filter, text_filter
from puredelta.schema.datatypes import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    StructField,
    StructType,
)
from puredelta.table.skipping.predicate import (
    UNKNOWN,
    And,
    CastValue,
    Column,
    Comparison,
    In,
    IsNull,
    Literal,
    Not,
    Or,
    StartsWith,
)

CHAR = {"__CHAR_VARCHAR_TYPE_STRING": "char(3)"}
SCHEMA = StructType(
    (
        StructField("id", INTEGER),
        StructField("name", STRING),
        StructField("share", DOUBLE),
        StructField("f", FLOAT),
        StructField("price", DecimalType(5, 2)),
        StructField("day", DATE),
        StructField("at", TIMESTAMP),
        StructField("is_old", BOOLEAN),
        StructField("code", STRING, metadata=CHAR),
        StructField("Odd Name", INTEGER),
        StructField("place", StructType((StructField("city", STRING),))),
        StructField("tags", ArrayType(STRING)),
    )
)
ROWS = pa.table(
    {
        "id": pa.array([1, 2, 3, None], pa.int32()),
        "name": ["a", None, "b%", "ab"],
        "share": [float("nan"), 1.0, None, -1.0],
        "place": [{"city": "x"}, None, {"city": None}, {"city": "y"}],
        "is_old": [True, False, None, True],
        "code": ["a  ", "abc", None, "   "],
    }
)
ID = Column(("id",))


def positions(text):
    """Return the positions of the rows that are kept, from 1 on."""
    rows = ROWS.append_column("at position", pa.array([1, 2, 3, 4]))
    return rows.filter(read_filter(text, SCHEMA).expression)["at position"].to_pylist()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("id = 1", [1]),
        ("ID >= 2", [2, 3]),
        ("NOT id = 1", [2, 3]),
        ("id < 2.5", [1, 2]),
        ("id IN (1, 3, NULL)", [1, 3]),
        ("id NOT IN (1, 3)", [2]),
        ("id NOT IN (1, NULL)", []),
        ("id NOT IN (1.5)", [1, 2, 3]),
        ("id <=> NULL", [4]),
        ("NOT id <=> 1", [2, 3, 4]),
        ("id IS NULL OR name = 'a'", [1, 4]),
        ("id = 2 AND name = 'a'", []),
        ("NOT (id = 1 AND name = 'z')", [1, 2, 3, 4]),
        ("name LIKE 'a%'", [1, 4]),
        (r"name LIKE 'b\%'", [3]),
        ("name LIKE '_b'", [4]),
        ("name NOT LIKE 'a%'", [3]),
        ("share > 0", [1, 2]),
        ("share = 'NaN'", [1]),
        ("share <= 1", [2, 4]),
        ("place.city = 'x'", [1]),
        ("place.city IS NULL", [2, 3]),
        ("is_old", [1, 4]),
        ("NOT is_old", [2]),
        ("is_old IS NOT TRUE", [2, 3]),
        ("(id > 1) IS UNKNOWN", [4]),
        ("code = 'a'", [1]),
        ("code = ''", [4]),
        ("code IN ('a', 'abc    ')", [1, 2]),
        ("true", [1, 2, 3, 4]),
        ("id BETWEEN 2 AND 3", [2, 3]),
    ],
)
def test_rows_that_are_kept(text, kept):
    assert positions(text) == kept


def compared(sign, plain, name="id", kind=INTEGER):
    return Comparison(sign, Column((name,)), Literal(plain, kind))


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("id >= 3", compared(">=", 3)),
        ("3 > id", compared("<", 3)),
        ("id < 2.5", compared("<=", 2)),
        ("id > 2.5", compared(">=", 3)),
        ("id > 3000000000", compared("<", -(2**31))),
        ("id IN (1, 2.5, NULL)", In(ID, (1,), INTEGER, has_null=True)),
        ("id IS NULL", IsNull(ID)),
        ("NOT id = 1 AND id = 2", And((Not(compared("=", 1)), compared("=", 2)))),
        ("id = 1 OR id = 2", Or((compared("=", 1), compared("=", 2)))),
        ("price = 1.5", compared("=", 150, "price", DecimalType(5, 2))),
        ("price > 1.505", compared(">=", 151, "price", DecimalType(5, 2))),
        ("day = '1970-01-03'", compared("=", 2, "day", DATE)),
        ("at > '1970-01-01 00:00:01'", compared(">", 1_000_000, "at", TIMESTAMP)),
        ("name LIKE 'ab%'", StartsWith(Column(("name",)), "ab")),
        ("name LIKE 'ab%c'", And((StartsWith(Column(("name",)), "ab"), UNKNOWN))),
        ("name LIKE '%c'", UNKNOWN),
        ("share = 'NaN'", UNKNOWN),
        ("code = 'a'", UNKNOWN),
        ("name = ''", UNKNOWN),
        (
            "f > 0.1",
            Comparison(">", CastValue(Column(("f",)), DOUBLE), Literal(0.1, DOUBLE)),
        ),
        ("place.city = 'x'", Comparison("=", Column(("place", "city")), Literal("x", STRING))),
    ],
)
def test_what_statistics_are_asked(text, condition):
    assert read_filter(text, SCHEMA).condition == condition


def test_columns_are_those_of_the_schema():
    found = read_filter("`odd name` = ID AND place.city = 'x'", SCHEMA)

    assert found.columns == ("Odd Name", "id", "place")


def test_zone_of_timestamps_without_one():
    found = text_filter("at = '1970-01-01 01:00:00'", SCHEMA, "Europe/Oslo")

    assert found.condition == compared("=", 0, "at", TIMESTAMP)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a column is missing"),
        ("id", "id is an int, and needs a comparison"),
        ("id = NO", "there is no column NO, and a text has to be in quotes: 'NO'"),
        ("day >= 2024-05-01", "has to be in quotes"),
        ("id + 1 > 3", r"a comparison of id is expected in place of '\+'"),
        ("id+1 > 3", "arithmetic is not known"),
        ("upper(name) = 'A'", r"upper\(...\) is a function"),
        ("name = 1", "name is a string, and 1 has to be in quotes"),
        ("id = 'x'", "id is an int, and 'x' is none"),
        ("id = '1.5'", "id is an int, and '1.5' is none"),
        ("id = true", "id is a number, and 'true' is none"),
        ("id = DATE '2024-05-01'", "id is a number"),
        ("day = '2024-13-01'", "day is a date, and '2024-13-01' is none"),
        ("day = TIMESTAMP '2024-05-01 10:00:00'", "compare it with DATE"),
        ("is_old = 1", "is_old is a boolean, and '1' is none"),
        ("tags = 'x'", "tags is an array<string>, which is compared with NULL alone"),
        ("id = name", r"id \(int\) and name \(string\) cannot be compared"),
        ("1 = 1", "1 and 1 are no columns"),
        ("1 IN (1)", "a column is expected in place of '1'"),
        ("id LIKE '1%'", "id is an int, and LIKE is for texts"),
        (r"name LIKE 'a\\b'", "escapes %, _ and itself alone"),
        ("name LIKE 'a%' ESCAPE '!!'", "ESCAPE has one character"),
        ("name LIKE prefix", "a pattern in quotes is expected"),
        ("id = 1e999999999", "too many digits"),
        ("id = " + "1" * 5000, "too many digits"),
        ("id = 1 AND", "a column is missing at the end"),
        ("(id = 1", "is expected before the end"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_reason(text, said):
    with pytest.raises(DeltaIllegalArgumentError, match=said) as refused:
        read_filter(text, SCHEMA)

    assert refused.value.condition == "PUREDELTA_FILTER_TEXT_INVALID"
    assert "pyarrow.compute" in refused.value.message


def test_column_that_is_not_there():
    with pytest.raises(DeltaAnalysisError) as refused:
        read_filter("nme = 'a'", SCHEMA)

    assert refused.value.condition == "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"
