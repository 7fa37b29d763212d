"""The Arrow table of files, from records and back."""

import pyarrow as pa

from puredelta.log.files import (
    FILES,
    TOMBSTONES,
    add_files,
    canonical_path,
    files_table,
    tombstones_table,
    without,
)
from tests.unit.log.logs import add, paths, remove, vector


def test_records_come_back_from_their_rows():
    adds = [
        add("p=x%20y/f", vector(1), tags={"k": "v"}, base_row_id=1, stats="{}"),
        add("g", partition_values={}, clustering_provider="liquid"),
        add("h", partition_values={"p": None, "q": "1"}, default_row_commit_version=3),
    ]

    table = files_table(adds)

    assert table.schema.equals(FILES)
    assert table["path"].to_pylist() == ["p=x y/f", "g", "h"]
    assert add_files(table) == adds


def test_empty_tables_have_the_columns():
    assert files_table([]).schema.equals(FILES)
    assert tombstones_table([]).schema.equals(TOMBSTONES)


def test_tombstone_may_lack_nearly_everything():
    row = tombstones_table([remove("f")]).to_pylist()[0]

    assert (row["path"], row["partition_values"], row["size"]) == ("f", None, 10)


def test_absolute_paths_get_one_spelling():
    assert canonical_path("file:/a%20b/f") == canonical_path("file:///a b/f") == "file:///a b/f"
    assert canonical_path("s3://b/f") == "s3://b/f"
    assert canonical_path("p=a:b/f") == "p=a:b/f"


def test_without_looks_at_path_and_deletion_vector():
    files = files_table([add("a"), add("a", vector(1)), add("b", vector(1)), add("c")])

    left = without(files, ["a", ("b", vector(1).unique_id), ("c", vector(1).unique_id), "z"])

    assert paths(left) == ["a", "c"]
    assert left.filter(pa.compute.equal(left["path"], "a"))["deletion_vector"][0].is_valid


def test_without_nothing_is_the_same_table():
    files = files_table([add("a")])

    assert without(files, []) is files
    assert without(files, ["z"]) is files
