"""Changes of rows: the records of their commit, the numbers of history, and that no row is lost."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from puredelta.commands.dml.commit import check_conserved
from puredelta.commands.dml.metrics import PhaseTimes, delete_metrics, update_metrics
from puredelta.commands.dml.row_change import RowChange, RowCounts
from puredelta.engine.write.footers import WrittenFiles
from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import AddFile, DeletionVector, RemoveFile
from puredelta.settings import Settings
from puredelta.storage.memory import MemoryStore
from puredelta.table.deletion_vectors.writing import MarkedFiles

SPENT = PhaseTimes(begun=1.0, scanned=1.5, done=2.25)


def a_file(name, rows, deleted=0, size=100):
    vector = DeletionVector(
        storage_type="i", path_or_inline_dv="x", size_in_bytes=1, cardinality=deleted
    )
    return AddFile(
        path=name,
        partition_values={},
        size=size,
        modification_time=1,
        data_change=True,
        stats=json.dumps({"numRecords": rows}),
        deletion_vector=vector if deleted else None,
    )


def written(*files):
    rows = sum(json.loads(file.stats)["numRecords"] for file in files)
    return WrittenFiles(files=files, empty=(), rows=rows)


def target(**settings):
    return SimpleNamespace(
        context=SimpleNamespace(settings=Settings(**settings)),
        before=SimpleNamespace(store=MemoryStore()),
        table=SimpleNamespace(options={}),
    )


REWRITTEN = RowChange(
    removed=[a_file("a%20b", 10), a_file("b", 5)],
    written=written(a_file("c", 12)),
    rows=RowCounts(deleted=3, copied=12),
)
MARKED = RowChange(
    marked=MarkedFiles(
        before=[a_file("a", 10), a_file("b", 5, 1), a_file("d", 4, 3)],
        after=[a_file("a", 10, 2), a_file("b", 5, 4)],
        rows=6,
    ),
    written=written(a_file("c", 5)),
    rows=RowCounts(deleted=1, updated=5),
)


@pytest.mark.parametrize("change", [REWRITTEN, MARKED], ids=["rewritten", "marked"])
def test_rows_that_agree_pass(change):
    check_conserved(target(), change, "DELETE")


@pytest.mark.parametrize(
    "change",
    [
        replace(REWRITTEN, rows=RowCounts(deleted=4)),
        replace(REWRITTEN, written=written(a_file("c", 13))),
        replace(MARKED, rows=RowCounts(deleted=1, updated=5, inserted=1)),
        replace(REWRITTEN, written=written()),
    ],
    ids=["lost", "duplicated", "inserted", "nothing is left"],
)
def test_rows_that_do_not_agree_stop_the_commit(change):
    with pytest.raises(DeltaIllegalStateError, match="rows would be lost or duplicated") as caught:
        check_conserved(target(), change, "DELETE")

    assert caught.value.condition == "DELTA_NUM_RECORDS_MISMATCH"
    assert caught.value.parameters["operation"] == "DELETE"


def test_error_names_the_files():
    with pytest.raises(DeltaIllegalStateError) as caught:
        check_conserved(target(), replace(REWRITTEN, rows=RowCounts()), "UPDATE")

    assert "Files: a b, b." in str(caught.value)


def test_few_of_many_files_are_named():
    files = [a_file(f"f{number}", 1) for number in range(12)]

    with pytest.raises(DeltaIllegalStateError, match="f9 and 2 more"):
        check_conserved(target(), replace(REWRITTEN, removed=files), "UPDATE")


def test_session_may_do_without_counting():
    check_conserved(target(check_rows=False), replace(REWRITTEN, rows=RowCounts()), "DELETE")


def test_files_that_go_uncounted_need_not_say_how_many_rows_they_have():
    change = RowChange(removed=[replace_stats(a_file("a", 10))], is_counted=False)

    check_conserved(target(), change, "DELETE")


def replace_stats(file):
    return AddFile(
        path=file.path, partition_values={}, size=1, modification_time=1, data_change=True
    )


def test_records_take_away_files_as_they_were():
    removes = [one for one in MARKED.actions() if isinstance(one, RemoveFile)]

    assert [(one.path, one.stats) for one in removes] == [
        ("a", '{"numRecords":10}'),
        ("b", '{"numRecords":5}'),
        ("d", '{"numRecords":4}'),
    ]
    assert [one.deletion_vector and one.deletion_vector.cardinality for one in removes] == [
        None,
        1,
        3,
    ]


def test_new_files_are_without_stats_where_the_session_says_so():
    adds = [one for one in MARKED.actions(with_stats=False) if isinstance(one, AddFile)]

    # A file with a vector has to say how many rows it has.
    assert [one.stats is None for one in adds] == [False, False, True]


def test_numbers_of_a_rewriting_delete():
    assert delete_metrics(REWRITTEN, SPENT) == {
        "numRemovedFiles": "2",
        "numRemovedBytes": "200",
        "numAddedFiles": "1",
        "numAddedBytes": "100",
        "numAddedChangeFiles": "0",
        "numCopiedRows": "12",
        "numDeletedRows": "3",
        "numDeletionVectorsAdded": "0",
        "numDeletionVectorsRemoved": "0",
        "numDeletionVectorsUpdated": "0",
        "scanTimeMs": "500",
        "rewriteTimeMs": "750",
        "executionTimeMs": "1250",
    }


def test_numbers_of_marks():
    deleted, updated = delete_metrics(MARKED, SPENT), update_metrics(MARKED, SPENT)

    shared = {"Added": "2", "Removed": "2", "Updated": "1"}
    for found in (deleted, updated):
        assert {key: found[f"numDeletionVectors{key}"] for key in shared} == shared
        assert found["numRemovedBytes"] == "0"
    # As delta-spark counts: an UPDATE all files it takes away, a DELETE those without rows left.
    assert (deleted["numRemovedFiles"], updated["numRemovedFiles"]) == ("1", "3")
    assert updated["numUpdatedRows"] == "5"


def test_numbers_that_nobody_counted_are_left_out():
    found = delete_metrics(REWRITTEN, SPENT, is_counted=False)

    assert {"numDeletedRows", "numCopiedRows", "numAddedFiles"}.isdisjoint(found)
