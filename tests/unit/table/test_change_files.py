"""Which files contain the changes of a range of versions."""

import msgspec
import pytest
from pyroaring import BitMap64

from puredelta.errors import DeltaAnalysisError, DeltaUnsupportedOperationError
from puredelta.log.actions import AddCdcFile, DeletionVector
from puredelta.log.table_log import TableLog
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import INTEGER, LONG, STRING, StructField, StructType
from puredelta.storage.memory import MemoryStore
from puredelta.table.change_columns import CHANGE_TYPE, COMMIT_TIMESTAMP, COMMIT_VERSION
from puredelta.table.change_files import changed_files
from puredelta.table.deletion_vectors.vectors import inline, read_vector
from tests.unit.log.logs import METADATA, add, commit, create, info, remove

FEED = {"delta.enableChangeDataFeed": "true"}
TRACKED = msgspec.structs.replace(METADATA, configuration=FEED)


def log_of(*commits, table=TRACKED) -> TableLog:
    """Return a log of version 0 and these commits; commit files are made a second apart."""
    clock = iter(range(0, 1_000_000, 1000))
    store = MemoryStore(now=lambda: next(clock))
    create(store, table=table)
    for version, actions in enumerate(commits, 1):
        commit(store, version, *actions)
    return TableLog(store)


def cdc(path):
    return AddCdcFile(path=path, partition_values={"p": "x"}, size=3, data_change=False)


def changes_in(log, start=0, end=None):
    """Return (kind, version, path) of all files with changes."""
    latest = log.latest()
    found = changed_files(log, start, latest.version if end is None else end, latest.metadata)
    rows = []
    for files in (found.change_files, found.derived):
        for row in files.to_pylist():
            values = dict(row["partition_values"])
            rows.append((values.get(CHANGE_TYPE), int(values[COMMIT_VERSION]), row["path"]))
    return sorted(rows, key=lambda row: (row[1], row[2], str(row[0])))


def test_files_that_come_and_go_tell_inserts_and_deletes():
    log = log_of([add("a")], [remove("a"), add("b")])

    assert changes_in(log) == [("insert", 1, "a"), ("delete", 2, "a"), ("insert", 2, "b")]


def test_change_files_tell_their_commit_alone():
    log = log_of([add("a")], [remove("a"), add("b"), cdc("_change_data/c")])

    assert changes_in(log, start=2) == [(None, 2, "_change_data/c")]


def test_files_that_only_move_rows_tell_nothing():
    moved = msgspec.structs.replace(remove("a"), data_change=False)
    log = log_of([add("a")], [moved, add("b", data_change=False)])

    assert changes_in(log, start=2) == []


def test_range_is_of_versions_with_both_ends():
    log = log_of([add("a")], [add("b")], [add("c")])

    assert changes_in(log, 2, 2) == [("insert", 2, "b")]
    assert changes_in(log, 9, 8) == []


def test_commits_say_version_and_time():
    log = log_of([add("a")])

    values = dict(changed_files(log, 1, 1, TRACKED).derived["partition_values"][0].as_py())

    assert values == {
        "p": "x",
        CHANGE_TYPE: "insert",
        COMMIT_VERSION: "1",
        COMMIT_TIMESTAMP: "1970-01-01 00:00:01.000000Z",
    }


def rows_of(log, version) -> dict[str, set[int]]:
    """Return which of ten rows of the file each kind of change has."""
    files = changed_files(log, version, version, log.latest().metadata).derived
    found = {}
    for row in files.to_pylist():
        vector = msgspec.convert(row["deletion_vector"], DeletionVector)
        hidden = read_vector(log.store, log.store.url, vector)
        kind = dict(row["partition_values"])[CHANGE_TYPE]
        found[kind] = {number for number in range(10) if number not in hidden}
    return found


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (set(), {1, 2}, {"delete": {1, 2}}),
        ({1, 2}, {1, 2, 7}, {"delete": {7}}),
        ({1, 2}, {2, 3}, {"delete": {3}, "insert": {1}}),
        ({1}, {1}, {}),
    ],
)
def test_vectors_tell_the_rows_between_them(before, after, expected):
    stats = '{"numRecords":10}'
    old = add("a", inline(BitMap64(before)) if before else None, stats=stats)
    new = add("a", inline(BitMap64(after)), stats=stats)
    log = log_of([old], [remove("a", old.deletion_vector), new])

    assert rows_of(log, 2) == expected


def test_vectors_of_files_whose_rows_nobody_counted():
    log = log_of([add("a")], [remove("a"), add("a", inline(BitMap64({1})))])

    assert rows_of(log, 2) == {"delete": {1}}


def test_merge_that_changed_no_row_tells_nothing():
    none = {
        "numTargetRowsInserted": "0",
        "numTargetRowsUpdated": "0",
        "numTargetRowsDeleted": "0",
    }
    merged = info("MERGE", operation_metrics=none)
    log = log_of([add("a")], [merged, remove("a"), add("b")])

    assert changes_in(log, start=2) == []


def test_removed_file_that_says_little_is_looked_up():
    bare = msgspec.structs.replace(remove("a"), size=None)
    log = log_of([add("a", size=77)], [bare])

    files = changed_files(log, 2, 2, TRACKED).derived

    assert files["size"].to_pylist() == [77]
    assert dict(files["partition_values"][0].as_py())["p"] == "x"


def test_versions_that_did_not_keep_their_changes_are_named():
    log = log_of([add("a")], [TRACKED], [add("b")], table=METADATA)

    assert changes_in(log, start=2) == [("insert", 3, "b")]
    with pytest.raises(DeltaAnalysisError) as raised:
        changes_in(log, start=1)
    assert raised.value.condition == "DELTA_MISSING_CHANGE_DATA"
    assert raised.value.parameters["version"] == "1"


def with_schema(*fields):
    return msgspec.structs.replace(
        TRACKED, schema_string=schema_to_json(StructType(fields)), partition_columns=[]
    )


A_INT, A_LONG = StructField("a", INTEGER), StructField("a", LONG)
B = StructField("b", STRING)


@pytest.mark.parametrize(
    ("first", "then", "condition"),
    [
        ((A_INT,), (A_INT, B), None),
        ((A_INT,), (A_LONG,), None),
        ((A_INT, B), (A_INT,), "DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA"),
        ((A_LONG,), (A_INT,), "DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA"),
    ],
)
def test_changes_are_read_with_one_schema(first, then, condition):
    log = log_of([with_schema(*then)], table=with_schema(*first))

    if condition is None:
        assert changes_in(log) == []
        return
    with pytest.raises(DeltaUnsupportedOperationError) as raised:
        changes_in(log)
    assert raised.value.condition == condition


def test_schema_that_changes_within_the_range_is_refused_there():
    log = log_of([with_schema(A_INT, B)], [with_schema(A_INT)], table=with_schema(A_INT))

    with pytest.raises(DeltaUnsupportedOperationError) as raised:
        changes_in(log)

    assert raised.value.condition == "DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE"
    assert raised.value.parameters["incompatibleVersion"] == "1"


@pytest.mark.parametrize(
    "stats", [None, "", "{", "[]", "{}", '{"numRecords":"x"}', '{"numRecords":-1}', "[" * 100_000,
              f'{{"numRecords":{2**62}}}', f'{{"numRecords":{10**400}}}']
)  # fmt: skip
def test_vectors_tell_the_rows_between_them_whatever_the_statistics_say(stats):
    old, new = (add("a", inline(BitMap64(rows)), stats=stats) for rows in ({1}, {1, 7}))
    log = log_of([old], [remove("a", old.deletion_vector), new])

    assert rows_of(log, 2) == {"delete": {7}}
