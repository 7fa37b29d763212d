"""OPTIMIZE and auto compaction are killed at every step: no row is lost or doubled.

After each kill the table reads and the statement runs again, each bin that was committed stays so,
and VACUUM deletes the files that no version names.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException

from tests.faults import vacuumer
from tests.faults.maintainer import log_of, make_source
from tests.faults.spark_optimizer import FILES, INSERTED, PARTITIONS, STEPS, rows_of
from tests.faults.test_killed_maintenance import live_files, own_files, rows
from tests.faults.test_killed_vacuum import data_files
from tests.faults.test_killed_writers import assert_sound
from tests.parts import rest

SCRIPT = Path(__file__).parent / "spark_optimizer.py"
SECONDS = 1.1


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """Copies of tables at each step of a statement, and a table whose OPTIMIZE was killed."""
    place = tmp_path_factory.mktemp("optimized")
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), str(place)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"appended {FILES}\n"
        time.sleep(SECONDS)
        os.killpg(process.pid, signal.SIGKILL)
        more = [int(line.split()[1]) for line in process.stdout]
    return place, [FILES, *more][-1]


def rows_after(number):
    return tuple(range(rows_of(number).start))


def commits(path):
    return log_of(path).latest().version


@pytest.mark.parametrize("step", ["bins", rest("z-order"), rest("auto compaction")])
def test_rewrite_killed_before_each_change_of_the_log(spark, stopped, step):
    copies = sorted((stopped[0] / "copies" / step).iterdir())
    before = rows_after(FILES)
    after = before + INSERTED if "INSERT" in STEPS[step][1] else before
    versions, left = [], 0

    for path in copies:
        versions.append(commits(path))
        found = rows(path)
        assert found in (before, after)
        assert spark.read.format("delta").load(str(path)).count() == len(found)
        assert_sound(str(path))
        left += data_files(path) != own_files(path)

        spark.sql(f"OPTIMIZE delta.`{path}`")
        assert rows(path) == found
        assert len(live_files(path)) == PARTITIONS
        assert_sound(str(path))

        vacuumer.command(path).run()
        assert data_files(path) == own_files(path)
        assert rows(path) == found
        shutil.rmtree(path)

    # The first version is that which the statement read, and two follow: each has several copies.
    assert sorted(set(versions)) == [FILES, FILES + 1, FILES + 2][: len(set(versions))]
    assert len(copies) > 2 * len(set(versions)) > 2
    assert left


def test_optimize_killed_at_any_moment(spark, stopped):
    place, last = stopped
    path = place / "killed"

    assert rows(path) in [rows_after(last + 1), rows_after(last + 2)]
    assert_sound(str(path))
    found = rows(path)
    spark.sql(f"OPTIMIZE delta.`{path}`")
    vacuumer.command(path).run()
    assert rows(path) == found
    assert (len(live_files(path)), data_files(path)) == (PARTITIONS, own_files(path))


@pytest.mark.parametrize(
    ("statement", "made"),
    [
        ("CREATE TABLE {t} SHALLOW CLONE {s}", "source"),
        ("CREATE OR REPLACE TABLE {t} SHALLOW CLONE {s}", "source"),
        ("CREATE TABLE {t} USING delta AS SELECT * FROM {s}", "source"),
        ("CREATE TABLE {t} (id BIGINT) USING delta", None),
    ],
)
def test_table_is_made_where_a_kill_left_half_a_commit(spark, tmp_path, statement, made):
    make_source(tmp_path)
    log = tmp_path / "c" / "_delta_log"
    log.mkdir(parents=True)
    (log / f".{0:020}.json.1f.tmp").write_text('{"commitInfo":{"oper')

    names = {"{t}": f"delta.`{tmp_path}/c`", "{s}": f"delta.`{tmp_path}/source`"}
    for name, table in names.items():
        statement = statement.replace(name, table)
    spark.sql(statement)

    assert rows(tmp_path / "c") == (rows(tmp_path / made) if made else ())


def test_clone_of_a_process_killed_before_the_catalog_knew_it_gets_its_name(spark, tmp_path):
    make_source(tmp_path)
    source, place = f"delta.`{tmp_path}/source`", f"{tmp_path}/c"
    spark.sql(f"CREATE TABLE delta.`{place}` SHALLOW CLONE {source}")

    with pytest.raises(AnalysisException) as raised:
        spark.sql(f"CREATE TABLE stopped SHALLOW CLONE {source} LOCATION '{place}'")

    [advice] = re.findall("CREATE TABLE .* USING delta LOCATION '.*'", str(raised.value))
    try:
        spark.sql(advice)
        assert spark.table("stopped").count() == len(rows(tmp_path / "source"))
    finally:
        spark.sql("DROP TABLE IF EXISTS stopped")
