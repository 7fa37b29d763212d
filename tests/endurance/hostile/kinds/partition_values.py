"""Partition values that are no values of their column."""

from typing import Any

from tests.endurance.hostile.edits import cells, fields, only_checkpoint, raw_field, schema
from tests.endurance.hostile.kind import Change, Kinds

KINDS = Kinds("partition_values", "partitioned")


def _day(value: Any) -> Change:
    return fields("add", partitionValues={"day": value})


def _typed(kind: Any, value: Any) -> tuple[Change, Change]:
    """Give the partition column another type, which all files follow but the newest."""

    def edit(plain: dict[str, Any]) -> None:
        for field in plain["fields"]:
            if field["name"] == "day":
                field["type"] = kind

    return schema(edit), _day(value)


KINDS.refused("value_of_garbage", _day("garbage"))
KINDS.refused("value_of_no_day", _day("2024-02-31"))
KINDS.refused("value_of_a_day_of_zeros", _day("0000-00-00"))
KINDS.refused("value_of_a_huge_year", _day("99999999999-01-01"))
KINDS.unknown("value_of_a_large_year", _day("999999-01-01"))
KINDS.refused("value_of_a_path", _day("../../x"))
KINDS.refused("value_of_a_nul", _day("2024-01-01\0"))
KINDS.refused("value_of_other_digits", _day("\N{ARABIC-INDIC DIGIT TWO}024-01-01"))
KINDS.refused("value_of_length", _day("2" * 10**6))
KINDS.unknown("value_of_null", _day(None))
KINDS.unknown("value_of_no_text", _day(""))
KINDS.unknown("value_of_the_folder_of_null", _day("__HIVE_DEFAULT_PARTITION__"))
KINDS.refused("value_of_a_number", _day(20240101))
KINDS.refused("value_of_a_list", _day(["2024-01-01"]))
KINDS.refused("value_of_an_object", _day({"a": "b"}))
KINDS.unknown("values_left_out", fields("add", partitionValues={}))
KINDS.unknown("values_of_another_case", fields("add", partitionValues={"DAY": "2024-01-01"}))
KINDS.sound(
    "values_of_other_columns",
    fields("add", partitionValues={"day": "2024-01-03", "nothing": "x", "": "\0"}),
)
KINDS.unknown(
    "values_twice", raw_field("add", "partitionValues", '{"day":"2024-01-03","day":"2031-01-01"}')
)
KINDS.either("values_of_surrogates", raw_field("add", "partitionValues", r'{"day":"\ud800"}'))
KINDS.refused(
    "values_that_are_not_text", raw_field("add", "partitionValues", '{"day":"\udcff\udcfe"}')
)
KINDS.refused("values_of_a_list", fields("add", partitionValues=["day"]))
KINDS.unknown(
    "values_of_ten_thousand_columns",
    fields("add", partitionValues={f"c{n}": "x" for n in range(10_000)}),
)
for _name, _kind, _value in [
    ("long_of_many_digits", "long", "9" * 5000),
    ("long_past_64_bits", "long", str(2**63)),
    ("long_of_an_exponent", "long", "1e3"),
    ("long_of_underscores", "long", "1_000"),
    ("byte_past_8_bits", "byte", "128"),
    ("boolean_of_a_number", "boolean", "2"),
    ("double_of_many_digits", "double", "9" * 100_000),
    ("double_of_a_hex", "double", "0x1p99999"),
    ("decimal_of_a_huge_exponent", "decimal(10,2)", "1e999999999"),
    ("decimal_of_a_small_exponent", "decimal(10,2)", "1e-999999999"),
    ("decimal_of_nan", "decimal(10,2)", "NaN"),
    ("decimal_of_a_signalling_nan", "decimal(10,2)", "sNaN"),
    ("decimal_of_digits", "decimal(38,0)", "9" * 100_000),
    ("timestamp_of_a_huge_year", "timestamp", "294248-01-01 00:00:00"),
    ("timestamp_of_no_zone", "timestamp", "2024-01-01 00:00:00 Nowhere/Zone"),
    ("timestamp_of_a_path_as_zone", "timestamp", "2024-01-01 00:00:00 ../../etc/passwd"),
    ("timestamp_of_an_absolute_zone", "timestamp", "2024-01-01 00:00:00 /etc/passwd"),
    ("timestamp_of_a_huge_offset", "timestamp", "2024-01-01 00:00:00+99:99"),
    ("timestamp_of_many_fractions", "timestamp", "2024-01-01 00:00:00." + "9" * 50_000),
    ("timestamp_without_zone_of_garbage", "timestamp_ntz", "25:61:61"),
    ("binary_of_anything", "binary", "\0\x7f\N{GRINNING FACE}"),
    ("struct_of_anything", {"type": "struct", "fields": []}, "x"),
    ("array_of_anything", {"type": "array", "elementType": "long", "containsNull": True}, "x"),
    ("unknown_of_anything", "future", "x"),
    ("variant_of_anything", "variant", "x"),
]:
    KINDS.unknown(_name, *_typed(_kind, _value))
KINDS.unknown(
    "value_of_garbage_in_a_checkpoint",
    cells(
        "*.checkpoint.parquet", "add", lambda add: {**add, "partitionValues": {"id": "x", "": None}}
    ),
    only_checkpoint,
    table="checkpointed",
)
