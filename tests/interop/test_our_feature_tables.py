"""Tables that we made with each feature: others read them, delta-spark works on them, we go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.interop.features.ours import LIMITS, OUR_TABLES
from tests.interop.observe import observe_all
from tests.interop.peers import PEERS, lines_of_arrow
from tests.interop.work_on_ours import WORK

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.interop.conftest import OurFeatureTables
    from tests.interop.observe import Observation

# The first test waits for delta-spark, which starts slowly and makes and reads every table.
pytestmark = pytest.mark.timeout(1200)

ASPECTS = ("latest", "travel", "queries", "history", "detail")


def _sound(reading: Observation) -> Observation:
    assert "broken" not in reading, reading["broken"]
    return reading


@pytest.mark.parametrize("aspect", ASPECTS)
@pytest.mark.parametrize("name", OUR_TABLES)
def test_delta_spark_reads_our_table(
    our_feature_tables: OurFeatureTables, worked_on: dict, name: str, aspect: str
) -> None:
    mine = _sound(our_feature_tables.read[name])

    theirs = _sound(worked_on[name])["before"]

    assert theirs[aspect] == mine[aspect]


@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("name", OUR_TABLES)
def test_delta_spark_works_on_our_table(worked_on: dict, name: str, work: str) -> None:
    assert _sound(worked_on[name])[work] is None


@pytest.fixture(scope="module")
def read_after(
    spark: SparkSession, our_feature_tables: OurFeatureTables, worked_on: dict
) -> dict[str, Observation]:
    """What we read of our tables after delta-spark worked on them."""
    return observe_all(spark, our_feature_tables.folder, OUR_TABLES)


@pytest.mark.parametrize("aspect", ASPECTS)
@pytest.mark.parametrize("name", OUR_TABLES)
def test_we_read_what_delta_spark_added(
    read_after: dict[str, Observation], worked_on: dict, name: str, aspect: str
) -> None:
    mine = _sound(read_after[name])

    theirs = _sound(worked_on[name])["after"]

    assert mine[aspect] == theirs[aspect]


@pytest.mark.parametrize("peer", ["deltalake", "duckdb"])
@pytest.mark.parametrize("name", OUR_TABLES)
def test_peer_reads_our_table(
    spark: SparkSession, our_feature_tables: OurFeatureTables, peer: str, name: str
) -> None:
    path: Path = our_feature_tables.folder / name
    frame = spark.read.format("delta").load(str(path))
    if (peer, name) in LIMITS:
        with pytest.raises(Exception, match=LIMITS[peer, name]):
            PEERS[peer](path)
        return

    read = PEERS[peer](path)

    assert lines_of_arrow(read, frame.columns) == lines_of_arrow(frame.toArrow(), frame.columns)
