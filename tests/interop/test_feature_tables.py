"""Tables that delta-spark made with each feature: we read what it reads, on Spark."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from puredelta import DeltaTable
from tests.interop.features.catalogue import FEATURE_TABLES, READABLE
from tests.interop.making import lines_of
from tests.interop.observe import observe_all
from tests.interop.recorded import DIGESTS, digest_of
from tests.parity.render import frame_lines

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.interop.conftest import FeatureTables
    from tests.interop.observe import Observation

# The first test reads every table.
pytestmark = pytest.mark.timeout(1200)

REFUSED = {name: one.refused for name, one in FEATURE_TABLES.items() if one.refused}
TRAVELLED = {name: one for name, one in READABLE.items() if one.at}
QUERIED = {name: one for name, one in READABLE.items() if one.queries}


@pytest.fixture(scope="module")
def our_reading(spark: SparkSession, feature_tables: FeatureTables) -> dict[str, Observation]:
    """What we read of every table, in the ways in which delta-spark read it."""
    return observe_all(spark, feature_tables.folder, READABLE)


def _both(
    name: str, aspect: str, mine: dict[str, Observation], theirs: FeatureTables
) -> tuple[Any, Any]:
    assert "broken" not in mine[name], mine[name]["broken"]
    return mine[name][aspect], theirs.told(name)[aspect]


def test_recorded_tables_are_those_of_the_scenarios(feature_tables):
    recorded = json.loads((feature_tables.folder / DIGESTS).read_text("utf-8"))

    digests = {name: digest_of(scenario) for name, scenario in FEATURE_TABLES.items()}

    assert recorded == digests, "record them again: python tests/interop/record.py"


@pytest.mark.parametrize("name", READABLE)
def test_rows(our_reading, feature_tables, name):
    mine, theirs = _both(name, "latest", our_reading, feature_tables)

    assert mine == theirs


@pytest.mark.parametrize("name", TRAVELLED)
def test_rows_of_older_versions(our_reading, feature_tables, name):
    mine, theirs = _both(name, "travel", our_reading, feature_tables)

    assert mine == theirs


@pytest.mark.parametrize("name", QUERIED)
def test_rows_of_queries(our_reading, feature_tables, name):
    mine, theirs = _both(name, "queries", our_reading, feature_tables)

    assert mine == theirs


@pytest.mark.parametrize("name", READABLE)
def test_history(our_reading, feature_tables, name):
    mine, theirs = _both(name, "history", our_reading, feature_tables)

    assert mine == theirs


@pytest.mark.parametrize("name", READABLE)
def test_detail(our_reading, feature_tables, name):
    mine, theirs = _both(name, "detail", our_reading, feature_tables)

    assert mine == theirs


@pytest.mark.parametrize("name", TRAVELLED)
def test_time_travel_in_sql(spark: SparkSession, feature_tables: FeatureTables, name: str) -> None:
    version, expected = next(iter(feature_tables.told(name)["travel"].items()))

    frame = spark.sql(
        f"SELECT * FROM delta.`{feature_tables.folder / name}` VERSION AS OF {version}"
    )

    shown = frame_lines(frame)
    assert [shown["schema"], *shown["rows"]] == expected


@pytest.mark.parametrize("name", READABLE)
def test_delta_table(spark: SparkSession, feature_tables: FeatureTables, name: str) -> None:
    told = feature_tables.told(name)

    table = DeltaTable.forPath(spark, str(feature_tables.folder / name))

    assert [row.version for row in table.history().collect()] == [
        row["version"] for row in told["history"]["rows"]
    ]
    frame = table.toDF()
    assert frame.columns == [field["name"] for field in told["table"]["schema"]["fields"]]
    assert table.detail().first().partitionColumns == told["detail"]["rows"][0]["partitionColumns"]


@pytest.mark.parametrize("name", REFUSED)
def test_table_that_we_do_not_read_is_refused_by_name(
    spark: SparkSession, feature_tables: FeatureTables, name: str
) -> None:
    path: Path = feature_tables.folder / name

    with pytest.raises(Exception, match=f"DELTA_UNSUPPORTED_FEATURES_FOR_READ.*{REFUSED[name]}"):
        lines_of(spark, path)


def test_widened_float_is_found_by_its_value(
    spark: SparkSession, feature_tables: FeatureTables
) -> None:
    """delta-spark does not find it: the statistics say 1.1, which is less than 1.1F as DOUBLE."""
    feature_tables.told("widening_of_every_type")
    path = feature_tables.folder / "widening_of_every_type"

    frame = spark.sql(f"SELECT id FROM delta.`{path}` WHERE float_double = 1.1F")

    assert [row.id for row in frame.collect()] == [1]
