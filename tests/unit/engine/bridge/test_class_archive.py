"""The archive of Spark's classes: which one is used, and which is not."""

import os
import stat
import subprocess

import pytest

from puredelta.engine.bridge import class_archive
from puredelta.engine.bridge.cached_files import cached_files
from puredelta.errors.classes import DeltaRuntimeError

OPTIONS = "SPARK_SUBMIT_OPTS"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache folder, and a Java that the test can exchange."""
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\n")
    java.chmod(0o755)
    (tmp_path / "jdk" / "release").write_text('JAVA_VERSION="17.0.1"\n')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    monkeypatch.setenv("PUREDELTA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv(OPTIONS, raising=False)
    return tmp_path / "cache"


@pytest.fixture
def archive(folder):
    path = class_archive._path()
    folder.mkdir(mode=0o700)
    path.write_bytes(b"classes")
    path.chmod(0o400)
    return path


def test_none_is_used_where_none_is_kept(folder):
    assert class_archive.kept_archive() is None
    with class_archive.mapped_classes():
        assert OPTIONS not in os.environ


def test_a_jvm_that_is_started_inside_maps_the_archive(archive, monkeypatch):
    monkeypatch.setenv(OPTIONS, "-Xmx1g")
    with class_archive.mapped_classes():
        given = os.environ[OPTIONS]
    assert given.startswith(f"-Xmx1g -XX:SharedArchiveFile={archive} ")
    assert os.environ[OPTIONS] == "-Xmx1g"

    monkeypatch.delenv(OPTIONS)
    with class_archive.mapped_classes():
        assert OPTIONS in os.environ
    assert OPTIONS not in os.environ


def test_another_java_does_not_use_it(archive, tmp_path):
    assert class_archive.kept_archive() == archive
    (tmp_path / "jdk" / "release").write_text('JAVA_VERSION="21.0.1"\n')
    assert class_archive.kept_archive() is None


@pytest.mark.parametrize("rights", [0o420, 0o602])
def test_an_archive_that_others_can_change_is_not_used(archive, caplog, rights):
    archive.chmod(rights)
    assert class_archive.kept_archive() is None
    assert str(archive) in caplog.text


def test_a_folder_that_others_can_change_is_not_used(archive, folder):
    folder.chmod(folder.stat().st_mode | stat.S_IWOTH)
    assert class_archive.kept_archive() is None


def test_the_archive_is_listed_with_what_is_kept(archive):
    assert [file.path for file in cached_files()] == [archive]


def test_a_session_that_fails_says_why(folder, monkeypatch):
    monkeypatch.setattr(class_archive, "_PROGRAM", "raise SystemExit('no room for a session')")
    with pytest.raises(DeltaRuntimeError, match="no room for a session") as caught:
        class_archive.make_archive()
    assert caught.value.condition == "PUREDELTA_CLASSES_NOT_KEPT"
    assert list(folder.iterdir()) == []


def test_nothing_is_kept_without_java(folder, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(folder))
    monkeypatch.setattr(subprocess, "run", lambda *_args, **_given: pytest.fail("started"))
    with pytest.raises(DeltaRuntimeError, match="puredelta doctor"):
        class_archive.make_archive()
