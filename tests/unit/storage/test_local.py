"""The local store: atomic writes, and errors of the operating system."""

import errno
import os
import stat
from pathlib import Path

import pytest

from puredelta.errors import DeltaRuntimeError
from puredelta.storage.local import LocalStore
from puredelta.storage.store import ObjectNotFound


def test_root_may_be_missing(tmp_path):
    store = LocalStore(str(tmp_path / "no" / "such"))

    assert store.list_from("_delta_log") == []
    assert store.put_if_absent("_delta_log/0.json", b"")


@pytest.mark.skipif(os.name == "nt", reason="needs pipes")
def test_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    store = LocalStore(str(tmp_path))

    for read in (lambda: store.read("pipe"), lambda: store.read_range("pipe", 0, 9)):
        with pytest.raises(DeltaRuntimeError, match="a pipe or a device") as caught:
            read()
        assert caught.value.getCondition() == "DELTA_STORAGE_FAILURE"


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_name_that_no_file_can_have_is_not_found(tmp_path, name):
    store = LocalStore(str(tmp_path))

    assert store.info(name) is None
    store.delete([name])
    for use in (
        lambda: store.read(name),
        lambda: store.put(name, b""),
        lambda: store.put_if_absent(name, b""),
        lambda: store.put_stream_if_absent(name, iter([b""])),
    ):
        with pytest.raises(ObjectNotFound):
            use()


def test_no_temporary_file_stays(tmp_path):
    store = LocalStore(str(tmp_path))
    store.put_if_absent("a", b"")
    store.put_if_absent("a", b"")
    store.put("a", b"")

    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_file_system_without_links_still_has_one_winner(tmp_path, monkeypatch):
    def refuse(self, target):
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr("pathlib.Path.hardlink_to", refuse)
    store = LocalStore(str(tmp_path))

    assert store.put_if_absent("a", b"1")
    assert not store.put_if_absent("a", b"2")
    assert store.read("a") == b"1"

    def taken_meanwhile():
        yield b"2"
        store.put_if_absent("b", b"1")

    assert not store.put_stream_if_absent("b", taken_meanwhile())
    assert store.put_stream_if_absent("c", iter([b"1", b"2"]))
    assert (store.read("b"), store.read("c")) == (b"1", b"12")


def test_disk_that_is_full_leaves_no_part_of_a_file(tmp_path, monkeypatch):
    def refuse(self, target):
        raise OSError(errno.EPERM, "no links here")

    def fill(source, target):
        target.write(source.read(1))
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pathlib.Path.hardlink_to", refuse)
    monkeypatch.setattr("shutil.copyfileobj", fill)
    store = LocalStore(str(tmp_path))

    with pytest.raises(DeltaRuntimeError, match="No space left"):
        store.put_stream_if_absent("a", iter([b"12"]))

    assert list(tmp_path.iterdir()) == []


def test_failure_of_the_system_is_ours(tmp_path):
    (tmp_path / "folder").mkdir()
    store = LocalStore(str(tmp_path))

    with pytest.raises(DeltaRuntimeError, match="failed to read") as raised:
        store.read("folder")

    assert raised.value.condition == "DELTA_STORAGE_FAILURE"
    assert isinstance(raised.value.__cause__, OSError)


def test_folder_below_a_file_is_not_there(tmp_path):
    (tmp_path / "t").write_bytes(b"")
    store = LocalStore(str(tmp_path / "t"))

    assert store.list_from("_delta_log") == []
    assert store.info("_delta_log/0.json") is None


@pytest.mark.parametrize("change", ["put", "delete"])
def test_checksum_that_hadoop_left_beside_a_file_goes_with_its_old_content(tmp_path, change):
    store = LocalStore(str(tmp_path))
    store.put("log/_hint", b"old")
    beside = tmp_path / "log/._hint.crc"
    beside.write_bytes(b"of the old content")

    if change == "put":
        store.put("log/_hint", b"new")
    else:
        store.delete(["log/_hint"])

    assert not beside.exists()


@pytest.fixture
def steps(monkeypatch):
    """What is asked of the operating system, in order: the kind of thing that was synced, links."""
    seen = []

    def fsync(handle):
        seen.append("sync folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "sync file")

    link = Path.hardlink_to

    def linked(self, target):
        seen.append("link")
        link(self, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "hardlink_to", linked)
    return seen


def test_created_file_is_on_the_disk_before_it_is_told(tmp_path, steps):
    store = LocalStore(str(tmp_path))

    assert store.put_if_absent("a", b"1")

    assert steps == ["sync file", "link", "sync folder"]


def test_streamed_file_is_on_the_disk_before_it_is_told(tmp_path, steps):
    assert LocalStore(str(tmp_path)).put_stream_if_absent("a", [b"1", b"2"])

    assert steps == ["sync file", "link", "sync folder"]


def test_new_folders_are_on_the_disk_too(tmp_path, steps):
    LocalStore(str(tmp_path)).put_if_absent("a/b/c", b"1")

    assert steps == ["sync folder", "sync folder", "sync file", "link", "sync folder"]


def test_replaced_file_is_never_empty_after_a_loss_of_power(tmp_path, steps):
    LocalStore(str(tmp_path)).put("a", b"1")

    assert steps == ["sync file"]


def test_nothing_waits_for_the_disk_where_nobody_needs_it(tmp_path, steps, monkeypatch):
    monkeypatch.setenv("PUREDELTA_FSYNC", "false")

    assert LocalStore(str(tmp_path)).put_if_absent("a", b"1")

    assert steps == ["link"]


def test_file_system_that_cannot_sync_is_written_to(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", _failing(errno.EINVAL))

    assert LocalStore(str(tmp_path)).put_if_absent("a", b"1")


def test_disk_that_fails_to_sync_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", _failing(errno.EIO))

    with pytest.raises(DeltaRuntimeError, match="failed to write"):
        LocalStore(str(tmp_path)).put_if_absent("a", b"1")

    assert list(tmp_path.iterdir()) == []


def _failing(number):
    def fail(_):
        raise OSError(number, os.strerror(number))

    return fail
