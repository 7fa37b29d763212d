"""The jar of the adapters: cached, private, checked, compiled anew when it was changed."""

import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark import SparkContext

from puredelta.engine.bridge import compiler


@pytest.fixture
def cache(spark, tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("PUREDELTA_CACHE_DIR", str(folder))
    return folder


def jar(version: str = "4.9.9") -> Path:
    return compiler.adapters_jar(SparkContext._gateway, version)


def test_jar_is_compiled_once_into_a_private_folder(cache):
    first = jar()
    written = first.stat().st_mtime_ns

    assert jar() == first
    assert first.stat().st_mtime_ns == written
    assert first.parent == cache
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


def test_jar_that_is_not_what_was_built_is_built_anew(cache):
    first = jar()
    good = first.read_bytes()
    first.write_bytes(b"something else")

    assert jar().read_bytes() == good


def test_two_builds_are_equal_so_that_a_race_has_no_loser(cache):
    with ThreadPoolExecutor(2) as pool:
        jars = list(pool.map(lambda _: jar(), range(2)))

    assert jars[0] == jars[1]
    assert jar().read_bytes() == jars[0].read_bytes()


def test_folder_that_others_may_write_to_is_made_private(cache):
    cache.mkdir(mode=0o777)
    cache.chmod(0o777)

    planted = cache / "adapters-planted.jar"
    planted.write_bytes(b"not ours")

    jar()

    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert not planted.exists()


def test_jar_behind_a_link_is_built_anew(cache, tmp_path):
    first = jar()
    elsewhere = tmp_path / "elsewhere.jar"
    first.rename(elsewhere)
    first.symlink_to(elsewhere)

    found = jar()

    assert found == first
    assert not found.is_symlink()


@pytest.mark.parametrize("lead", ["link", "shared"])
def test_folder_that_others_could_exchange_is_not_used(cache, tmp_path, caplog, lead):
    above = tmp_path / "above"
    above.mkdir()
    if lead == "link":
        cache.symlink_to(above)
    else:
        cache.mkdir()
        tmp_path.chmod(0o777)

    found = jar()

    assert found.parent not in {cache, above}
    assert stat.S_IMODE(found.parent.stat().st_mode) == 0o700
    assert "not cached" in caplog.text


def test_unusable_folder_falls_back_to_a_temporary_one(cache, caplog):
    cache.write_text("a file where the folder should be")

    found = jar()

    assert found.exists()
    assert found.parent != cache
    assert "not cached" in caplog.text


def test_concurrent_first_starts_share_one_cache(cache):
    script = (
        "import puredelta\n"
        "from pyspark.sql import SparkSession\n"
        "b = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false')\n"
        "s = puredelta.configure(b).getOrCreate()\n"
        "print('rows', s.sql('SELECT 1').count())\n"
    )
    starts = [
        subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        for _ in range(2)
    ]

    shown = [start.communicate()[0] for start in starts]

    assert all(b"rows 1" in text for text in shown)
    assert len(list(cache.glob("*.jar"))) == 1
