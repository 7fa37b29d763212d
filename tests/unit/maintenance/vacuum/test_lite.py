"""What VACUUM LITE deletes: files that expired commits removed since the last VACUUM."""

import json

import pytest

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.table_log import TableLog
from puredelta.maintenance.vacuum.last_vacuum import LAST_VACUUM
from tests.unit.maintenance.vacuum.lake import DAY, Lake


def test_lite_deletes_what_commits_removed_and_lists_nothing():
    lake = Lake()
    lake.write("a", "b")
    lake.delete("a")
    lake.change("_change_data/c")
    lake.put("stray")
    lake.wait(8 * DAY)
    calls = []
    lake.store.on_call = lambda *call: calls.append(call)

    done = lake.vacuum(lite=True).run()

    lake.store.on_call = None
    assert done.files == 2
    assert lake.names() == ["b.parquet", "stray"]
    assert [call for call in calls if call[0] == "walk"] == []
    assert json.loads(lake.store.read(LAST_VACUUM)) == {
        "latestCommitVersionOutsideOfRetentionWindow": 3
    }


def test_lite_goes_on_where_it_ended():
    lake = Lake()
    lake.write("a", "b", "c")
    lake.delete("a")
    lake.wait(8 * DAY)
    lake.vacuum(lite=True).run()
    lake.delete("b")
    lake.wait(8 * DAY)

    assert lake.vacuum(lite=True).paths() == ["b.parquet"]


def test_lite_goes_on_after_a_full_vacuum():
    # delta-spark forgets the position, and then needs the whole log again.
    lake = Lake(**{"delta.checkpointInterval": "1"})
    lake.write("a", "b", "c")
    lake.delete("a")
    lake.wait(8 * DAY)
    lake.vacuum().run()
    lake.delete("b")
    lake.store.delete(["_delta_log/00000000000000000000.json"])
    lake.wait(8 * DAY)

    assert lake.vacuum(lite=True, log=TableLog(lake.store)).paths() == ["b.parquet"]


def test_lite_needs_the_commits_since_the_last_vacuum():
    lake = Lake(**{"delta.checkpointInterval": "1"})
    lake.write("a", "b")
    lake.delete("a")
    lake.wait(8 * DAY)
    lake.store.delete([f"_delta_log/{0:020}.json", f"_delta_log/{1:020}.json"])

    with pytest.raises(DeltaIllegalStateError) as raised:
        lake.vacuum(lite=True, log=TableLog(lake.store)).run()

    assert raised.value.condition == "DELTA_CANNOT_VACUUM_LITE"
    assert lake.names() == ["a.parquet", "b.parquet"]


def test_lite_keeps_a_file_that_came_back():
    lake = Lake()
    lake.write("a")
    lake.delete("a")
    lake.write("a")
    lake.wait(8 * DAY)

    assert lake.vacuum(lite=True).paths() == []


def test_damaged_position_of_the_last_vacuum_counts_as_none():
    lake = Lake()
    lake.write("a")
    lake.delete("a")
    lake.put(LAST_VACUUM, b"{")
    lake.wait(8 * DAY)

    assert lake.vacuum(lite=True).paths() == ["a.parquet"]


def test_position_behind_the_newest_version_is_of_another_table():
    lake = Lake()
    lake.write("a")
    lake.delete("a")
    lake.put(LAST_VACUUM, b'{"latestCommitVersionOutsideOfRetentionWindow":3}')
    lake.wait(8 * DAY)

    assert lake.vacuum(lite=True).paths() == ["a.parquet"]


def test_lite_comes_back_to_a_file_that_could_not_be_deleted():
    lake = Lake()
    lake.write("a", "b")
    lake.delete("a", "b")
    lake.wait(8 * DAY)

    def on_call(operation, name):
        if (operation, name) == ("delete", "b.parquet"):
            raise DeltaIllegalStateError("DELTA_CANNOT_VACUUM_LITE")

    lake.store.on_call = on_call
    done = lake.vacuum(lite=True).run()
    lake.store.on_call = None

    assert (done.files, done.failed) == (1, 1)
    assert "b.parquet" in lake.vacuum(lite=True).paths()
