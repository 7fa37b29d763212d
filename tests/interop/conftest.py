"""The tables of both sides, made once for all interop tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from demo.dataset import read_flights, with_delay
from demo.parquet_writers import WRITERS
from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.request import Surroundings
from puredelta.conversion.targets import ICEBERG, ConvertTarget
from tests.iceberg_tables import golden_table
from tests.interop.converted import OURS, THEIRS, convert
from tests.interop.features.ours import OUR_TABLES
from tests.interop.features.scenario import make
from tests.interop.iceberg import NAMES as ICEBERG_NAMES
from tests.interop.kept import RESULT, kept_folder
from tests.interop.making import make_tables
from tests.interop.observe import in_threads, observe_all
from tests.parity.record import find_oracle, oracle_environment

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.interop.observe import Observation

SCRIPT = Path(__file__).parent / "delta_spark.py"


@dataclass(frozen=True)
class DeltaSpark:
    """What one run of delta-spark left: its tables, and the rows it read, by path."""

    theirs: Path
    lines: dict[str, list[str]]


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
    oracle = find_oracle()
    if oracle is None:
        pytest.skip("delta-spark: no oracle.py found (set PUREDELTA_ORACLE)")
    folder = tmp_path_factory.mktemp("delta_spark")
    script = [str(SCRIPT), str(folder / RESULT), *_parts(request, folder)]
    done = subprocess.run(
        [sys.executable, str(oracle), "exec", *script],
        env=_environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    if not (folder / RESULT).is_file():
        _no_result(done)
    return folder, json.loads((folder / RESULT).read_text("utf-8"))


def _parts(request: pytest.FixtureRequest, folder: Path) -> list[str]:
    """What delta-spark has to do for the tests that run: each part takes long."""
    asked = {name for item in request.session.items for name in getattr(item, "fixturenames", ())}
    parts = []
    if "delta_spark" in asked:
        parts += ["--catalogue", str(folder / "theirs"), str(request.getfixturevalue("ours"))]
    if "worked_on" in asked:
        parts += ["--work-on", str(request.getfixturevalue("our_feature_tables").folder)]
    if "told_by_delta_spark" in asked:
        parts += ["--convert", str(request.getfixturevalue("flights_converted"))]
    if "read_by_delta_spark" in asked:
        parts += ["--iceberg", str(request.getfixturevalue("iceberg_converted"))]
    kept = kept_folder()
    if "feature_tables" in asked and not (kept / RESULT).is_file():
        parts += ["--features", str(kept)]
    return parts


@pytest.fixture(scope="session")
def delta_spark(run_of_delta_spark: tuple[Path, dict[str, Any]]) -> DeltaSpark:
    """The catalogue's tables made by delta-spark, and its reading of them and of ours."""
    folder, found = run_of_delta_spark
    return DeltaSpark(folder / "theirs", found["lines"])


@pytest.fixture(scope="session")
def worked_on(run_of_delta_spark: tuple[Path, dict[str, Any]]) -> dict[str, Any]:
    """What delta-spark read of our tables with features before and after it worked on them."""
    return run_of_delta_spark[1]["worked_on"]


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
    around = Surroundings(iceberg_evolution=True, iceberg_transforms_left_out=True)
    for name in ICEBERG_NAMES:
        target = ConvertTarget(
            provider=ICEBERG, location=str(golden_table(name, folder)), label=name
        )
        ConvertToDeltaCommandBase(target=target, surroundings=around).run()
    return folder


@pytest.fixture(scope="session")
def read_by_delta_spark(run_of_delta_spark: tuple[Path, dict[str, Any]]) -> dict[str, Any]:
    """The rows that delta-spark reads of the Iceberg tables that we converted."""
    return run_of_delta_spark[1]["iceberg"]


@pytest.fixture(scope="session")
def feature_tables(request: pytest.FixtureRequest) -> FeatureTables:
    """The tables with features of delta-spark: those kept of an earlier run, or of this one."""
    folder = kept_folder()
    if not (folder / RESULT).is_file():
        request.getfixturevalue("run_of_delta_spark")
    return FeatureTables(folder, json.loads((folder / RESULT).read_text("utf-8")))


def _environment(folder: Path) -> dict[str, str]:
    try:
        environment = oracle_environment(folder)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"delta-spark: its Python package cannot be installed here: {error}")
    # Most of the time goes into compiling code that runs once.
    environment["JAVA_TOOL_OPTIONS"] = (
        "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC"
    )
    # The oracle has an environment of its own.
    return {k: v for k, v in environment.items() if k not in {"SPARK_HOME", "PYSPARK_PYTHON"}}


def _no_result(done: subprocess.CompletedProcess[str]) -> None:
    """Skip where the oracle cannot be installed; fail where it runs and breaks."""
    told = (done.stderr or done.stdout)[-1500:]
    installing = any(word in told for word in ("mvn", "pip", "No module named", "FileNotFound"))
    if installing and "delta_spark.py" not in told:
        pytest.skip(f"delta-spark: its JARs or PySpark cannot be had here: {told[-300:]}")
    pytest.fail(f"delta-spark did not come to an end: {told}")


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
