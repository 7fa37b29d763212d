"""The tables of both sides, made once for all interop tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.interop.catalogue import TABLES
from tests.interop.making import make_tables
from tests.parity.record import find_oracle, oracle_environment

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCRIPT = Path(__file__).parent / "delta_spark.py"


@dataclass(frozen=True)
class DeltaSpark:
    """What one run of delta-spark left: its tables, and the rows it read, by path."""

    theirs: Path
    lines: dict[str, list[str]]


@pytest.fixture(scope="session")
def ours(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the catalogue's tables, made by us."""
    folder = tmp_path_factory.mktemp("ours")
    make_tables(spark, folder)
    return folder


@pytest.fixture(scope="session")
def delta_spark(ours: Path, tmp_path_factory: pytest.TempPathFactory) -> DeltaSpark:
    """The same tables made by delta-spark, and its reading of ours: one process for all tests."""
    oracle = find_oracle()
    if oracle is None:
        pytest.skip("delta-spark: no oracle.py found (set PUREDELTA_ORACLE)")
    folder = tmp_path_factory.mktemp("delta_spark")
    (folder / "theirs").mkdir()
    tables = [str(ours / name) for name in TABLES]
    script = [str(SCRIPT), str(folder / "theirs"), str(folder / "result.json"), *tables]
    environment = _environment(folder)
    done = subprocess.run(
        [sys.executable, str(oracle), "exec", *script],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if not (folder / "result.json").is_file():
        _no_result(done)
    return DeltaSpark(folder / "theirs", json.loads((folder / "result.json").read_text("utf-8")))


def _environment(folder: Path) -> dict[str, str]:
    try:
        environment = oracle_environment(folder)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"delta-spark: its Python package cannot be installed here: {error}")
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
def _utc(spark: SparkSession) -> object:
    """Both sides show timestamps in UTC."""
    before = spark.conf.get("spark.sql.session.timeZone") or os.environ.get("TZ", "UTC")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    yield
    spark.conf.set("spark.sql.session.timeZone", before)
