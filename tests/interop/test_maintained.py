"""Tables that one side made and the other optimized, vacuumed, restored, purged and cloned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from puredelta.log import open_table
from puredelta.table.check import Severity, check_table
from tests.interop.maintained import KEEPS_ROWS, PAIRS, key, read_maintained
from tests.interop.making import lines_of
from tests.interop.peers import FEATURE_PEERS, LIMITS_OF_ABSOLUTE_PATHS, lines_of_arrow

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.interop.conftest import FeatureTables
    from tests.interop.maintained import Maintained

# The first test waits for both sides to do their work.
pytestmark = pytest.mark.timeout(2400)


def _sound(rows: object) -> list[str]:
    assert isinstance(rows, list), rows
    return rows


def _errors(path: Path) -> list[str]:
    found = check_table(str(path)).findings
    return [f"{one.code} {one.file}" for one in found if one.severity is Severity.ERROR]


@pytest.fixture(scope="module")
def read_of_theirs(spark: SparkSession, maintained_by_them: Maintained) -> dict[str, list[str]]:
    """What we read of our tables after delta-spark worked on them."""
    return read_maintained(spark, maintained_by_them.folder)


@pytest.mark.parametrize(("name", "work"), PAIRS)
def test_we_read_what_delta_spark_made_of_our_table(
    spark: SparkSession,
    our_sources: Path,
    maintained_by_them: Maintained,
    read_of_theirs: dict[str, list[str]],
    name: str,
    work: str,
) -> None:
    theirs = _sound(maintained_by_them.rows[key(name, work)])

    mine = _sound(read_of_theirs[key(name, work)])

    assert mine == theirs
    if work in KEEPS_ROWS:
        assert mine == lines_of(spark, our_sources / name)
    assert _errors(maintained_by_them.folder / key(name, work)) == []


@pytest.mark.parametrize(("name", "work"), PAIRS)
def test_delta_spark_reads_what_we_made_of_its_table(
    spark: SparkSession,
    feature_tables: FeatureTables,
    maintained_by_us: Maintained,
    ours_read_by_delta_spark: dict[str, list[str]],
    name: str,
    work: str,
) -> None:
    mine = _sound(maintained_by_us.rows[key(name, work)])

    theirs = _sound(ours_read_by_delta_spark[key(name, work)])

    assert theirs == mine
    if work in KEEPS_ROWS:
        assert mine == lines_of(spark, feature_tables.folder / name)
    assert _errors(maintained_by_us.folder / key(name, work)) == []


@pytest.mark.rest
@pytest.mark.parametrize("side", ["us", "them"])
@pytest.mark.parametrize("peer", FEATURE_PEERS)
@pytest.mark.parametrize(("name", "work"), PAIRS)
def test_other_engine_reads_what_came_of_it(
    request: pytest.FixtureRequest, spark: SparkSession, name: str, work: str, peer: str, side: str
) -> None:
    made: Maintained = request.getfixturevalue(f"maintained_by_{side}")
    path = made.folder / key(name, work)
    if peer in LIMITS_OF_ABSOLUTE_PATHS and _has_absolute_paths(path):
        with pytest.raises(Exception, match=LIMITS_OF_ABSOLUTE_PATHS[peer]):
            FEATURE_PEERS[peer](path)
        return
    frame = spark.read.format("delta").load(str(path))

    read = FEATURE_PEERS[peer](path)

    assert lines_of_arrow(read, frame.columns) == lines_of_arrow(frame.toArrow(), frame.columns)


@pytest.mark.parametrize("name", [name for name, work in PAIRS if work == "clone"])
def test_clone_maintained_by_us_leaves_the_files_of_its_source(
    maintained_by_us: Maintained, feature_tables: FeatureTables, name: str
) -> None:
    source = maintained_by_us.folder / f"{key(name, 'clone')}_other"

    assert _files(source) == _files(feature_tables.folder / name)


def _has_absolute_paths(path: Path) -> bool:
    return any(":/" in one for one in open_table(str(path)).snapshot.files["path"].to_pylist())


def _files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
