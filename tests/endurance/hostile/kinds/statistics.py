"""Statistics that are no statistics. What they say of values is believed, as all readers do."""

from typing import Any

from tests.endurance.hostile.edits import fields, nested, only_checkpoint, parquet, raw_field, stats
from tests.endurance.hostile.kind import Change, Kinds

KINDS = Kinds("statistics")


def _bounds(member: str, **values: Any) -> Change:
    def edit(plain: dict[str, Any]) -> None:
        plain[member].update(values)

    return stats(edit)


KINDS.sound("stats_of_nothing", fields("add", stats=""))
KINDS.sound("stats_of_blanks", fields("add", stats="  "))
KINDS.sound("stats_of_null", fields("add", stats="null"))
KINDS.sound("stats_left_out", fields("add", stats=...))
KINDS.sound("stats_of_garbage", fields("add", stats="{garbage"))
KINDS.sound("stats_of_an_array", fields("add", stats="[]"))
KINDS.sound("stats_of_a_number", fields("add", stats="7"))
KINDS.sound("stats_of_depth", fields("add", stats="[" * 200_000))
KINDS.sound("stats_of_deep_objects", fields("add", stats='{"minValues":' * 50_000))
KINDS.sound(
    "stats_of_deep_bounds",
    fields("add", stats='{"numRecords":3,"minValues":{"id":' + "[" * 900 + "]" * 900 + "}}"),
)
KINDS.refused("stats_of_an_object", fields("add", stats={"numRecords": 3}))
KINDS.sound(
    "stats_of_surrogates",
    raw_field("add", "stats", r'"{\"numRecords\":3,\"minValues\":{\"name\":\"\\ud800\"}}"'),
)
KINDS.either(
    "stats_of_raw_surrogates", raw_field("add", "stats", r'"{\"minValues\":{\"name\":\"\ud800\"}}"')
)
KINDS.sound("stats_of_nul", _bounds("minValues", name="\0"))
KINDS.sound("stats_of_many_rows", stats(lambda plain: plain.update(numRecords=10**9)))
KINDS.sound("stats_of_the_most_rows", stats(lambda plain: plain.update(numRecords=2**63 - 1)))
KINDS.sound("stats_of_more_rows", stats(lambda plain: plain.update(numRecords=2**63)))
KINDS.sound("stats_of_huge_rows", stats(lambda plain: plain.update(numRecords=10**400)))
KINDS.sound("stats_of_negative_rows", stats(lambda plain: plain.update(numRecords=-3)))
KINDS.sound("stats_of_no_rows", stats(lambda plain: plain.update(numRecords=0)))
KINDS.sound("stats_of_half_rows", stats(lambda plain: plain.update(numRecords=2.5)))
KINDS.sound("stats_of_rows_in_text", stats(lambda plain: plain.update(numRecords="3")))
KINDS.sound("stats_of_rows_of_null", stats(lambda plain: plain.update(numRecords=None)))
KINDS.sound("stats_of_rows_of_nan", fields("add", stats='{"numRecords":NaN}'))
KINDS.sound(
    "stats_of_bounds_in_a_list", stats(lambda plain: plain.update(minValues=[1], maxValues=2))
)
KINDS.sound("stats_of_bounds_of_null", stats(lambda plain: plain.update(minValues=None)))
KINDS.sound("stats_of_bounds_in_text", _bounds("minValues", id="x", price="y"))
KINDS.sound("stats_of_bounds_of_objects", _bounds("minValues", id={"a": 1}, name=[1]))
KINDS.sound("stats_of_a_huge_bound", _bounds("maxValues", id=10**400))
KINDS.sound("stats_of_a_bound_past_64_bits", _bounds("maxValues", id=2**64))
KINDS.sound(
    "stats_of_exponents",
    fields("add", stats='{"numRecords":3,"maxValues":{"id":1e400,"price":1e999}}'),
)
KINDS.sound(
    "stats_of_long_numbers",
    fields("add", stats='{"numRecords":3,"maxValues":{"id":' + "9" * 5000 + "}}"),
)
KINDS.sound(
    "stats_of_a_long_fraction",
    fields("add", stats='{"numRecords":3,"maxValues":{"price":0.' + "9" * 99_999 + "}}"),
)
KINDS.sound("stats_of_no_day", _bounds("minValues", day="2024-02-31"))
KINDS.sound("stats_of_a_day_of_garbage", _bounds("maxValues", day="x" * 10_000))
KINDS.sound("stats_of_a_far_day", _bounds("maxValues", day="999999-01-01"))
KINDS.sound("stats_of_a_day_before_all", _bounds("minValues", day="-999999-01-01"))
KINDS.sound("stats_of_a_day_in_numbers", _bounds("minValues", day=20240101))
KINDS.sound("stats_of_infinity", _bounds("maxValues", price="Infinity"))
KINDS.sound(
    "stats_of_null_counts",
    stats(lambda plain: plain.update(nullCount={"id": -1, "name": "x", "price": 2**70})),
)
KINDS.sound("stats_of_null_counts_in_a_list", stats(lambda plain: plain.update(nullCount=[])))
KINDS.sound("stats_of_unknown_columns", _bounds("minValues", nothing=1, **{"a.b": 2, "": 3}))
KINDS.sound("stats_of_tight_bounds_in_text", stats(lambda plain: plain.update(tightBounds="no")))
KINDS.sound(
    "stats_of_keys_twice",
    fields("add", stats='{"numRecords":3,"numRecords":"x","minValues":{},"minValues":7}'),
)
KINDS.sound("stats_of_a_long_text", _bounds("minValues", name="x" * 10**6))
KINDS.sound(
    "stats_in_columns_of_other_types",
    parquet("*.checkpoint.parquet", lambda table: table),
    only_checkpoint,
    table="checkpointed",
)
KINDS.sound("stats_of_an_inner_vector", nested("add", "partitionValues"))
