"""Which files are kept, what is said about it, and what is parsed again."""

import json
import logging
import weakref

import pyarrow as pa
import pytest

from puredelta.log.actions import AddFile
from puredelta.log.files import files_table
from puredelta.schema.datatypes import DATE, LONG, STRING, DecimalType, StructField, StructType
from puredelta.table.skipping import stats_cache
from puredelta.table.skipping.columns import columns_of_table
from puredelta.table.skipping.describe import condition_text
from puredelta.table.skipping.predicate import (
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
)
from puredelta.table.skipping.pruning import prune_files

ID, NAME, DAY = (Column((name,)) for name in ("id", "name", "day"))


@pytest.fixture(autouse=True)
def _nothing_parsed():
    stats_cache.forget()


@pytest.fixture
def texts(monkeypatch):
    """How many texts were parsed, each time."""
    counted = []

    def counting(files, columns):
        counted.append(files.num_rows)
        return original(files, columns)

    original = stats_cache.file_stats
    monkeypatch.setattr(stats_cache, "file_stats", counting)
    return counted


class Version:
    """A version of a table partitioned by day."""

    def __init__(self, mode="none"):
        physical = {"delta.columnMapping.physicalName": "col-1", "delta.columnMapping.id": 1}
        self.schema = StructType(
            (
                StructField("id", LONG, metadata={} if mode == "none" else physical),
                StructField("name", STRING, metadata=physical),
                StructField("day", DATE, metadata={"delta.columnMapping.physicalName": "col-2"}),
            )
        )
        self.configuration = {"delta.columnMapping.mode": mode}
        self.partition_columns = ["day"]


def files(*bounds, column="id", day="day", first=0):
    return files_table(
        [
            AddFile(
                path=f"f{first + number}",
                partition_values={day: f"2020-01-0{number + 1}"},
                size=100,
                modification_time=1,
                data_change=True,
                stats=json.dumps(
                    {
                        "numRecords": 10,
                        "minValues": {column: low},
                        "maxValues": {column: high},
                        "nullCount": {column: 0},
                    }
                ),
            )
            for number, (low, high) in enumerate(bounds)
        ]
    )


def less(value):
    return Comparison("<", ID, Literal(value, LONG))


def since(days):
    return Comparison(">=", DAY, Literal(days, DATE))


def test_files_that_all_conditions_allow_are_kept():
    found = prune_files(Version(), files((1, 3), (4, 6), (7, 9)), [less(7), since(18_263)])

    assert found.mask.tolist() == [False, True, False]
    assert (found.files, found.bytes, found.files_kept, found.bytes_kept) == (3, 300, 1, 100)


def test_each_conjunct_says_what_it_skips_alone():
    found = prune_files(Version(), files((1, 3), (4, 6), (7, 9)), [And((less(7), since(18_263)))])

    assert [effect.files_skipped for effect in found.effects] == [1, 1]
    assert str(found).splitlines() == [
        "1 of 3 files, 100 of 300 bytes",
        "  id < 7: skips 1 files, 100 bytes",
        "  day >= DATE '2020-01-02': skips 1 files, 100 bytes",
    ]


def test_no_condition_keeps_all_files():
    found = prune_files(Version(), files((1, 3), (4, 6)), [])

    assert found.mask.tolist() == [True, True]
    assert str(found) == "2 of 2 files, 200 of 200 bytes"


def test_no_files():
    found = prune_files(Version(), files(), [less(7), since(18_263), IsNull(NAME)])

    assert (found.files, found.files_kept, found.bytes) == (0, 0, 0)


def test_mapped_columns_are_found_by_their_physical_names():
    table = files((1, 3), (7, 9), column="col-1", day="col-2")

    assert prune_files(Version("name"), table, [less(5)]).mask.tolist() == [True, False]
    assert prune_files(Version("name"), table, [since(18_263)]).mask.tolist() == [False, True]


def test_case_of_names_does_not_matter_where_it_is_clear():
    upper = Comparison("<", Column(("ID",)), Literal(5, LONG))

    assert prune_files(Version(), files((1, 3), (7, 9)), [upper]).mask.tolist() == [True, False]


def test_condition_that_fails_keeps_all_files(caplog):
    broken = files((1, 3), (7, 9)).set_column(
        1,
        "partition_values",
        pa.array([[("day", "yesterday")], [("day", "today")]], pa.map_(pa.string(), pa.string())),
    )

    with caplog.at_level(logging.WARNING):
        found = prune_files(Version(), broken, [since(18_263), less(5)])

    assert found.mask.tolist() == [True, False]
    assert "yesterday" in (found.effects[0].failure or "")
    assert str(found.effects[0]).startswith("day >= DATE '2020-01-02': not used (")
    assert "no file is skipped by day" in caplog.text


def test_statistics_are_parsed_once_a_column(texts):
    table = files((1, 3), (7, 9))

    prune_files(Version(), table, [less(5), Comparison("=", NAME, Literal("a", STRING))])
    prune_files(Version(), table, [less(2), Not(IsNull(NAME))])

    assert texts == [2]


def test_next_version_parses_new_files_only(texts):
    table = files((1, 3), (7, 9))
    prune_files(Version(), table, [less(5)])

    newer = pa.concat_tables([table, files((0, 1), first=2)])
    found = prune_files(Version(), newer, [less(5)])

    assert found.mask.tolist() == [True, False, True]
    assert texts == [2, 1]


def test_old_batches_are_forgotten():
    batches = stats_cache.BatchCache(batches=1)
    one, other = files((1, 3)), files((4, 6))

    first = batches.of(one["stats"].chunk(0), one)
    batches.of(other["stats"].chunk(0), other)

    assert batches.of(one["stats"].chunk(0), one) is not first


def test_batches_go_with_the_last_version_that_has_them(texts):
    table = files((1, 3))
    newer = pa.concat_tables([table, files((4, 6), first=1)])
    for version in (table, newer):
        prune_files(Version(), version, [less(5)])
    del table, version

    prune_files(Version(), newer, [less(5)])
    del newer

    assert texts == [1, 1]
    assert not stats_cache._cache._batches


def test_table_that_is_judged_often_is_watched_once():
    batches = stats_cache.BatchCache(batches=1)
    table = pa.concat_tables([files((1, 3)), files((4, 6), first=1)])

    for _ in range(3):
        for chunk in table["stats"].chunks:
            batches.of(chunk, table)

    assert weakref.getweakrefcount(table) == 1


def test_columns_are_those_of_the_version():
    columns = columns_of_table(Version())

    assert columns.find(("day",)).is_partition
    assert columns.find(("nobody",)) is None
    assert columns.find(("id", "below")) is None


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Constant(None), "NULL"),
        (Constant(value=True), "TRUE"),
        (Unknown("rlike(name, x)"), "rlike(name, x)"),
        (Or((less(1), And((less(2), IsNull(ID))))), "id < 1 OR (id < 2 AND id IS NULL)"),
        (Not(less(1)), "NOT id < 1"),
        (Not(And((less(1), less(2)))), "NOT (id < 1 AND id < 2)"),
        (IsTrue(less(1)), "id < 1 <=> TRUE"),
        (In(NAME, ("it's",), STRING, has_null=True), "name IN ('it\\'s', NULL)"),
        (In(ID, tuple(range(9)), LONG), "id IN (0, 1, 2, 3, 4, ... 4 more)"),
        (StartsWith(Column(("a", "b.c")), "x"), "startswith(a.`b.c`, 'x')"),
        (
            Comparison("=", CastValue(ID, DecimalType(20, 0)), Literal(15, DecimalType(3, 1))),
            "cast(id as decimal(20,0)) = 1.5",
        ),
    ],
)
def test_condition_as_text(condition, text):
    assert condition_text(condition) == text
