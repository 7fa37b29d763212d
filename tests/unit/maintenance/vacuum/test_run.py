"""What VACUUM deletes, what it keeps, and what it says of it."""

import json

import pytest

from puredelta.errors import DeltaError, DeltaIllegalStateError
from puredelta.log.actions import AddCdcFile
from puredelta.log.table_log import TableLog
from puredelta.maintenance.vacuum.request import InventoryEntry
from puredelta.maintenance_settings import VacuumSettings
from puredelta.storage.store import ObjectInfo
from tests.unit.maintenance.vacuum.lake import DAY, Lake, vector_in
from tests.unit.txn.tables import add, create

LOGGED = VacuumSettings(retention_check=False, vacuum_logging=True)


def test_removed_file_goes_when_the_retention_of_the_table_has_passed():
    lake = Lake()
    lake.write("p=1/a", "p=1/b")
    lake.delete("p=1/a")

    lake.wait(6 * DAY)
    early = lake.vacuum().run()
    lake.wait(2 * DAY)
    late = lake.vacuum().run()

    assert (early.files, late.files, late.bytes) == (0, 1, 10)
    assert lake.names() == ["p=1/b.parquet"]


def test_stray_file_goes_when_it_is_old_and_stays_while_it_is_young():
    lake = Lake()
    lake.put("stray")
    lake.wait(8 * DAY)
    lake.put("running")

    assert lake.vacuum().paths() == ["stray"]


def test_retention_of_zero_deletes_what_the_newest_version_does_not_need():
    lake = Lake()
    lake.write("a", "b")
    lake.delete("a")
    lake.put("stray")

    lake.vacuum(retain_hours=0).run()

    assert lake.names() == ["b.parquet"]


def test_file_whose_removal_began_long_before_its_commit_stays():
    # OPTIMIZE takes the time before its job: a job of eight days commits an expired tombstone.
    lake = Lake()
    lake.write("a")
    began = lake.now
    lake.wait(8 * DAY)
    version = lake.delete("a", began=began) - 1

    assert lake.vacuum().paths() == []
    assert lake.files(version) == ["a.parquet"]


def test_file_within_a_retention_longer_than_the_tables_stays_though_checkpoints_forgot_it():
    lake = Lake(**{"delta.checkpointInterval": "1"})
    lake.write("a")
    lake.delete("a")
    lake.wait(9 * DAY)
    lake.write("b")
    assert lake.log.latest().tombstones().num_rows == 0

    assert lake.vacuum(retain_hours=10 * 24).paths() == []
    assert lake.vacuum().paths() == ["a.parquet"]


def test_change_file_of_a_version_within_the_retention_stays_however_old_the_file_is():
    lake = Lake()
    lake.put("_change_data/c")
    lake.wait(8 * DAY)
    lake.put("_change_data/stray")
    lake.commit(AddCdcFile(path="_change_data/c", partition_values={}, size=1, data_change=False))

    assert lake.vacuum().paths() == []
    lake.wait(8 * DAY)
    assert lake.vacuum().paths() == ["_change_data/c", "_change_data/stray"]


def test_file_of_the_moment_from_which_versions_stay_readable_is_young():
    lake = Lake()
    lake.put("stray")
    lake.wait(7 * DAY - 1)

    # A VACUUM takes a millisecond.
    assert lake.vacuum().paths() == []
    assert lake.vacuum().paths() == ["stray"]


def test_removal_of_the_moment_from_which_versions_stay_readable_has_not_expired():
    lake = Lake()
    lake.write("a")
    lake.wait(DAY)
    lake.delete("a", began=lake.now + 1)
    lake.wait(7 * DAY - 1)

    assert lake.vacuum().paths() == []
    assert lake.vacuum().paths() == ["a.parquet"]


def test_vector_stays_with_the_version_that_needs_it():
    lake = Lake(**{"delta.enableDeletionVectors": "true"})
    (old, old_name), (new, new_name) = vector_in(1), vector_in(2)
    lake.put(old_name)
    lake.put(new_name)
    lake.write("a", vector=old)
    lake.wait(1)
    lake.delete("a", vector=old)
    lake.write("a", vector=new)

    assert lake.vacuum().paths() == []
    lake.wait(8 * DAY)
    assert lake.vacuum().paths() == [old_name]


def test_hidden_names_stay_and_change_data_does_not():
    lake = Lake()
    for name in ("_logs/x", ".part.crc", "p=1/_tmp/x", "p=1/.x", "_change_data/x", "metadata/m"):
        lake.put(name)
    lake.wait(8 * DAY)

    assert sorted(lake.vacuum().paths()) == ["_change_data/x", "metadata/m"]


def test_folder_of_a_partition_is_not_hidden_whatever_its_column_is_called(monkeypatch):
    from tests.unit.maintenance.vacuum import lake as lakes
    from tests.unit.txn import tables

    monkeypatch.setattr(
        tables, "SCHEMA", tables.StructType((tables.StructField("_p", tables.STRING),))
    )
    lake = lakes.Lake(partition_columns=("_p",))
    lake.put("_p=1/x")
    lake.put("_q=1/x")
    lake.wait(8 * DAY)

    assert lake.vacuum().paths() == ["_p=1/x"]


def test_absolute_path_into_the_folder_is_the_file_that_it_names():
    lake = Lake()
    lake.put("a b.parquet")
    lake.put("c.parquet")
    lake.commit(add("memory:/t/a%20b"), add("memory:/u/c"))
    lake.wait(8 * DAY)

    assert lake.vacuum().paths() == ["c.parquet"]


def test_commit_that_lands_while_the_folder_is_listed_keeps_its_file():
    lake = Lake()
    lake.put("late.parquet")
    lake.put("stray")
    lake.wait(8 * DAY)

    def on_call(operation, name):
        if operation == "walk":
            lake.store.on_call = None
            lake.log, log = TableLog(lake.store), lake.log
            lake.write("late")
            lake.log = log

    lake.store.on_call = on_call

    done = lake.vacuum().run()

    assert done.files == 1
    assert lake.names() == ["late.parquet"]


def test_commit_that_lands_between_two_deletions_keeps_its_file(monkeypatch):
    monkeypatch.setattr("puredelta.maintenance.vacuum.deletion.FILES_AT_ONCE", 1)
    lake = Lake()
    for name in ("a", "b", "c"):
        lake.put(f"{name}.parquet")
    lake.wait(8 * DAY)
    other = TableLog(lake.store)

    def on_call(operation, name):
        if (operation, name) == ("delete", "a.parquet"):
            lake.store.on_call = None
            lake.log, log = other, lake.log
            lake.write("c")
            lake.log = log

    lake.store.on_call = on_call
    # Threads take work ahead, so what comes next may be on its way.
    lake.vacuum().run()

    assert "c.parquet" in lake.names()


def test_table_that_is_replaced_meanwhile_keeps_its_files():
    lake = Lake()
    lake.put("a.parquet")
    lake.wait(8 * DAY)

    def on_call(operation, name):
        if operation == "walk":
            lake.store.on_call = None
            commits = [one.name for one in lake.store.list_from("_delta_log")]
            lake.store.delete(commits)
            create(TableLog(lake.store))

    lake.store.on_call = on_call

    with pytest.raises(DeltaError) as raised:
        lake.vacuum().run()

    assert raised.value.condition == "PUREDELTA_VACUUM_TABLE_REPLACED"
    assert lake.names() == ["a.parquet"]


# ------------------------------------------------------------------------------------------ history


def test_history_shows_start_and_end_with_their_metrics():
    lake = Lake()
    lake.write("a", "b")
    lake.delete("a")

    lake.vacuum(settings=LOGGED, retain_hours=0).run()
    end, start, *_ = lake.history()

    assert start["operation"] == "VACUUM START"
    assert start["operationParameters"] == {
        "retentionCheckEnabled": False,
        "defaultRetentionMillis": 7 * DAY,
        "specifiedRetentionMillis": 0,
    }
    assert start["operationMetrics"] == {"numFilesToDelete": "1", "sizeOfDataToDelete": "10"}
    assert (start["isolationLevel"], start["isBlindAppend"]) == ("SnapshotIsolation", True)
    assert end["operation"] == "VACUUM END"
    assert end["operationParameters"] == {"status": "COMPLETED"}
    assert end["operationMetrics"] == {"numDeletedFiles": "1", "numVacuumedDirectories": "1"}


def test_history_shows_that_nothing_was_to_be_deleted():
    lake = Lake()

    lake.vacuum(settings=LOGGED).run()
    end, start, *_ = lake.history()

    assert "specifiedRetentionMillis" not in start["operationParameters"]
    assert end["operationMetrics"] == {"numDeletedFiles": "0", "numVacuumedDirectories": "1"}


def test_history_shows_a_failure():
    lake = Lake()
    lake.put("a")
    lake.wait(8 * DAY)

    def on_call(operation, name):
        if operation == "delete":
            raise RuntimeError

    lake.store.on_call = on_call
    with pytest.raises(RuntimeError):
        lake.vacuum(settings=LOGGED).run()

    end = lake.history()[0]
    assert end["operationParameters"] == {"status": "FAILED"}
    assert not end.get("operationMetrics")


def test_file_that_cannot_be_deleted_ends_nothing():
    lake = Lake()
    for name in ("a", "b", "c"):
        lake.put(name)
    lake.wait(8 * DAY)

    def on_call(operation, name):
        if (operation, name) == ("delete", "b"):
            raise DeltaIllegalStateError("DELTA_CANNOT_VACUUM_LITE")

    lake.store.on_call = on_call
    done = lake.vacuum(settings=LOGGED).run()

    assert (done.files, done.failed) == (2, 1)
    assert lake.names() == ["b"]
    assert lake.history()[0]["operationMetrics"]["numDeletedFiles"] == "2"


def test_object_store_of_amazon_gets_no_versions_unless_asked():
    lake = Lake()
    before = lake.log.latest().version

    lake.vacuum().run()

    assert lake.log.latest().version == before


# ---------------------------------------------------------------------------------------- inventory


def entry(url, *, modified=0, is_folder=False):
    return InventoryEntry(url, ObjectInfo("", 3, modified), is_folder)


def test_inventory_stands_for_the_listing():
    lake = Lake()
    lake.write("a")
    lake.put("stray%20x")
    lake.put("unlisted")
    lake.wait(8 * DAY)
    inventory = [
        entry("memory:///t/a.parquet"),
        entry("memory:/t/stray%20x"),
        entry("memory:///t/young", modified=lake.now),
        entry("memory:///t/_hidden/x"),
        entry("memory:///t/p=1", is_folder=True),
        entry("memory:///other/x"),
        entry("/t/unlisted"),
        entry("memory:///t/../t2/x"),
        entry("memory:///t"),
    ]

    preview = lake.vacuum(inventory=inventory).preview()

    assert preview.paths == ("stray%20x",)
    assert (preview.kind, preview.bytes) == ("INVENTORY", 3)


# ---------------------------------------------------------------------------------------- previews


def test_preview_says_which_versions_are_lost():
    lake = Lake()
    first = lake.write("a")  # 1
    lake.write("b")  # 2
    lake.delete("a")  # 3
    lake.write("c")  # 4
    lake.delete("b")  # 5
    lake.wait(8 * DAY)
    lake.write("d")

    preview = lake.vacuum().preview()

    assert first == 1
    assert preview.lost_versions == (1, 2, 3, 4)
    assert preview.paths == ("a.parquet", "b.parquet")
    assert "versions lost: 1 to 4 (4 of 7)" in str(preview)
    assert "2 files, 20 B" in preview._repr_html_()
    assert lake.names() == ["a.parquet", "b.parquet", "c.parquet", "d.parquet"]


def test_preview_counts_versions_from_where_the_log_begins():
    lake = Lake(**{"delta.checkpointInterval": "2"})
    lake.write("a")
    lake.write("b")
    lake.delete("a")
    lake.wait(8 * DAY)
    lake.write("c")
    lake.store.delete([f"_delta_log/{version:020}.json" for version in (0, 1)])

    preview = lake.vacuum(log=TableLog(lake.store)).preview()

    assert preview.first_version == 2
    assert preview.lost_versions == (2,)


def test_stray_files_cost_no_version():
    lake = Lake()
    lake.write("a")
    lake.put("stray")
    lake.wait(8 * DAY)

    preview = lake.vacuum().preview()

    assert preview.lost_versions == ()
    assert "versions lost: none" in str(preview)
    assert json.loads(json.dumps(preview.as_dict()))["paths"] == ["stray"]


def test_nothing_is_deleted_where_the_log_is_damaged():
    lake = Lake()
    lake.write("a")
    lake.delete("a")
    lake.wait(8 * DAY)
    lake.store.put("_delta_log/00000000000000000002.json", b"{nonsense}\n")

    with pytest.raises(DeltaError):
        lake.vacuum(log=TableLog(lake.store)).run()

    assert lake.names() == ["a.parquet"]
