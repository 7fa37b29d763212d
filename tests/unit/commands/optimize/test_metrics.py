"""What statements tell that write files anew."""

from pyroaring import BitMap64

from puredelta.commands.optimize.metrics import RESULT, OptimizeMetrics
from puredelta.log.actions import AddFile
from puredelta.table.deletion_vectors.vectors import inline


def file(size, rows_hidden=0):
    return AddFile(
        path=f"{size}.parquet",
        partition_values={},
        size=size,
        modification_time=0,
        data_change=True,
        deletion_vector=inline(BitMap64(range(rows_hidden))) if rows_hidden else None,
    )


def metrics(added=(), removed=()):
    return OptimizeMetrics(
        added=added, removed=removed, started_ms=5, parallelism=2, columns=3, columns_with_stats=3
    )


def test_sizes_are_told_of_files_that_came_and_went():
    told = metrics([file(10), file(20)], [file(40, 2)]).row("file:/t")["metrics"]

    assert told["filesAdded"] == {
        "min": 10,
        "max": 20,
        "avg": 15.0,
        "totalFiles": 2,
        "totalSize": 30,
    }
    assert (told["numFilesAdded"], told["numFilesRemoved"]) == (2, 1)
    assert told["deletionVectorStats"] == {
        "numDeletionVectorsRemoved": 1,
        "numDeletionVectorRowsRemoved": 2,
    }


def test_nothing_done_has_no_sizes_and_no_vectors():
    told = metrics().row("file:/t")["metrics"]

    assert told["filesAdded"] == {
        "min": None,
        "max": None,
        "avg": 0.0,
        "totalFiles": 0,
        "totalSize": 0,
    }
    assert told["deletionVectorStats"] is None


def test_every_field_is_one_of_the_result():
    told = metrics().row("file:/t")["metrics"]

    assert told.keys() <= set(RESULT["metrics"].dataType.names)


def test_history_tells_quarters_of_the_sizes():
    told = metrics([file(size) for size in (40, 10, 30, 20)], [file(5, 1)]).history()

    names = ("minFileSize", "p25FileSize", "p50FileSize", "p75FileSize", "maxFileSize")
    assert [told[name] for name in names] == ["10", "20", "30", "40", "40"]
    assert told["numDeletionVectorsRemoved"] == "1"
    assert metrics().history()["p50FileSize"] == "0"
