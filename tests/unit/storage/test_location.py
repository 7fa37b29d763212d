"""URLs of tables, paths of the log, names of partition folders."""

import ntpath
from pathlib import PurePosixPath, PureWindowsPath

import pytest

from puredelta.errors import DeltaIllegalArgumentError
from puredelta.storage import location
from puredelta.storage.location import (
    absolute,
    decode_path,
    encode_path,
    escape_partition_name,
    local_path,
    path_text,
    scheme_of,
    table_url,
    unescape_partition_name,
)


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("/tmp/t", "file:///tmp/t"),
        ("/tmp/a b/%41é#/", "file:///tmp/a b/%41é#"),
        ("/tmp/x/../t", "file:///tmp/t"),
        ("//tmp/t", "file:///tmp/t"),
        ("file:/tmp/t", "file:///tmp/t"),
        ("file:///tmp//t/", "file:///tmp/t"),
        ("FILE:///tmp/t", "file:///tmp/t"),
        ("file://localhost/tmp/t", "file:///tmp/t"),
        ("s3://bucket/t/", "s3://bucket/t"),
        ("s3a://bucket", "s3a://bucket"),
        ("abfss://c@a.dfs.core.windows.net/t", "abfss://c@a.dfs.core.windows.net/t"),
    ],
)
def test_table_url_has_one_form(given, url):
    assert table_url(given) == url


def test_relative_path_is_below_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert table_url("a/t") == f"file://{tmp_path}/a/t"
    assert table_url("a:b=1/t") == f"file://{tmp_path}/a:b=1/t"


def test_local_path_is_for_this_machine_only():
    assert local_path("file:///tmp/a b") == "/tmp/a b"
    assert local_path("s3://b/t") is None
    assert (scheme_of("S3://b/t"), scheme_of("/t")) == ("s3", "")


@pytest.fixture
def windows(monkeypatch):
    """Paths are those of Windows, where the working folder is on drive C."""
    monkeypatch.setattr(location, "_ON_WINDOWS", True)
    monkeypatch.setattr(location, "local_paths", ntpath)
    monkeypatch.setattr("os.getcwd", lambda: r"C:\work")


@pytest.mark.parametrize(
    ("given", "url", "path"),
    [
        (r"C:\data\a b", "file:///C:/data/a b", "C:/data/a b"),
        ("C:/data/t/", "file:///C:/data/t", "C:/data/t"),
        (PureWindowsPath(r"C:\data\x\..\t"), "file:///C:/data/t", "C:/data/t"),
        (PureWindowsPath("t"), "file:///C:/work/t", "C:/work/t"),
        (r"a\t", "file:///C:/work/a/t", "C:/work/a/t"),
        ("file:///C:/data/t", "file:///C:/data/t", "C:/data/t"),
        ("file:/C:/data/t", "file:///C:/data/t", "C:/data/t"),
        ("file:///C:\\data\\t", "file:///C:/data/t", "C:/data/t"),
        ("C:\\", "file:///C:", "C:/"),
        ("s3://bucket/t", "s3://bucket/t", None),
    ],
)
def test_paths_of_windows_become_urls_and_paths_again(windows, given, url, path):
    assert table_url(path_text(given)) == url
    assert table_url(url) == url
    assert local_path(url) == path


def test_files_of_a_table_on_windows_are_below_it(windows):
    root = table_url(r"C:\data\t")

    assert absolute(root, "p=1/f") == "file:///C:/data/t/p=1/f"
    assert absolute(root, "../u/f") == "file:///C:/data/u/f"
    assert local_path(absolute(root, "file:/D:/u/f")) == "D:/u/f"


def test_share_of_the_network_is_refused(windows):
    with pytest.raises(DeltaIllegalArgumentError) as refused:
        table_url(r"\\server\share\t")

    assert refused.value.condition == "PUREDELTA_PATH_NOT_OF_THIS_MACHINE.SHARE"
    assert r"net use Z: \\server\share" in str(refused.value)


@pytest.mark.parametrize(
    "path", [r"C:\data\t", "c:/data/t", PureWindowsPath("C:/data/t"), PureWindowsPath("D:/")]
)
def test_drive_is_refused_where_there_are_none(path):
    with pytest.raises(DeltaIllegalArgumentError) as refused:
        table_url(path_text(path))

    assert refused.value.condition == "PUREDELTA_PATH_NOT_OF_THIS_MACHINE.DRIVE"
    assert refused.value.parameters == {"path": str(path)}


def test_folder_that_is_named_as_a_drive_can_be_reached(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert table_url("./C:/t") == f"file://{tmp_path}/C:/t"
    assert table_url("file:///C:/t") == "file:///C:/t"
    assert local_path("file:///C:/t") == "/C:/t"


@pytest.mark.parametrize(
    ("url", "host", "suggestion"),
    [
        ("file://tmp/t", "tmp", "file:///tmp/t"),
        ("file://server/t", "server", "file:///server/t"),
        ("file://tmp", "tmp", "file:///tmp"),
    ],
)
def test_host_of_a_file_is_refused(url, host, suggestion):
    with pytest.raises(DeltaIllegalArgumentError) as refused:
        local_path(url)

    assert table_url(url) == url

    assert refused.value.condition == "PUREDELTA_PATH_NOT_OF_THIS_MACHINE.HOST"
    assert refused.value.parameters == {"path": url, "host": host, "suggestion": suggestion}


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("/Users/ann/my tables/t", "file:///Users/ann/my tables/t"),
        (PurePosixPath("/Volumes/Data/t"), "file:///Volumes/Data/t"),
        # macOS stores names decomposed, and finds both forms; Linux keeps them apart.
        ("/t/u\u0308n", "file:///t/u\u0308n"),
    ],
)
def test_paths_of_macos_are_left_as_they_are(given, url):
    assert table_url(path_text(given)) == url
    assert local_path(url) == path_text(given)


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("p=1/f", "s3://b/t/p=1/f"),
        ("/other/f", "s3://b/other/f"),
        ("s3://c/f", "s3://c/f"),
        ("file:/f", "file:///f"),
    ],
)
def test_absolute_path_of_a_file(path, url):
    assert absolute("s3://b/t", path) == url


@pytest.mark.parametrize(
    ("path", "encoded"),
    [
        ("p=a b/f", "p=a%20b/f"),
        ("p=%3A/f", "p=%253A/f"),
        ("p=ünï漢/f", "p=ünï漢/f"),
        ("x#y?z[1]", "x%23y%3Fz%5B1%5D"),
        ('"<>\\^`{|}', "%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("-_.!~*'(),;:$&+=@/", "-_.!~*'(),;:$&+=@/"),
        ("a\u00a0b\u2003\x85\t", "a%C2%A0b%E2%80%83%C2%85%09"),
    ],
)
def test_log_paths_are_encoded_as_hadoop_does(path, encoded):
    assert encode_path(path) == encoded
    assert decode_path(encoded) == path


def test_partition_names_are_escaped_as_hive_does():
    text = "a b/c:d=e%\"'{}[]^?\\*#\n\x7f~+é"

    escaped = escape_partition_name(text)

    assert escaped == "a b%2Fc%3Ad%3De%25%22%27%7B}%5B%5D%5E%3F%5C%2A%23%0A%7F~+é"
    assert unescape_partition_name(escaped) == text
