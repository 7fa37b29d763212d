"""Tables that we made with each feature: others read them, delta-spark works on them, we go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from puredelta.errors import DeltaError
from tests.interop.features.ours import LIMITS, LOST, OUR_TABLES
from tests.interop.features.scenario import make, place
from tests.interop.observe import observe_all
from tests.interop.peers import FEATURE_PEERS, lines_of_arrow, query_with_deltalake, without_values
from tests.interop.work_on_ours import as_it_is, work_for

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.interop.conftest import OurFeatureTables
    from tests.interop.observe import Observation

# The first test waits for delta-spark, which starts slowly and makes and reads every table.
pytestmark = pytest.mark.timeout(2400)

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


@pytest.mark.parametrize(
    ("name", "work"), [(name, work) for name, one in OUR_TABLES.items() for work in work_for(one)]
)
def test_delta_spark_works_on_our_table(worked_on: dict, name: str, work: str) -> None:
    assert _sound(worked_on[name])[work] is None


@pytest.mark.parametrize("name", [name for name, one in OUR_TABLES.items() if one.goes_on])
def test_delta_spark_alters_our_table(worked_on: dict, name: str) -> None:
    assert _sound(worked_on[name])["went_on"] is None


@pytest.mark.parametrize(
    ("name", "statement"), [(n, text) for n, one in OUR_TABLES.items() for text in one.breaks]
)
def test_both_refuse_rows_that_our_table_forbids(
    spark: SparkSession,
    our_feature_tables: OurFeatureTables,
    worked_on: dict,
    tmp_path: Path,
    name: str,
    statement: str,
) -> None:
    theirs = _sound(worked_on[name])["broken_rules"][statement]
    again = tmp_path / name
    make(spark, OUR_TABLES[name], again)
    before = _sound(our_feature_tables.read[name])["latest"]

    with pytest.raises(DeltaError) as told:
        spark.sql(place(statement, again))

    assert theirs is not None
    assert told.value.condition == theirs.split(" ")[1]
    assert spark.read.format("delta").load(str(again)).count() == len(before) - 1


@pytest.fixture(scope="module")
def read_after(
    spark: SparkSession, our_feature_tables: OurFeatureTables, worked_on: dict
) -> dict[str, Observation]:
    """What we read of our tables after delta-spark worked on them."""
    latest = {name: as_it_is(scenario) for name, scenario in OUR_TABLES.items()}
    return observe_all(spark, our_feature_tables.folder, latest)


@pytest.mark.parametrize("aspect", ["latest", "history", "detail"])
@pytest.mark.parametrize("name", OUR_TABLES)
def test_we_read_what_delta_spark_added(
    read_after: dict[str, Observation], worked_on: dict, name: str, aspect: str
) -> None:
    mine = _sound(read_after[name])

    theirs = _sound(worked_on[name])["after"]

    assert mine[aspect] == theirs[aspect]


@pytest.mark.rest
@pytest.mark.parametrize(
    ("peer", "name"),
    [(p, n) for p in FEATURE_PEERS for n in OUR_TABLES if (p, n) != ("deltalake", "variant")],
)
def test_peer_reads_our_table(
    spark: SparkSession, our_feature_tables: OurFeatureTables, peer: str, name: str
) -> None:
    path: Path = our_feature_tables.folder / name
    frame = spark.read.format("delta").load(str(path))
    if (peer, name) in LIMITS:
        with pytest.raises(Exception, match=LIMITS[peer, name]):
            FEATURE_PEERS[peer](path)
        return

    frame = without_values(frame, LOST.get((peer, name), ()))

    read = FEATURE_PEERS[peer](path)

    assert lines_of_arrow(read, frame.columns) == lines_of_arrow(frame.toArrow(), frame.columns)


@pytest.mark.rest
def test_deltalake_reads_our_variants(
    spark: SparkSession, our_feature_tables: OurFeatureTables
) -> None:
    """To Arrow, PySpark has no way for a null variant."""
    path: Path = our_feature_tables.folder / "variant"
    rows = spark.read.format("delta").load(str(path)).select("id", "v").collect()
    expected = {
        row.id: row.v and {"value": bytes(row.v.value), "metadata": bytes(row.v.metadata)}
        for row in rows
    }

    read = query_with_deltalake(path).select(["id", "v"]).to_pylist()

    assert {row["id"]: row["v"] for row in read} == expected


@pytest.mark.rest
def test_variant_is_written_plain(our_feature_tables: OurFeatureTables) -> None:
    """Protocol: Variant Data Type. `typed_value` is for tables with variantShredding only."""
    files = sorted((our_feature_tables.folder / "variant").glob("*.parquet"))

    columns = [column.path for file in files for column in pq.ParquetFile(file).schema]

    assert files
    assert [path for path in columns if "typed_value" in path] == []
