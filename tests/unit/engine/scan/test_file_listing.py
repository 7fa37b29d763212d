"""Files are chosen by partition, by pruning and by a limit, and told in the right order."""

import json

import numpy as np
import pyarrow as pa
import pytest

from puredelta.engine.scan.file_listing import (
    OF_SCANS,
    ListingInMemory,
    file_lines,
    first_rows,
    in_partitions,
)
from puredelta.log.files import FILES, files_table
from puredelta.schema.datatypes import STRING, DecimalType
from tests.unit.log.logs import add, vector

ROOT = "file:/t"


def file(name, p, rows=10, dv=None):
    text = None if rows is None else json.dumps({"numRecords": rows})
    return add(name, dv, partition_values={"p": p}, stats=text)


FILES_OF_THREE = files_table(
    [file("a", "x"), file("b", None), file("c", "x"), file("d", ""), file("e", "y")]
)


def listing(files=FILES_OF_THREE, columns=("p",)):
    return ListingInMemory(files, columns, ROOT)


def names(files):
    return "".join(files["path"].to_pylist())


def test_files_follow_each_other_by_partition():
    found, counts = listing().chosen([2, 0], None, OF_SCANS)

    assert listing().partitions == [("x",), (None,), ("y",)]
    assert (names(found), counts) == ("eac", [1, 2])


def test_pruned_files_leave_their_partition():
    mask = np.array([True, False, False, True, True])

    found, counts = listing().chosen([0, 1, 2], lambda _: mask, OF_SCANS)

    assert (names(found), counts) == ("ade", [1, 1, 1])


def test_table_without_partitions_is_one():
    alone = listing(columns=())

    assert alone.partitions == [()]
    assert alone.chosen([0], None, ["path"])[1] == [5]
    assert names(alone.chosen([0], lambda _: np.arange(5) > 2, OF_SCANS)[0]) == "de"


@pytest.mark.parametrize(
    "empty",
    [FILES.empty_table(), pa.table([pa.chunked_array([], field.type) for field in FILES], FILES)],
)
def test_table_without_files_has_one_partition_or_none(empty):

    assert listing(empty, ()).chosen([0], None, OF_SCANS)[1] == [0]
    assert listing(empty).partitions == []
    assert listing(empty).chosen([], None, OF_SCANS)[1] == []


@pytest.mark.parametrize(
    ("limit", "expected"), [(0, ""), (1, "a"), (10, "a"), (11, "ac"), (25, "acb"), (999, "acbde")]
)
def test_limit_takes_files_until_they_have_as_many_rows(limit, expected):
    files, counts = listing().chosen([0, 1, 2], None, [*OF_SCANS, "stats"])

    found, kept = first_rows(files, counts, limit)

    assert names(found) == expected
    assert sum(kept) == len(expected)
    assert all(one <= most for one, most in zip(kept, counts, strict=True))


def test_limit_counts_neither_deleted_rows_nor_unknown_ones():
    files = files_table([file("a", "x", 5, vector(1)), file("b", "x", None), file("c", "x", 1)])

    found, kept = first_rows(files, [3], 5)

    assert (names(found), kept) == ("abc", [3])


@pytest.mark.parametrize(("wanted", "expected"), [("x", "ac"), (None, "bd"), ("z", "")])
def test_folder_of_a_partition_has_the_files_with_its_value(wanted, expected):
    assert names(in_partitions(FILES_OF_THREE, {"p": wanted}, [STRING])) == expected


def test_folder_of_a_partition_has_the_files_whose_value_is_spelled_otherwise():
    files = files_table([file("a", "1.5"), file("b", "1.50"), file("c", "2")])

    assert names(in_partitions(files, {"p": "1.50"}, [DecimalType(9, 2)])) == "ab"


def test_line_tells_size_time_vector_and_place():
    line = file_lines(files_table([add("a b", size=3)]), ROOT)

    assert line == ["3\t1700000000000\t\t\t\tfile:/t/a b"]


def test_line_tells_ids_of_rows_where_files_have_them():
    files = [add("a", base_row_id=7, default_row_commit_version=2), add("b")]

    lines = file_lines(files_table(files), ROOT)

    assert [line.split("\t")[3:5] for line in lines] == [["7", "2"], ["", ""]]
