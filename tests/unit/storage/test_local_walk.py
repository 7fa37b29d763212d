"""Walking through folders of this machine: links, and what goes while one looks."""

import logging
import os

import pytest

from puredelta.errors import DeltaRuntimeError
from puredelta.storage.local import LocalStore


def names(store, prefix=""):
    return [info.name for info in store.walk(prefix, lambda _: True)]


@pytest.fixture
def root(tmp_path):
    (tmp_path / "t/p=1").mkdir(parents=True)
    (tmp_path / "t/p=1/a").write_bytes(b"123")
    return tmp_path / "t"


def test_link_to_a_folder_elsewhere_is_followed(root, tmp_path):
    (tmp_path / "other/deep").mkdir(parents=True)
    (tmp_path / "other/deep/b").write_bytes(b"")
    (root / "p=2").symlink_to(tmp_path / "other")

    assert names(LocalStore(str(root))) == ["p=1/a", "p=2/deep/b"]


def test_link_to_a_file_tells_of_the_file(root):
    (root / "b").symlink_to(root / "p=1/a")

    assert [(info.name, info.size) for info in LocalStore(str(root)).walk("", bool)] == [
        ("b", 3),
        ("p=1/a", 3),
    ]


@pytest.mark.parametrize("target", [".", "p=1", ".."])
def test_link_to_a_folder_above_ends(root, tmp_path, target, caplog):
    (root / "p=1/loop").symlink_to(root / target)
    (tmp_path / "beside").write_bytes(b"")

    with caplog.at_level(logging.WARNING):
        found = names(LocalStore(str(root)))

    assert "p=1/a" in found
    assert len(found) == len(set(found)) == (2 if target == ".." else 1)
    assert "leads back into itself" in caplog.text


def test_root_may_be_a_link(root, tmp_path):
    (tmp_path / "link").symlink_to(root)

    assert names(LocalStore(str(tmp_path / "link"))) == ["p=1/a"]


@pytest.mark.parametrize("target", ["nowhere", "broken"])
def test_link_to_nothing_is_passed_over_and_told(root, target, caplog):
    (root / "broken").symlink_to(root / target)

    with caplog.at_level(logging.WARNING):
        assert names(LocalStore(str(root))) == ["p=1/a"]

    assert "broken is a link to nothing" in caplog.text


def test_what_is_no_file_is_no_file(root):
    os.mkfifo(root / "pipe")

    assert names(LocalStore(str(root))) == ["p=1/a"]


def test_folder_that_goes_while_it_is_walked_is_empty(root):
    (root / "q").mkdir()
    (root / "q/b").write_bytes(b"")

    def enters(folder):
        if folder == "q":
            (root / "q/b").unlink()
            (root / "q").rmdir()
        return True

    found = [info.name for info in LocalStore(str(root)).walk("", enters)]

    assert found == ["p=1/a"]


def test_folder_that_may_not_be_listed_is_our_error(root, monkeypatch):
    # Who runs the tests may be allowed everything.
    def refuse(path):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("os.scandir", refuse)

    with pytest.raises(DeltaRuntimeError, match="Permission denied") as raised:
        names(LocalStore(str(root)))

    assert raised.value.condition == "DELTA_STORAGE_FAILURE"
    assert isinstance(raised.value.__cause__, OSError)
