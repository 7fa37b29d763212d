"""The tables of both sides, made once for all interop tests."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

import puredelta
from demo.dataset import read_flights, with_delay
from demo.parquet_writers import WRITERS
from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.request import ConversionSettings
from puredelta.conversion.source_table import ICEBERG, ConvertTarget
from tests.iceberg_tables import golden_table
from tests.interop.catalogue import TABLES
from tests.interop.converted import OURS, THEIRS, convert
from tests.interop.features.ours import OUR_TABLES
from tests.interop.features.scenario import make
from tests.interop.iceberg import NAMES as ICEBERG_NAMES
from tests.interop.maintained import Maintained, maintain, make_sources
from tests.interop.making import make_tables
from tests.interop.observe import in_threads, observe_all
from tests.interop.oracle import NoOracleError, run_delta_spark
from tests.interop.recorded import CATALOGUE, FEATURES, RESULT, recorded_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.interop.observe import Observation


@dataclass(frozen=True)
class TheirTables:
    """The catalogue's tables that delta-spark made, and the rows it read, by name."""

    folder: Path
    lines: dict[str, list[str]]


@dataclass(frozen=True)
class DeltaSpark:
    """What a run of delta-spark read of the catalogue's tables.

    Attributes:
        theirs: of those that it made.
        ours: of those that we made.
        written: of those that `write_table` made or appended to, by `made/<name>` for example.
    """

    theirs: dict[str, list[str]]
    ours: dict[str, list[str]]
    written: dict[str, list[str]]


@dataclass(frozen=True)
class FeatureTables:
    """The tables with features that delta-spark made, and what it read of them."""

    folder: Path
    recorded: dict[str, Observation]

    def told(self, name: str) -> Observation:
        """What delta-spark read of a table, or why it could not make it."""
        told = self.recorded[name]
        assert "broken" not in told, told["broken"]
        return told


@dataclass(frozen=True)
class OurFeatureTables:
    """The tables with features that we made, and what we read of them."""

    folder: Path
    read: dict[str, Observation]


@pytest.fixture(scope="session")
def ours(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the catalogue's tables, made by us."""
    folder = tmp_path_factory.mktemp("ours")
    make_tables(spark, folder)
    return folder


@pytest.fixture(scope="session")
def written(ours: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The catalogue's rows, written without Spark: in `made` as new tables, in `appended` twice."""
    folder = tmp_path_factory.mktemp("written")
    for name in TABLES:
        table = puredelta.open_table(ours / name)
        rows, columns = table.to_arrow(), table.snapshot.partition_columns
        puredelta.write_table(folder / "made" / name, rows, partition_by=columns)
        shutil.copytree(ours / name, folder / "appended" / name)
        puredelta.write_table(folder / "appended" / name, rows)
    return folder


@pytest.fixture(scope="session")
def our_feature_tables(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> OurFeatureTables:
    """The tables with features, made and read by us."""
    folder = tmp_path_factory.mktemp("our_features")
    made = in_threads(lambda n: make(spark, OUR_TABLES[n], folder / n), list(OUR_TABLES))
    read = observe_all(spark, folder, OUR_TABLES)
    return OurFeatureTables(folder, read | {name: why for name, why in made.items() if why})


@pytest.fixture(scope="session")
def run_of_delta_spark(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Any]]:
    """The folder and the findings of the one process of delta-spark for all tests that run."""
    folder = tmp_path_factory.mktemp("delta_spark")
    try:
        result = run_delta_spark(folder, _parts(request, folder))
    except NoOracleError as error:
        pytest.skip(f"delta-spark: {error}")
    return folder, json.loads(result.read_text("utf-8"))


def _parts(request: pytest.FixtureRequest, folder: Path) -> list[str]:
    """What delta-spark has to do for the tests that run: each part takes long."""
    asked = {name for item in request.session.items for name in getattr(item, "fixturenames", ())}
    parts = []
    if "delta_spark" in asked:
        written: Path = request.getfixturevalue("written")
        folders = [request.getfixturevalue("ours"), written / "made", written / "appended"]
        parts += ["--catalogue", str(folder / "theirs"), *map(str, folders)]
    if "worked_on" in asked:
        parts += ["--work-on", str(request.getfixturevalue("our_feature_tables").folder)]
    if "told_by_delta_spark" in asked:
        parts += ["--convert", str(request.getfixturevalue("flights_converted"))]
    if "read_by_delta_spark" in asked:
        parts += ["--iceberg", str(request.getfixturevalue("iceberg_converted"))]
    if {"maintained_by_them", "ours_read_by_delta_spark"} & asked:
        sources = request.getfixturevalue("our_sources")
        maintained = request.getfixturevalue("maintained_by_us")
        parts += ["--maintain", str(sources), str(folder / "maintained"), str(maintained.folder)]
    return parts


@pytest.fixture(scope="session")
def their_tables() -> TheirTables:
    """The catalogue's tables of delta-spark, as they were recorded."""
    folder = recorded_folder(CATALOGUE)
    return TheirTables(folder, json.loads((folder / RESULT).read_text("utf-8")))


@pytest.fixture(scope="session")
def delta_spark(
    run_of_delta_spark: tuple[Path, dict[str, Any]], ours: Path, written: Path
) -> DeltaSpark:
    """What delta-spark reads of the catalogue's tables."""
    folder, found = run_of_delta_spark
    theirs, mine, without_spark = (
        {
            str(Path(path).relative_to(at)): lines
            for path, lines in found["lines"].items()
            if Path(path).is_relative_to(at)
        }
        for at in (folder / "theirs", ours, written)
    )
    return DeltaSpark(theirs, mine, without_spark)


@pytest.fixture(scope="session")
def worked_on(run_of_delta_spark: tuple[Path, dict[str, Any]]) -> dict[str, Any]:
    """What delta-spark read of our tables with features before and after it worked on them."""
    return run_of_delta_spark[1]["worked_on"]


@pytest.fixture(scope="session")
def our_sources(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of tables that we made, for delta-spark to maintain."""
    folder = tmp_path_factory.mktemp("our_sources")
    make_sources(spark, folder)
    return folder


@pytest.fixture(scope="session")
def maintained_by_us(
    spark: SparkSession, feature_tables: FeatureTables, tmp_path_factory: pytest.TempPathFactory
) -> Maintained:
    """Copies of delta-spark's tables that we maintained."""
    folder = tmp_path_factory.mktemp("maintained")
    return Maintained(folder, maintain(spark, feature_tables.folder, folder))


@pytest.fixture(scope="session")
def maintained_by_them(run_of_delta_spark: tuple[Path, dict[str, Any]]) -> Maintained:
    """Copies of our tables that delta-spark maintained."""
    folder, found = run_of_delta_spark
    return Maintained(folder / "maintained", found["maintained"])


@pytest.fixture(scope="session")
def ours_read_by_delta_spark(run_of_delta_spark: tuple[Path, dict[str, Any]]) -> dict[str, Any]:
    """The rows that delta-spark reads of its tables after we maintained them."""
    return run_of_delta_spark[1]["maintained_by_us"]


@pytest.fixture(scope="session")
def flights_converted(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Flights by each writer, converted in `ours/<writer>`, and left to others in `theirs`."""
    folder = tmp_path_factory.mktemp("converted")
    source = folder / "flights.parquet"
    pq.write_table(with_delay(read_flights()), source)
    for writer, write in WRITERS.items():
        write(source, folder / THEIRS / writer, spark)
        shutil.copytree(folder / THEIRS / writer, folder / OURS / writer)
        convert(spark, folder / OURS / writer)
    return folder


@pytest.fixture(scope="session")
def told_by_delta_spark(run_of_delta_spark: tuple[Path, dict[str, Any]]) -> dict[str, Any]:
    """What delta-spark tells of the flights that we converted, and of those that it did."""
    return run_of_delta_spark[1]["converted"]


@pytest.fixture(scope="session")
def iceberg_converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of Iceberg tables that we converted, without a session."""
    folder = tmp_path_factory.mktemp("iceberg")
    around = ConversionSettings(iceberg_evolution=True, iceberg_transforms_left_out=True)
    for name in ICEBERG_NAMES:
        target = ConvertTarget(
            provider=ICEBERG, location=str(golden_table(name, folder)), label=name
        )
        ConvertToDeltaCommandBase(target=target, settings=around).run()
    return folder


@pytest.fixture(scope="session")
def read_by_delta_spark(run_of_delta_spark: tuple[Path, dict[str, Any]]) -> dict[str, Any]:
    """The rows that delta-spark reads of the Iceberg tables that we converted."""
    return run_of_delta_spark[1]["iceberg"]


@pytest.fixture(scope="session")
def feature_tables() -> FeatureTables:
    """The tables with features of delta-spark, as they were recorded."""
    folder = recorded_folder(FEATURES)
    return FeatureTables(folder, json.loads((folder / RESULT).read_text("utf-8")))


@pytest.fixture(autouse=True)
def _utc(request: pytest.FixtureRequest) -> object:
    """Both sides show timestamps in UTC."""
    if "spark" not in request.fixturenames:
        yield
        return
    spark = request.getfixturevalue("spark")
    before = spark.conf.get("spark.sql.session.timeZone") or os.environ.get("TZ", "UTC")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    yield
    spark.conf.set("spark.sql.session.timeZone", before)
