"""VACUUM on a file system: folders, links, and what is in them."""

import os
from pathlib import Path

import pytest

from puredelta.storage.local import LocalStore
from tests.unit.maintenance.vacuum.lake import NOON, Lake
from tests.unit.txn.tables import add

OLD = NOON / 1000 - 30 * 86_400


@pytest.fixture
def lake(tmp_path):
    return Lake(LocalStore(str(tmp_path)))


def make(folder: Path, name: str, *, when: float = OLD) -> Path:
    """Make a file, or a folder where the name ends with a slash."""
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    if name.endswith("/"):
        place.mkdir(exist_ok=True)
    else:
        place.write_bytes(b"123")
    for path in (place, *place.relative_to(folder).parents):
        os.utime(folder / path, (when, when))
    return place


def zero(lake):
    """A VACUUM at the time of the files."""
    lake.now = NOON
    return lake.vacuum(retain_hours=0)


def test_empty_folders_go_the_deepest_first(lake, tmp_path):
    make(tmp_path, "x/y/z/")

    done = zero(lake).run()

    assert (done.files, done.folders, done.visited) == (0, 3, 4)
    assert not (tmp_path / "x").exists()


def test_folder_with_a_young_a_hidden_or_a_change_file_is_not_even_listed(lake, tmp_path):
    # delta-spark lists them as to be deleted, and then does not delete them.
    make(tmp_path, "young/x", when=NOON / 1000 + 60)
    make(tmp_path, "hidden/.x")
    make(tmp_path, "deep/_tmp/x")
    make(tmp_path, "_change_data/x", when=NOON / 1000 + 60)

    assert zero(lake).paths() == []


def test_young_empty_folder_stays_with_those_that_it_is_in(lake, tmp_path):
    make(tmp_path, "a/b/")
    make(tmp_path, "c/")
    os.utime(tmp_path / "a/b", (NOON / 1000 + 60, NOON / 1000 + 60))

    assert zero(lake).paths() == ["c"]


def test_folder_that_this_run_empties_goes_in_the_next(lake, tmp_path):
    stray = make(tmp_path, "p=1/stray")

    first = zero(lake).run()
    os.utime(tmp_path / "p=1", (OLD, OLD))
    second = zero(lake).run()

    assert (first.files, first.folders) == (1, 0)
    assert (second.files, second.folders) == (0, 1)
    assert not stray.parent.exists()


def test_folder_that_a_live_file_should_be_in_stays(lake, tmp_path):
    lake.write("p=1/a")
    (tmp_path / "p=1/a.parquet").unlink()
    os.utime(tmp_path / "p=1", (OLD, OLD))

    assert zero(lake).paths() == []


def test_folder_that_is_filled_meanwhile_is_not_removed(lake, tmp_path, monkeypatch):
    make(tmp_path, "p=1/")
    work = zero(lake)
    deleted = type(lake.store).delete_folder

    def filled(store, name):
        (tmp_path / name / "new").write_bytes(b"1")
        return deleted(store, name)

    monkeypatch.setattr(type(lake.store), "delete_folder", filled)
    done = work.run()

    assert done.folders == 0
    assert (tmp_path / "p=1/new").exists()


def test_checksum_of_hadoop_goes_with_its_file(lake, tmp_path):
    make(tmp_path, "a.parquet")
    make(tmp_path, ".a.parquet.crc")

    zero(lake).run()

    assert sorted(path.name for path in tmp_path.iterdir()) == ["_delta_log"]


def test_link_is_removed_and_its_target_stays(lake, tmp_path):
    target = make(tmp_path, "_elsewhere/x")
    (tmp_path / "link").symlink_to(target)

    zero(lake).run()

    assert target.exists()
    assert not (tmp_path / "link").is_symlink()


def test_folder_that_a_link_leads_to_is_left_alone(lake, tmp_path, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    outside = [make(elsewhere, "a.parquet"), make(elsewhere, "empty/")]
    (tmp_path / "p=2").symlink_to(elsewhere)

    assert zero(lake).run().files == 0
    assert all(path.exists() for path in outside)
    assert (tmp_path / "p=2").is_symlink()


def test_file_stays_that_the_log_names_through_a_link(lake, tmp_path):
    place = make(tmp_path, "moved/p=1/a.parquet")
    (tmp_path / "p=1").symlink_to(tmp_path / "moved/p=1")
    lake.commit(add("p=1/a"))

    zero(lake).run()

    assert place.exists()


def test_damaged_link_is_passed_over(lake, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")

    assert zero(lake).run().files == 0


def test_mark_of_a_creation_that_was_killed_after_its_commit_goes_once_it_is_old(lake, tmp_path):
    mark = make(tmp_path, "_delta_log/.first-files", when=NOON / 1000 + 60)

    assert zero(lake).run().files == 0
    os.utime(mark, (OLD, OLD))
    assert zero(lake).run().files == 1
    assert not mark.exists()


@pytest.mark.parametrize(
    "name",
    [
        "part-0.parquet",
        "p=1/part-0.parquet",
        "deletion_vector_0.bin",
        "_delta_log/00000000000000000009.json",
        "_delta_log/_last_checkpoint",
        "_delta_log/_sidecars/0.parquet",
    ],
)
def test_what_a_killed_process_left_unfinished_goes_once_it_is_old(lake, tmp_path, name):
    folder, _, file = name.rpartition("/")
    beside = f".{file}.00112233445566778899aabbccddeeff.tmp"
    old = make(tmp_path, f"{folder}/{beside}".lstrip("/"))
    other = beside.replace("0011223344", "9911223344")
    young = make(tmp_path, f"{folder}/{other}".lstrip("/"), when=NOON / 1000 + 60)

    done = zero(lake).run()

    assert done.files == 1
    assert not old.exists()
    assert young.exists()
