"""A snapshot with its meaning."""

from dataclasses import replace

import pytest

from puredelta.errors import DeltaTableFeatureError
from puredelta.log.actions import Protocol
from puredelta.schema.datatypes import LONG, STRING
from puredelta.table.properties import CHECKPOINT_INTERVAL
from puredelta.table.view import TableView
from tests.unit.txn.tables import add, commit, table


def view(log):
    return TableView(log.latest(), "db.t")


def test_columns_are_told_apart():
    found = view(table())

    assert found.partition_columns == ("p",)
    assert [field.data_type for field in found.partition_schema] == [STRING]
    assert [(field.name, field.data_type) for field in found.data_schema] == [("a", LONG)]
    assert found.schema.names == ["a", "p"]


def test_properties_are_read_with_their_types():
    found = view(
        table(**{"delta.checkpointInterval": "3", "delta.dataSkippingNumIndexedCols": "1"})
    )

    assert found.value_of(CHECKPOINT_INTERVAL) == 3
    assert found.indexing.count == 1
    assert found.version == 0


def test_bounds_must_be_told_tight_where_vectors_may_come():
    assert not view(table()).has_tight_bounds
    assert view(table(**{"delta.enableDeletionVectors": "true"})).has_tight_bounds


def test_partitions_of_files_are_typed():
    log = table()
    commit(log, add("x", p="1"), add("y", p=None))

    assert sorted(map(str, view(log).partitions()["p"].to_pylist())) == ["1", "None"]


def test_view_that_may_be_used_gives_itself_back():
    found = view(table())

    assert found.check_readable() is found
    assert found.check_writable() is found


def test_view_that_may_not_be_written_says_so():
    log = table(**{"delta.feature.allowColumnDefaults": "supported"})
    assert view(log).check_writable()
    foreign = Protocol(min_reader_version=1, min_writer_version=7, writer_features=["clustering"])
    found = TableView(replace(log.latest(), protocol=foreign), "db.t")
    with pytest.raises(DeltaTableFeatureError) as raised:
        found.check_writable()
    assert raised.value.parameters["tableNameOrPath"] == "db.t"
