"""URLs of tables, paths of the log, names of partition folders."""

import pytest

from puredelta.storage.location import (
    absolute,
    decode_path,
    encode_path,
    escape_partition_name,
    local_path,
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
        ("file:/tmp/t", "file:///tmp/t"),
        ("file:///tmp//t/", "file:///tmp/t"),
        ("FILE:///tmp/t", "file:///tmp/t"),
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
