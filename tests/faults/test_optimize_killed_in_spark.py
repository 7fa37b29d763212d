"""OPTIMIZE is killed in a real Spark process, at steps of its driver and while its JVM writes.

After each kill the table has the same rows, it is sound, VACUUM finds all that is left over, and
OPTIMIZE runs again.
"""

import os
import shutil
from dataclasses import dataclass

import pytest

from tests.faults import vacuumer
from tests.faults.killed_statement import Killed
from tests.faults.test_killed_maintenance import live_files, own_files, rows
from tests.faults.test_killed_vacuum import data_files
from tests.faults.test_killed_writers import assert_sound
from tests.parts import rest

# `PUREDELTA_KILLS=50` stops each statement at more steps of each kind, up to all of them.
KILLS = int(os.environ.get("PUREDELTA_KILLS", "1"))
FILES, ROWS, PARTITIONS = 3, 30, 3
ALL = tuple(range(FILES * ROWS))


@dataclass(frozen=True)
class Case:
    """A statement that rewrites a table.

    Attributes:
        statement: the statement, with `{t}` for the table.
        layout: how the table is laid out.
        left: how many files it has in the end.
        versions: how many commits the statement makes.
        settings: settings that are on.
    """

    statement: str
    layout: str = "PARTITIONED BY (p)"
    left: int = PARTITIONS
    versions: int = 1
    settings: tuple[str, ...] = ()


CASES = {
    # Two tasks run at once, so that three bins are two versions.
    "bins": Case("OPTIMIZE {t}", versions=2, settings=("spark.puredelta.optimize.commitEachBin",)),
    "compaction": Case("OPTIMIZE {t}"),
    "z-order": Case("OPTIMIZE {t} ZORDER BY (id)"),
    "clustering": Case("OPTIMIZE {t}", layout="CLUSTER BY (id)", left=1),
}


def make(spark, path, case):
    """Make a table of small files; each version gets a checkpoint."""
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id BIGINT, p BIGINT) USING delta {case.layout}"
        " TBLPROPERTIES ('delta.checkpointInterval' = '1')"
    )
    for number in range(FILES):
        frame = spark.range(number * ROWS, (number + 1) * ROWS, 1, 1)
        frame = frame.selectExpr("id", f"id % {PARTITIONS} AS p")
        frame.write.format("delta").mode("append").save(str(path))


def files_below(path):
    """All files that are not the log's, hidden ones too."""
    inside = (one.relative_to(path) for one in path.rglob("*") if one.is_file())
    return {str(one) for one in inside if one.parts[0] != "_delta_log"}


def check_after_kill(spark, path, case):
    """Check what a kill left, and clean it up; return its version and whether files were left."""
    version = len(list(path.glob("_delta_log/*[0-9].json"))) - 1
    assert rows(path) == ALL
    assert spark.read.format("delta").load(str(path)).count() == len(ALL)
    assert_sound(str(path))
    left = set(data_files(path)) - set(own_files(path))
    assert left <= set(vacuumer.command(path).paths())

    spark.sql(case.statement.replace("{t}", f"delta.`{path}`"))
    assert rows(path) == ALL
    assert len(live_files(path)) == case.left
    assert_sound(str(path))

    vacuumer.command(path).run()
    # Nothing of the killed process is left, not even hidden.
    assert {one for one in files_below(path) if not one.endswith(".crc")} == set(own_files(path))
    assert rows(path) == ALL
    return version, bool(left)


@pytest.mark.parametrize("name", ["bins", *map(rest, ["compaction", "z-order", "clustering"])])
def test_optimize_killed_at_steps_of_driver_and_jvm(spark, tmp_path, name):
    case, before = CASES[name], tmp_path / "before"
    make(spark, before, case)

    def process(folder, kill_at=None):
        shutil.copytree(before, tmp_path / folder)
        statement = case.statement.replace("{t}", f"delta.`{tmp_path / folder}`")
        return Killed(tmp_path / folder, statement, kill_at, case.settings)

    steps = process("alive").run()
    assert (rows(tmp_path / "alive"), len(live_files(tmp_path / "alive"))) == (ALL, case.left)
    # What the kills are spread over: the files of the JVM, and the commits.
    assert min(steps.driver, steps.folder) > 10 * case.versions

    found, killed = [], list(steps.spread(KILLS))
    ahead = process("0", killed[0])
    try:
        for number, _ in enumerate(killed):
            now, path = ahead, tmp_path / str(number)
            # While this one is killed and checked, the next one starts.
            if number + 1 < len(killed):
                ahead = process(str(number + 1), killed[number + 1])
            now.run()
            found.append(check_after_kill(spark, path, case))
            shutil.rmtree(path)
    finally:
        ahead.end()

    versions = {version for version, _ in found}
    print(name, steps, len(found), "kills, versions", sorted(version for version, _ in found))
    assert versions <= set(range(FILES, FILES + case.versions + 1))
    if KILLS > 5:
        assert versions == set(range(FILES, FILES + case.versions + 1))
        assert any(left for version, left in found if version == FILES)
