"""What the history row of a write tells, by what it was asked for and what it did."""

import msgspec
import pytest

from puredelta.commands.file_metrics import row_count
from puredelta.commands.rows.target import RemovedFiles
from puredelta.commands.write.history import WriteParameters, operation_of
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.write.footers import NOTHING_WRITTEN, WrittenFiles
from puredelta.log.actions import AddFile, DeletionVector
from puredelta.settings import Settings

ROW_METRICS = {"numAddedChangeFiles", "numCopiedRows", "numDeletedRows"}


def file(rows=None, size=10, vector=None):
    stats = None if rows is None else msgspec.json.encode({"numRecords": rows}).decode()
    return AddFile(
        path="f",
        partition_values={},
        size=size,
        modification_time=0,
        data_change=True,
        stats=stats,
        deletion_vector=vector,
    )


def written(*rows):
    return WrittenFiles(files=tuple(file(one) for one in rows), empty=(), rows=sum(rows))


def told(**given):
    plain = {
        "appends": False,
        "partition_by": (),
        "predicate": None,
        "dynamic": False,
        "evolves": False,
        "options": WriteOptions(),
    }
    return WriteParameters(**{**plain, **given})


REPLACED = RemovedFiles(removed=[file(3), file(5)], rewritten=written(2), deleted=6)


def test_overwrite_by_a_condition_tells_rows_that_went_and_moved():
    found = operation_of(told(predicate="id = 1"), Settings(), written(4), REPLACED)

    assert found.name == "WRITE"
    assert found.parameters == {"mode": "Overwrite", "partitionBy": [], "predicate": "id = 1"}
    assert found.metrics == {
        "numFiles": "2",
        "numOutputRows": "6",
        "numOutputBytes": "20",
        "numRemovedFiles": "2",
        "numRemovedBytes": "20",
        "numAddedChangeFiles": "0",
        "numCopiedRows": "2",
        "numDeletedRows": "6",
    }


def test_rows_are_not_counted_where_no_file_was_written():
    replaced = RemovedFiles(removed=[file(3)], deleted=3)

    found = operation_of(told(predicate="id = 1"), Settings(), NOTHING_WRITTEN, replaced)

    assert set(found.metrics) & {*ROW_METRICS, "numOutputRows"} == {"numAddedChangeFiles"}


@pytest.mark.parametrize(
    "settings", [Settings(replaced_row_metrics=False), Settings(replace_by_data=False)]
)
def test_without_metrics_of_rows_new_rows_are_told_alone(settings):
    found = operation_of(told(predicate="id = 1"), settings, written(4), REPLACED)

    assert not set(found.metrics) & ROW_METRICS
    assert found.metrics["numOutputRows"] == "4"


def test_removal_is_told_of_rows_even_where_it_is_switched_off():
    settings = Settings(removal_metrics=False)

    selecting = operation_of(told(predicate="id = 1"), settings, written(4), REPLACED)
    plain = operation_of(told(), settings, written(4), RemovedFiles(removed=[file(3)]))

    assert "numRemovedFiles" in selecting.metrics
    assert "numRemovedFiles" not in plain.metrics


def test_append_keeps_what_had_no_effect():
    options = WriteOptions(replace_using="id")

    by_condition = operation_of(
        told(appends=True, predicate="id = 1"), Settings(), written(4), RemovedFiles()
    )
    by_match = operation_of(
        told(appends=True, options=options), Settings(), written(4), RemovedFiles()
    )

    assert by_condition.parameters["mode"] == by_match.parameters["mode"] == "Append"
    assert set(by_condition.metrics) & ROW_METRICS == {"numAddedChangeFiles", "numCopiedRows"}
    assert by_match.parameters["replaceUsingCols"] == "(id)"
    assert not set(by_match.metrics) & ROW_METRICS


def test_parameters_name_what_was_asked_for():
    options = WriteOptions(overwrite_schema=True, replace_on="t.id = s.id")

    found = operation_of(
        told(partition_by=("p",), dynamic=True, evolves=True, options=options),
        Settings(),
        written(1),
        RemovedFiles(),
    )

    assert found.parameters == {
        "mode": "Overwrite",
        "partitionBy": ["p"],
        "isDynamicPartitionOverwrite": True,
        "canOverwriteSchema": True,
        "canMergeSchema": True,
        "replaceOnCond": "t.id = s.id",
    }


def test_rows_of_files_are_those_that_are_left():
    vector = DeletionVector(storage_type="i", path_or_inline_dv="x", size_in_bytes=1, cardinality=2)

    assert row_count([file(5), file(5, vector=vector), file(None)]) == 8
