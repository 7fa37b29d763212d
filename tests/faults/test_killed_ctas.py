"""CREATE TABLE AS SELECT is killed in a real Spark process: the same statement can run again.

Nothing says which files a killed try wrote but the place: it was free when the try began, and a
mark in the log, which has no version yet, says so.
"""

import os

import pytest
from pyspark.errors import AnalysisException

from tests.faults import vacuumer
from tests.faults.killed_statement import Killed
from tests.faults.maintainer import log_of
from tests.faults.test_killed_maintenance import own_files, rows
from tests.faults.test_killed_vacuum import data_files
from tests.faults.test_killed_writers import assert_sound
from tests.parts import rest

# `PUREDELTA_KILLS=50` stops each statement at more steps of each kind, up to all of them.
KILLS = int(os.environ.get("PUREDELTA_KILLS", "1"))
ROWS = tuple(range(40))
STATEMENTS = {
    "plain": "CREATE TABLE {t} USING delta AS SELECT id FROM range(0, 40, 1, 2)",
    "partitioned": (
        "CREATE TABLE {t} USING delta PARTITIONED BY (p)"
        " AS SELECT id, id % 3 AS p FROM range(0, 40, 1, 2)"
    ),
}


@pytest.mark.parametrize("name", [*map(rest, STATEMENTS)])
def test_create_table_as_select_runs_again_after_a_kill(spark, tmp_path, name):
    def begin(folder, kill_at=None):
        # The table's folder is made by the statement; the one above is watched.
        (tmp_path / folder).mkdir()
        return Killed(tmp_path / folder, statement(folder), kill_at)

    def statement(folder):
        return STATEMENTS[name].replace("{t}", f"delta.`{tmp_path / folder / 't'}`")

    steps = begin("alive").run()
    assert rows(tmp_path / "alive" / "t") == ROWS
    assert not [one for one in (tmp_path / "alive/t/_delta_log").iterdir() if one.name[0] == "."]

    outcomes = []
    for number, kill_at in enumerate(steps.spread(KILLS)):
        folder, path = str(number), tmp_path / str(number) / "t"
        begin(folder, kill_at).run()
        made = log_of(path).exists()
        outcomes.append((made, bool(data_files(path))))

        if made:
            with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
                spark.sql(statement(folder))
        else:
            spark.sql(statement(folder))
        assert rows(path) == ROWS
        assert spark.read.format("delta").load(str(path)).count() == len(ROWS)
        assert_sound(str(path))

        vacuumer.command(path).run()
        assert data_files(path) == own_files(path)

    print(name, steps, len(outcomes), "kills", sorted(outcomes))
    if KILLS > 5:
        # Some before any file was there, some with files and without a version.
        assert {(False, False), (False, True)} <= set(outcomes)


def test_files_of_others_are_never_taken_for_those_of_a_killed_try(spark, tmp_path):
    path = tmp_path / "t"
    spark.range(3).write.parquet(str(path))
    (path / "_SUCCESS").unlink()
    (path / "_delta_log").mkdir()
    (path / "_delta_log" / f".{0:020}.json.1f.tmp").write_text('{"commitInfo":{"oper')

    with pytest.raises(AnalysisException, match="DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION"):
        spark.sql(STATEMENTS["plain"].replace("{t}", f"delta.`{path}`"))

    assert spark.read.parquet(str(path)).count() == 3
