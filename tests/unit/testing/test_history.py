"""Histories are compared by operations, and by the metrics and parameters that a test names."""

import pytest

from puredelta.log.reader import open_table
from puredelta.log.table_log import clear_cache, open_log
from puredelta.testing import CommitSummary, assert_history, history_of
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import add, create

METRICS = {
    "numOutputRows": "2",
    "numOutputBytes": "700",
    "executionTimeMs": "5",
    "p25FileSize": "9",
}


@pytest.fixture
def path(tmp_path):
    """A table with two commits after the one that created it."""
    log = open_log(str(tmp_path))
    create(log)
    for name in ("a", "b"):
        operation = Operation("WRITE", {"mode": "Append", "partitionBy": ["p"]}, METRICS)
        Transaction(log, log.latest()).commit([add(name)], operation)
    yield str(tmp_path)
    clear_cache()


def test_history_has_what_is_the_same_in_each_run(path):
    write = {"numOutputRows": 2}

    assert history_of(path) == [
        CommitSummary(0, "CREATE TABLE"),
        CommitSummary(1, "WRITE", write),
        CommitSummary(2, "WRITE", write),
    ]
    assert history_of(path, after=1) == [CommitSummary(2, "WRITE", write)]
    assert repr(history_of(path, after=1)) == (
        "[CommitSummary(version=2, operation='WRITE', metrics={'numOutputRows': 2})]"
    )


def test_table_that_is_open_has_a_history(path):
    assert history_of(open_table(path)) == history_of(path)


def test_expected_commits_name_what_matters(path):
    assert_history(path, ["CREATE TABLE", "WRITE", ("WRITE", {"numOutputRows": 2})])
    assert_history(path, [("WRITE", {"numOutputRows": "2", "mode": "Append"})], after=1)
    assert_history(path, [], after=2)


@pytest.mark.parametrize(
    ("expected", "lines"),
    [
        (
            ["WRITE", "WRITE"],
            [
                "   version  expected  found",
                ">  0        WRITE     CREATE TABLE",
                "   1        WRITE     WRITE",
                ">  2        -         WRITE",
            ],
        ),
        (
            ["CREATE TABLE", "WRITE", ("WRITE", {"numOutputRows": 3, "no": 1}), "MERGE"],
            [
                "   version  expected                    found",
                "   0        CREATE TABLE                CREATE TABLE",
                "   1        WRITE                       WRITE",
                ">  2        WRITE numOutputRows=3 no=1  WRITE numOutputRows=2 no=None",
                ">           MERGE                       -",
            ],
        ),
    ],
)
def test_message_shows_both_histories_side_by_side(path, expected, lines):
    with pytest.raises(AssertionError) as failed:
        assert_history(path, expected)

    assert str(failed.value).splitlines() == [f"The history of file://{path} differs.", *lines]
