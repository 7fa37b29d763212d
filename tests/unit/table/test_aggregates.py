"""COUNT, MIN and MAX are answered from the log where that is exact, and not at all elsewhere."""

import json

import msgspec
import pytest

from puredelta.log.table_log import TableLog
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import (
    DATE,
    DOUBLE,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    StructField,
    StructType,
)
from puredelta.storage.memory import MemoryStore
from puredelta.table.aggregates import COUNT, MAX, MIN, Aggregate, answers
from tests.unit.log.logs import METADATA, add, create, vector

SCHEMA = StructType(
    (
        StructField("n", LONG),
        StructField("d", DATE),
        StructField("s", STRING),
        StructField("f", DOUBLE),
        StructField("t", TIMESTAMP),
        StructField("p", INTEGER),
    )
)
TABLE = msgspec.structs.replace(METADATA, schema_string=schema_to_json(SCHEMA))


def stats(rows, least=None, greatest=None, nulls=None, **more):
    recorded = {"numRecords": rows, "minValues": least or {}, "maxValues": greatest or {}}
    return json.dumps({**recorded, "nullCount": nulls or {}, **more})


def file(name, p, text, dv=None):
    return add(name, dv, partition_values={"p": p}, stats=text)


FULL = [
    file(
        "a",
        "10",
        stats(5, {"n": 3, "d": "2020-01-02"}, {"n": 9, "d": "2020-03-01"}, {"n": 1, "d": 0}),
    ),
    file(
        "b",
        "9",
        stats(4, {"n": -7, "d": "2019-12-31"}, {"n": 2, "d": "2020-01-01"}, {"n": 0, "d": 0}),
    ),
    file("c", None, stats(2, nulls={"n": 2, "d": 2})),
]


def ask(files, *wanted, table=TABLE):
    store = MemoryStore()
    create(store, *files, table=table)
    snapshot = TableLog(store).latest()
    return answers(snapshot, snapshot.files, wanted)


def test_rows_are_counted():
    assert ask(FULL, Aggregate(COUNT)) == ["11"]


def test_values_that_are_not_null_are_counted():
    assert ask(FULL, Aggregate(COUNT, "n"), Aggregate(COUNT, "p")) == ["8", "9"]


def test_bounds_of_files_are_bounds_of_the_table():
    wanted = [Aggregate(one, name) for name in ("n", "d") for one in (MIN, MAX)]

    assert ask(FULL, *wanted) == ["-7", "9", "2019-12-31", "2020-03-01"]


def test_partition_values_compare_as_what_they_are_and_not_as_texts():
    assert ask(FULL, Aggregate(MIN, "p"), Aggregate(MAX, "p")) == ["9", "10"]


def test_nothing_at_all_has_no_bounds():
    empty = file("e", "1", stats(0))

    assert ask([], Aggregate(COUNT), Aggregate(MAX, "n"), Aggregate(MIN, "p")) == ["0", None, None]
    assert ask([empty], Aggregate(MIN, "p")) == [None]
    assert ask(FULL[2:], Aggregate(MAX, "n"), Aggregate(MAX, "p")) == [None, None]


def test_deleted_rows_are_not_counted():
    deleted = file("d", "1", stats(8), vector(1))

    assert ask([*FULL, deleted], Aggregate(COUNT), Aggregate(COUNT, "p")) == ["18", "16"]


@pytest.mark.parametrize(
    "odd",
    [
        file("d", "1", stats(8, {"n": 1}, {"n": 2}, {"n": 0}), vector(1)),
        file("d", "1", stats(8, {"n": 1}, {"n": 2}, {"n": 0}, tightBounds=False)),
        file("d", "1", stats(8)),
        file("d", "1", None),
    ],
    ids=["deleted rows", "wide bounds", "no bounds", "no statistics"],
)
def test_file_without_exact_statistics_is_not_guessed_at(odd):
    assert ask([*FULL, odd], Aggregate(MAX, "n")) is None
    assert ask([*FULL, odd], Aggregate(COUNT, "n")) is None


def test_missing_count_of_rows_is_not_guessed_at():
    assert ask([*FULL, file("d", "1", None)], Aggregate(COUNT)) is None


@pytest.mark.parametrize("column", ["s", "f", "t"])
def test_types_with_rounded_bounds_are_not_answered(column):
    recorded = stats(2, {column: 1}, {column: 2}, {column: 0})

    assert ask([file("a", "1", recorded)], Aggregate(MAX, column)) is None


def test_unknown_column_is_not_answered():
    assert ask(FULL, Aggregate(MAX, "nope")) is None


def partitioned_by(data_type):
    schema = StructType((StructField("n", LONG), StructField("p", data_type)))
    return msgspec.structs.replace(METADATA, schema_string=schema_to_json(schema))


def test_point_in_time_without_zone_is_not_compared_with_others():
    here, there = "2024-01-01 00:30:00", "2024-01-01T01:00:00.000000Z"
    files = [file("a", here, stats(1)), file("b", there, stats(1))]
    table = partitioned_by(TIMESTAMP)

    assert ask(files, Aggregate(MIN, "p"), table=table) is None
    assert ask(files[1:], Aggregate(MIN, "p"), table=table) == [there]


def test_partition_value_that_spark_alone_may_read_is_not_answered():
    files = [file("a", "1999-1-x", stats(1))]

    assert ask(files, Aggregate(MAX, "p"), table=partitioned_by(DATE)) is None
    assert ask(files, Aggregate(COUNT, "p"), table=partitioned_by(DATE)) == ["1"]
