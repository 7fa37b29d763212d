"""Partition values: texts of the log, Python values, Arrow columns, folders."""

import datetime
import math
from decimal import Decimal

import pyarrow as pa
import pytest

from puredelta.errors import DeltaAnalysisError, DeltaRuntimeError
from puredelta.log.actions import AddFile
from puredelta.log.files import files_table
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
    StructField,
    StructType,
)
from puredelta.table.partition_values import (
    partition_folder,
    plain_from_text,
    text_from_value,
    typed_column,
    typed_partitions,
    value_from_text,
    values_from_folder,
)

UTC = datetime.timezone.utc
WALL = datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC).replace(tzinfo=None)

# Texts as the reference writes them.
VALUES = [
    (STRING, "a b/c:d=e%f", "a b/c:d=e%f"),
    (STRING, "日本", "日本"),
    (STRING, " ", " "),
    (BOOLEAN, "true", True),
    (BOOLEAN, "false", False),
    (BYTE, "-128", -128),
    (SHORT, "32767", 32767),
    (INTEGER, "0", 0),
    (LONG, "-9223372036854775808", -(2**63)),
    (FLOAT, "0.1", 0.10000000149011612),
    (FLOAT, "1.0E10", 1e10),
    (DOUBLE, "1.23456789E8", 123456789.0),
    (DOUBLE, "-Infinity", -math.inf),
    (DecimalType(10, 2), "1.50", Decimal("1.50")),
    (DecimalType(38, 18), "0.000000000000000001", Decimal("1E-18")),
    (DATE, "2024-01-02", datetime.date(2024, 1, 2)),
    (DATE, "0001-01-01", datetime.date(1, 1, 1)),
    (BINARY, "abc", b"abc"),
    (
        TIMESTAMP,
        "2024-01-02T03:04:05.100000Z",
        datetime.datetime(2024, 1, 2, 3, 4, 5, 100_000, UTC),
    ),
    (TIMESTAMP, "0001-01-01T00:00:00.000000Z", datetime.datetime(1, 1, 1, tzinfo=UTC)),
    (TIMESTAMP_NTZ, "2024-01-02 03:04:05.1", WALL.replace(microsecond=100_000)),
    (TIMESTAMP_NTZ, "2024-01-02 03:04:05", WALL),
    (
        TIMESTAMP_NTZ,
        "2024-01-02 00:00:00.000001",
        WALL.replace(hour=0, minute=0, second=0, microsecond=1),
    ),
]


@pytest.mark.parametrize(("kind", "text", "value"), VALUES)
def test_value_is_read_and_written_as_the_reference_does(kind, text, value):
    assert value_from_text(text, kind) == value
    assert text_from_value(value, kind) == text


@pytest.mark.parametrize("kind", [STRING, INTEGER, DATE, BINARY])
@pytest.mark.parametrize("text", [None, ""])
def test_null_and_the_empty_text_are_null(kind, text):
    assert value_from_text(text, kind) is None


def test_null_and_empty_values_are_null():
    assert text_from_value(None, STRING) is None
    assert text_from_value("", STRING) is None


def test_nan_is_a_value():
    assert math.isnan(value_from_text("NaN", DOUBLE))
    assert text_from_value(math.nan, DOUBLE) == "NaN"


def test_older_form_of_timestamps_depends_on_the_writers_zone():
    expected = datetime.datetime(2024, 1, 2, 8, 4, 5, 100_000, UTC)

    assert value_from_text("2024-01-02 03:04:05.1", TIMESTAMP, "America/New_York") == expected
    assert value_from_text("2024-01-02T08:04:05.1Z", TIMESTAMP, "America/New_York") == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x", INTEGER),
        ("128", BYTE),
        ("1.5", LONG),
        ("yes", BOOLEAN),
        ("2024-02-30", DATE),
        ("-0001-01-01", DATE),
        ("now", TIMESTAMP),
        ("123.45", DecimalType(4, 2)),
        ("NaN", DecimalType(4, 2)),
        ("1,5", DOUBLE),
    ],
)
def test_text_that_is_no_value_is_refused(text, kind):
    with pytest.raises(DeltaRuntimeError) as raised:
        value_from_text(text, kind)

    assert raised.value.condition == "DELTA_FAILED_CAST_PARTITION_VALUE"
    assert raised.value.parameters["value"] == text


@pytest.mark.parametrize(("kind", "text", "value"), VALUES)
def test_arrow_columns_hold_the_same_values(kind, text, value):
    column = typed_column(pa.array([text, None, "", text]), kind)

    found = column.to_pylist()
    assert found[1:3] == [None, None]
    assert found[0] == found[3]
    assert found[0] == value


def test_arrow_columns_reach_years_that_python_does_not():
    column = typed_column(pa.array(["-0001-01-01", "+10000-01-01"]), DATE)

    assert column.cast(pa.int32()).to_pylist() == [-719893, 2932897]


def test_partitions_of_files_become_typed_columns():
    schema = StructType((StructField("a", LONG), StructField("P", INTEGER), StructField("d", DATE)))
    files = files_table(
        [
            AddFile(
                path=f"{number}",
                partition_values={"P": value, "d": "2024-01-02"},
                size=1,
                modification_time=1,
                data_change=True,
            )
            for number, value in enumerate(["1", None, "1"])
        ]
    )

    found = typed_partitions(files, schema, ["P", "d"])

    assert found.column_names == ["P", "d"]
    assert found["P"].to_pylist() == [1, None, 1]
    assert found["d"].type == pa.date32()
    assert typed_partitions(files.slice(0, 0), schema, ["P"]).num_rows == 0


def test_folders_are_named_as_hive_does():
    values = {"a": "x/y:1", "b": None, "c": "ü"}

    assert partition_folder(values, ["a", "b", "c"]) == (
        "a=x%2Fy%3A1/b=__HIVE_DEFAULT_PARTITION__/c=ü"
    )
    assert partition_folder({}, []) == ""


def test_folders_tell_the_values():
    schema = StructType((StructField("A", STRING), StructField("t", TIMESTAMP)))

    found = values_from_folder(
        "A=x%2Fy%3A1/t=2024-01-02 03%3A04%3A05.1", schema, ["A", "t"], "America/New_York"
    )

    assert found == {"A": "x/y:1", "t": "2024-01-02T08:04:05.100000Z"}
    assert values_from_folder("A=__HIVE_DEFAULT_PARTITION__/t=", schema, ["A", "t"]) == {
        "A": None,
        "t": None,
    }


@pytest.mark.parametrize("folder", ["", "b=1", "a=1/b=2", "data"])
def test_folder_of_other_columns_is_refused(folder):
    with pytest.raises(DeltaAnalysisError) as raised:
        values_from_folder(folder, StructType((StructField("a", STRING),)), ["a"])

    assert raised.value.condition == "DELTA_INVALID_PARTITION_PATH"


@pytest.mark.parametrize(("text", "expected"), [("1e-999999999", 0), ("0e-999999999", 0)])
def test_decimal_far_below_its_last_digit_is_none(text, expected):
    assert value_from_text(text, DecimalType(10, 2)) == expected


@pytest.mark.parametrize("text", ["1e999999999", "-1e999999999", "1e39"])
def test_decimal_with_more_digits_than_fit_in_memory_is_refused(text):
    with pytest.raises(DeltaRuntimeError, match="is no decimal"):
        value_from_text(text, DecimalType(10, 2))


def test_integer_of_thousands_of_digits_is_no_value():
    with pytest.raises(DeltaRuntimeError):
        plain_from_text("9" * 5000, INTEGER)


@pytest.mark.parametrize(("text", "number"), [("-007", -7), ("+" + "0" * 5000 + "3", 3), ("0", 0)])
def test_integer_with_sign_and_zeros_in_front_is_read(text, number):
    assert plain_from_text(text, INTEGER) == number


@pytest.mark.parametrize(
    ("data_type", "text"),
    [
        (DATE, "\u0662024-01-01"),
        (DATE, "-9999999-01-01"),
        (DecimalType(10, 2), "1_000"),
        (TIMESTAMP, "294248-01-01 00:00:00"),
        (TIMESTAMP_NTZ, "-300000-01-01 00:00:00"),
    ],
)
def test_value_that_spark_does_not_read_is_refused(data_type, text):
    with pytest.raises(DeltaRuntimeError) as caught:
        typed_column(pa.array([text]), data_type)
    assert caught.value.condition == "DELTA_FAILED_CAST_PARTITION_VALUE"
