"""What statistics allow a condition to be, where writers and types have their ways."""

import json
import math

import numpy as np
import pytest

from puredelta.log.actions import AddFile
from puredelta.log.files import files_table
from puredelta.schema.datatypes import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DecimalType,
    StructField,
    StructType,
)
from puredelta.table.skipping.columns import StatsColumns
from puredelta.table.skipping.evaluate import evaluate
from puredelta.table.skipping.predicate import (
    And,
    CastValue,
    Column,
    Comparison,
    Constant,
    In,
    IsNull,
    Literal,
    Not,
    Or,
    StartsWith,
    Unknown,
)

NINE = 1_577_955_600_123_456  # 2020-01-02 09:00:00.123456


def judged(condition, data_type, *files, metadata=None, partition_columns=()):
    """Judge a condition on a column `c` of files with these statistics or partition values."""
    schema = StructType((StructField("c", data_type, metadata=metadata or {}),))
    found = evaluate(condition, table_of(*files), StatsColumns(schema, partition_columns))
    masks = (found.may_be_true, found.may_be_false, found.may_be_null)
    letters = [np.where(mask, letter, "") for mask, letter in zip(masks, "TFN", strict=True)]
    return ["".join(parts) for parts in zip(*letters, strict=True)]


def table_of(*files):
    return files_table([add(number, told) for number, told in enumerate(files)])


def add(number, told):
    values = told.get("partition") if told else None
    return AddFile(
        path=f"f{number}",
        partition_values=values or {},
        size=1,
        modification_time=1,
        data_change=True,
        stats=None if told is None or values else json.dumps(told),
    )


def stats(least=None, greatest=None, nulls=0, rows=10, **more):
    return {
        "numRecords": rows,
        "minValues": {} if least is None else {"c": least},
        "maxValues": {} if greatest is None else {"c": greatest},
        "nullCount": {"c": nulls},
        **more,
    }


def c(operator, value, data_type):
    return Comparison(operator, Column(("c",)), Literal(value, data_type))


@pytest.mark.parametrize(
    ("operator", "wanted"),
    [
        ("=", ["T", "F", "TF", "F", "TF", "TF"]),
        ("!=", ["F", "T", "TF", "T", "TF", "TF"]),
        ("<", ["F", "T", "TF", "F", "TF", "F"]),
        ("<=", ["T", "T", "TF", "F", "T", "TF"]),
        (">", ["F", "F", "TF", "T", "F", "TF"]),
        (">=", ["T", "F", "TF", "T", "TF", "T"]),
    ],
)
def test_comparison_with_bounds(operator, wanted):
    files = [stats(5, 5), stats(1, 4), stats(1, 9), stats(6, 9), stats(1, 5), stats(5, 9)]

    assert judged(c(operator, 5, LONG), LONG, *files) == wanted


def test_sides_may_change_places():
    mirrored = Comparison("<", Literal(5, LONG), Column(("c",)))

    assert judged(mirrored, LONG, stats(1, 5), stats(1, 6)) == ["F", "TF"]


def test_nothing_is_known_without_statistics():
    files = [None, {}, {"numRecords": 10}]

    assert judged(c("=", 5, LONG), LONG, *files) == ["TFN"] * 3
    assert judged(IsNull(Column(("c",))), LONG, *files) == ["TF"] * 3


def test_one_bound_is_better_than_none():
    files = [stats(least=6), stats(greatest=4), stats()]

    assert judged(c("=", 5, LONG), LONG, *files) == ["F", "F", "TF"]


@pytest.mark.parametrize("tight", [True, False])
def test_nulls_are_none_some_or_all(tight):
    files = [
        stats(1, 9, nulls=0, tightBounds=tight),
        stats(1, 9, nulls=3, tightBounds=tight),
        stats(nulls=10, tightBounds=tight),
    ]

    assert judged(IsNull(Column(("c",))), LONG, *files) == ["F", "TF", "T"]
    assert judged(c("<", 99, LONG), LONG, *files) == ["T", "TN", "N"]
    assert judged(c("<=>", 99, LONG), LONG, *files) == ["F", "F", "F"]
    assert judged(c("<=>", 5, LONG), LONG, *files) == ["TF", "TF", "F"]


def test_file_without_rows_has_none_of_any_kind():
    assert judged(c("=", 5, LONG), LONG, stats(rows=0)) == [""]
    assert judged(IsNull(Column(("c",))), LONG, stats(rows=0)) == [""]


def test_null_literal():
    assert judged(c("=", None, LONG), LONG, stats(1, 9)) == ["N"]
    assert judged(c("<=>", None, LONG), LONG, stats(1, 9), stats(nulls=10)) == ["F", "T"]


def test_and_or_not_join_what_may_be():
    low, high = c("<", 3, LONG), c(">", 7, LONG)
    files = [stats(1, 2), stats(4, 6), stats(1, 9, nulls=1)]

    assert judged(And((low, high)), LONG, *files) == ["F", "F", "TFN"]
    assert judged(Or((low, high)), LONG, *files) == ["T", "F", "TFN"]
    assert judged(Not(Or((low, high))), LONG, *files) == ["F", "T", "TFN"]


def test_unknown_part_of_a_conjunction_keeps_the_others():
    files = [stats(1, 2), stats(4, 6)]

    assert judged(And((c("<", 3, LONG), Unknown())), LONG, *files) == ["TFN", "F"]
    assert judged(Or((c("<", 3, LONG), Unknown())), LONG, *files) == ["T", "TFN"]
    assert judged(And((Constant(None), Unknown())), LONG, *files) == ["FN", "FN"]


def test_condition_on_another_column_is_unknown():
    missing = Comparison("=", Column(("x",)), Literal(5, LONG))

    assert judged(missing, LONG, stats(1, 2)) == ["TFN"]


@pytest.mark.parametrize(("least", "wanted"), [(0.5, "TF"), (2.0, "T")])
def test_nan_is_greatest(least, wanted):
    # A greatest value that is NaN has no place in JSON, or the place of a text.
    assert judged(c(">", 1.0, DOUBLE), DOUBLE, stats(least)) == [wanted]
    assert judged(c(">", 1.0, DOUBLE), DOUBLE, stats(least, "NaN")) == [wanted]
    assert judged(c("=", math.nan, DOUBLE), DOUBLE, stats(least, 3.0)) == ["F"]
    assert judged(c("<", math.nan, DOUBLE), DOUBLE, stats(least, 3.0)) == ["T"]


def test_zeros_are_equal():
    assert judged(c("=", -0.0, DOUBLE), DOUBLE, stats(0.0, 0.0)) == ["T"]
    assert judged(c("<", 0.0, DOUBLE), DOUBLE, stats(-0.0, -0.0)) == ["F"]


def test_list_with_zero_may_leave_out_the_negative_one():
    listed = In(Column(("c",)), (0.0, 1.0), DOUBLE)

    assert judged(listed, DOUBLE, stats(0.0, 0.0)) == ["TF"]


def test_float_is_read_as_four_bytes():
    tenth = 0.10000000149011612

    assert judged(c("=", tenth, FLOAT), FLOAT, stats(0.1, 0.1)) == ["T"]


def test_widened_float_has_room_for_what_its_text_lost():
    tenth = 0.10000000149011612
    widened = {"delta.typeChanges": [{"fromType": "float", "toType": "double"}]}

    assert judged(c("=", tenth, DOUBLE), DOUBLE, stats(0.1, 0.1)) == ["F"]
    assert judged(c("=", tenth, DOUBLE), DOUBLE, stats(0.1, 0.1), metadata=widened) == ["TF"]


def test_decimal_that_went_through_a_float_keeps_its_file():
    told = json.loads('{"numRecords":2,"minValues":{"c":1e-2},"nullCount":{"c":0}}')
    told["maxValues"] = {"c": 1234567890123456.8}
    true = 123_456_789_012_345_682

    assert judged(c("=", true, DecimalType(18, 2)), DecimalType(18, 2), told) == ["TF"]
    assert judged(c(">", 10**17 * 2, DecimalType(18, 2)), DecimalType(18, 2), told) == ["F"]


def test_decimal_that_became_the_last_integer_keeps_its_file():
    long = DecimalType(38, 0)
    told = stats(-(2**63), 2**63 - 1)

    assert judged(c(">", 10**30, long), long, told) == ["TF"]
    assert judged(c("<", -(10**30), long), long, told) == ["TF"]


def test_decimals_of_different_scales_compare():
    assert judged(c("<", 15_001, DecimalType(38, 4)), DecimalType(5, 2), stats(1.5, 2)) == ["TF"]
    assert judged(c("<", 15_000, DecimalType(38, 4)), DecimalType(5, 2), stats(1.5, 2)) == ["F"]


def test_widened_integer_keeps_its_old_bounds():
    assert judged(c("<", 500, DecimalType(12, 2)), DecimalType(12, 2), stats(1, 4)) == ["T"]


@pytest.mark.parametrize(("data_type", "zone"), [(TIMESTAMP, "Z"), (TIMESTAMP_NTZ, "")])
def test_greatest_point_in_time_lacks_up_to_a_millisecond(data_type, zone):
    cut = f"2020-01-02T09:00:00.123{zone}"

    assert judged(c("=", NINE, data_type), data_type, stats(cut, cut)) == ["TF"]
    assert judged(c(">", NINE + 1_000, data_type), data_type, stats(cut, cut)) == ["F"]
    assert judged(c(">=", NINE - 456, data_type), data_type, stats(cut, cut)) == ["T"]


def test_point_in_time_with_an_offset():
    east = "2020-01-02T10:00:00.123+01:00"

    assert judged(c("<", NINE - 456, TIMESTAMP), TIMESTAMP, stats(east, east)) == ["F"]
    assert judged(c("=", NINE, TIMESTAMP), TIMESTAMP, stats(east, east)) == ["TF"]


def test_dates():
    told = stats("2020-01-02", "2020-01-04")

    assert judged(c("<", 18_263, DATE), DATE, told) == ["F"]
    assert judged(c("<=", 18_265, DATE), DATE, told) == ["T"]


@pytest.mark.parametrize(("in_utc", "wanted"), [(True, "F"), (False, "TF")])
def test_date_of_a_point_in_time_depends_on_the_zone(in_utc, wanted):
    day_before = Comparison("=", CastValue(Column(("c",)), DATE, in_utc), Literal(18_262, DATE))
    told = stats("2020-01-02T09:00:00.000Z", "2020-01-02T09:00:00.000Z")

    assert judged(day_before, TIMESTAMP, told) == [wanted]


def test_cast_that_may_change_the_order_is_unknown():
    as_text = Comparison("=", CastValue(Column(("c",)), STRING), Literal("5", STRING))

    assert judged(as_text, LONG, stats(1, 2)) == ["TFN"]


def test_constant_of_another_kind_is_not_compared():
    assert judged(c("=", "5", STRING), LONG, stats(1, 2)) == ["TF"]


def test_texts_compare_by_bytes():
    assert judged(c("<", "\U0001f600", STRING), STRING, stats("a", "\uffff")) == ["T"]
    assert judged(c("=", "abcd", STRING), STRING, stats("abc", "abc\x7f")) == ["TF"]
    assert judged(c("=", "abd", STRING), STRING, stats("abc", "abc\x7f")) == ["F"]


def test_prefix():
    starts = StartsWith(Column(("c",)), "ab")
    files = [stats("ab", "abz"), stats("aa", "ab"), stats("aa", "ac"), stats("ac", "z"), stats("a")]

    assert judged(starts, STRING, *files) == ["T", "TF", "TF", "F", "TF"]


def test_char_is_judged_with_blanks_and_without():
    char = {"__CHAR_VARCHAR_TYPE_STRING": "char(5)"}
    told = stats("ab", "ab")

    assert judged(c("=", "ab   ", STRING), STRING, told) == ["F"]
    assert judged(c("=", "ab   ", STRING), STRING, told, metadata=char) == ["TF"]
    assert judged(c("=", "ab", STRING), STRING, told, metadata=char) == ["TF"]
    assert judged(c("=", "ac   ", STRING), STRING, told, metadata=char) == ["F"]
    below_blank = stats("ab", "ab\x01")
    assert judged(c(">", "ab   z", STRING), STRING, below_blank, metadata=char) == ["TF"]


def test_char_in_a_struct_is_judged_with_blanks_and_without():
    inner = StructType((StructField("a", INTEGER), StructField("c", STRING)))
    text = {"__CHAR_VARCHAR_TYPE_STRING": "struct<a:int,c:char(5)>"}
    for metadata, padded in (({}, 0), (text, 5)):
        outer = StructType((StructField("s", inner), StructField("t", inner, metadata=metadata)))
        columns = StatsColumns(StructType((StructField("o", outer), *outer)))

        assert columns.find(("t", "c")).padded_to == columns.find(("T", "C")).padded_to == padded
        assert columns.find(("s", "c")).padded_to == columns.find(("t", "a")).padded_to == 0


def test_collated_text_is_unknown():
    collated = {"__COLLATIONS": {"c": "spark.UTF8_LCASE"}}

    assert judged(c("=", "AB", STRING), STRING, stats("ab", "ab"), metadata=collated) == ["TFN"]


def test_list_of_constants():
    column = Column(("c",))
    files = [stats(1, 3), stats(4, 4), stats(5, 8), stats(9, 9), stats(4, 4, nulls=2)]

    assert judged(In(column, (4, 9, 6), LONG), LONG, *files) == ["F", "T", "TF", "T", "TN"]
    listed = In(column, (4, 9, 6), LONG, has_null=True)
    assert judged(listed, LONG, *files) == ["N", "T", "TN", "T", "TN"]
    assert judged(Not(listed), LONG, *files) == ["N", "F", "FN", "F", "FN"]


def test_long_list_of_texts():
    listed = In(Column(("c",)), tuple(f"k{number:02}" for number in range(0, 40, 2)), STRING)
    files = [stats("k01", "k01"), stats("k01", "k03"), stats("k38", "z"), stats("l", "z"), stats()]

    assert judged(listed, STRING, *files) == ["F", "TF", "TF", "F", "TF"]


def test_boolean_column_has_nulls_at_most():
    assert judged(c("=", True, BOOLEAN), BOOLEAN, stats(), stats(nulls=10)) == ["TF", "N"]


def test_list_column_has_nulls_at_most():
    column = IsNull(Column(("c",)))

    assert judged(column, ArrayType(LONG), stats(), stats(nulls=10)) == ["F", "T"]


def test_partition_values_are_exact():
    files = [{"partition": {"c": text}} for text in ("5", "6", None, "")]

    assert judged(c("=", 5, INTEGER), INTEGER, *files, partition_columns=("c",)) == [
        "T", "F", "N", "N",
    ]  # fmt: skip


def test_partition_without_zone_is_unknown():
    texts = ("2020-01-02 09:00:00", "2020-01-02T09:00:00.000000Z", None)
    files = [{"partition": {"c": text}} for text in texts]
    earlier = c("<", NINE - 10**12, TIMESTAMP)

    assert judged(earlier, TIMESTAMP, *files, partition_columns=("c",)) == ["TF", "F", "N"]


def test_struct_is_not_null_where_a_part_of_it_is_not():
    inner = StructType((StructField("a", LONG), StructField("b", ArrayType(LONG))))
    told = [stats(nulls={"a": 3, "b": 0}), stats(nulls={"a": 3, "b": 10}), stats()]

    assert judged(IsNull(Column(("c",))), inner, *told) == ["F", "TF", "TF"]
    assert judged(IsNull(Column(("c", "a"))), inner, *told) == ["TF", "TF", "TF"]


def test_two_columns_compare_by_their_bounds():
    schema = StructType((StructField("a", INTEGER), StructField("b", LONG)))
    told = {
        "numRecords": 2,
        "minValues": {"a": 1, "b": 5},
        "maxValues": {"a": 4, "b": 9},
        "nullCount": {"a": 0, "b": 0},
    }
    less = Comparison("<", CastValue(Column(("a",)), LONG), Column(("b",)))

    found = evaluate(less, table_of(told), StatsColumns(schema))

    assert found.may_be_true.tolist() == [True]
    assert found.may_be_false.tolist() == [False]


def test_operator_that_is_none_is_refused():
    with pytest.raises(ValueError, match="=="):
        c("==", 5, LONG)
