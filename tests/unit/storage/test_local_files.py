"""What may be a file of a table on this machine."""

import os

import pytest

from puredelta.storage.local_files import check_is_file, is_own_folder


def test_folder_behind_a_link_is_not_the_tables_own(tmp_path):
    (tmp_path / "t/own").mkdir(parents=True)
    (tmp_path / "t/link").symlink_to(tmp_path)
    url = f"file://{tmp_path}/t"

    assert is_own_folder(url, "own")
    assert is_own_folder(url, "nowhere")
    assert not is_own_folder(url, "link")
    assert is_own_folder("s3://bucket/t", "link")


@pytest.mark.skipif(os.name == "nt", reason="needs pipes and devices")
def test_only_a_file_is_a_file(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")

    check_is_file(str(tmp_path / "file"))
    check_is_file(str(tmp_path / "link"))
    for name in (tmp_path / "pipe", tmp_path, "/dev/zero"):
        with pytest.raises(OSError, match="a pipe or a device"):
            check_is_file(str(name))
    for name in (tmp_path / "nowhere", "a\0b", "\ud800"):
        with pytest.raises(FileNotFoundError):
            check_is_file(str(name))
