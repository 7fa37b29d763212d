"""A folder whose content others could change, or lead elsewhere, is told with the reason."""

import os
from pathlib import Path

import pytest

from puredelta.engine.bridge.private_folder import is_private_file, why_not_private

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="rights of POSIX")


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "above" / "cache"
    made.mkdir(parents=True, mode=0o700)
    return made


def test_folder_of_ones_own_is_private(folder):
    assert why_not_private(folder) is None
    assert why_not_private(folder / "not" / "there") is None


def test_folder_that_is_a_link_is_not(folder):
    link = folder.parent / "link"
    link.symlink_to(folder)

    assert why_not_private(link) == "it is a symbolic link"


def test_folder_below_one_that_others_may_write_to_is_not(folder):
    folder.parent.chmod(0o777)

    assert why_not_private(folder) == f"others may write to {folder.parent} above it"


def test_folder_below_a_shared_one_with_the_sticky_bit_is(folder):
    folder.parent.chmod(0o1777)

    assert why_not_private(folder) is None


def test_folder_behind_a_link_into_a_shared_one_is_not(folder):
    folder.parent.chmod(0o777)
    link = folder.parent.parent / "link"
    link.symlink_to(folder.parent)

    assert "others may write" in why_not_private(link / "cache")


def test_folder_of_another_user_is_not(folder, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)

    assert why_not_private(folder) == "it belongs to another user"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_folder_below_that_of_another_user_is_not(folder):
    os.chown(folder.parent, 12_345, 12_345)

    assert why_not_private(folder) == f"{folder.parent} above it belongs to another user"


@pytest.mark.parametrize(("group_name", "reason"), [("me", None), ("staff", "others may write")])
def test_group_that_only_the_user_is_in_may_write(folder, monkeypatch, group_name, reason):
    folder.parent.chmod(0o770)
    group = folder.parent.stat().st_gid
    user = type("User", (), {"pw_gid": group, "pw_name": "me"})
    found = type("Group", (), {"gr_name": group_name, "gr_mem": []})
    monkeypatch.setattr("puredelta.engine.bridge.private_folder._ROOT", -1 if group == 0 else 0)
    monkeypatch.setattr("pwd.getpwuid", lambda _: user)
    monkeypatch.setattr("grp.getgrgid", lambda _: found)

    found_reason = why_not_private(folder)

    assert found_reason == reason if reason is None else reason in str(found_reason)


def test_file_of_ones_own_is_private(folder):
    file = folder / "a.jar"
    file.write_bytes(b"x")
    file.chmod(0o600)

    assert is_private_file(file)


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_file_that_others_may_write_to_is_not(folder, mode):
    file = folder / "a.jar"
    file.write_bytes(b"x")
    file.chmod(mode)

    assert not is_private_file(file)


def test_file_with_another_name_or_behind_a_link_is_not(folder):
    elsewhere = folder.parent / "elsewhere"
    elsewhere.write_bytes(b"x")
    Path(folder / "linked").hardlink_to(elsewhere)
    (folder / "link").symlink_to(elsewhere)

    assert not is_private_file(folder / "linked")
    assert not is_private_file(folder / "link")
