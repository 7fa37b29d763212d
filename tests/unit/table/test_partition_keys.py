"""Partitions are told apart by values of their types, for one file as for a table of them."""

import pyarrow as pa
import pytest

from puredelta.log.actions import AddFile
from puredelta.log.files import files_table
from puredelta.schema.datatypes import (
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIMESTAMP,
    DecimalType,
)
from puredelta.table.partition_keys import PartitionKeys, with_keys


def files(*values):
    adds = [
        AddFile(
            path=f"f{place}",
            partition_values=one,
            size=1,
            modification_time=0,
            data_change=True,
        )
        for place, one in enumerate(values)
    ]
    return files_table(adds)


@pytest.mark.parametrize(
    ("data_type", "one", "other"),
    [
        (INTEGER, "1", "01"),
        (DecimalType(5, 2), "1.5", "1.50"),
        (DOUBLE, "0.0", "-0.0"),
        (DOUBLE, "NaN", "NaN"),
        (DATE, "2024-01-02", "2024-01-02 00:00:00"),
        (TIMESTAMP, "2024-01-02 03:04:05", "2024-01-02T03:04:05.000000Z"),
        (STRING, None, ""),
    ],
)
def test_spellings_of_one_value_are_one_partition(data_type, one, other):
    keys = PartitionKeys(("p",), (data_type,))

    found = keys.of_files(files({"p": one}, {"p": other})).to_pylist()

    assert found[0] == found[1] == keys.of_values({"p": other})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"p": "a", "q": "b"}, {"p": "ab", "q": None}),
        ({"p": "1:a", "q": "b"}, {"p": "1", "q": ":a"}),
        ({"p": None, "q": "-"}, {"p": "-", "q": None}),
        ({"p": "1", "q": "x"}, {"p": "01", "q": "x"}),
    ],
)
def test_other_values_are_other_partitions(one, other):
    keys = PartitionKeys(("p", "q"), (STRING, STRING))

    found = keys.of_files(files(one, other)).to_pylist()

    assert found == [keys.of_values(one), keys.of_values(other)]
    assert found[0] != found[1]


def test_time_without_zone_is_read_in_the_zone_given():
    keys = PartitionKeys(("p",), (TIMESTAMP,), zone="Europe/Berlin")

    assert keys.of_values({"p": "2024-01-02 01:00:00"}) == keys.of_values(
        {"p": "2024-01-02T00:00:00.000000Z"}
    )


def test_text_that_is_no_value_stands_for_itself():
    keys = PartitionKeys(("p",), (INTEGER,))

    assert keys.of_values({"p": "many"}) == "4:many"


def test_column_that_a_file_does_not_name_is_null():
    keys = PartitionKeys(("p", "q"), (STRING, STRING))

    assert keys.of_values({"p": "a"}) == keys.of_files(files({"p": "a"})).to_pylist()[0]
    assert keys.has_null({"p": "a"})
    assert keys.has_null({"p": "a", "q": ""})
    assert not keys.has_null({"p": "a", "q": "b"})


def test_files_are_chosen_by_their_partition():
    keys = PartitionKeys(("p",), (STRING,))
    table = files({"p": "a"}, {"p": "b"}, {"p": "a"}, {"p": None})
    found = keys.of_files(table)

    wanted = [keys.of_values({"p": "a"}), keys.of_values({"p": None})]
    assert with_keys(table, found, wanted)["path"].to_pylist() == ["f0", "f2", "f3"]
    assert with_keys(table, found, []).num_rows == 0


def test_table_of_many_chunks_is_one_column_of_keys():
    keys = PartitionKeys(("p",), (STRING,))
    table = pa.concat_tables([files({"p": "a"}), files({"p": "b"}), files({"p": "a"})])

    assert keys.of_files(table).to_pylist() == ["1:a", "1:b", "1:a"]
