"""The plugin of pytest: fixtures for tests of Delta tables, which load Spark when a test uses them.

pytest imports this module whenever it starts, in every project of an environment, so nothing else
is imported before a fixture is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from puredelta.testing.tables import TableFactory

__all__ = ["delta_table", "puredelta_spark", "puredelta_spark_conf"]

_SETTINGS = "puredelta_spark_conf"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option of the configuration file."""
    parser.addini(
        _SETTINGS,
        "settings of the Spark session of the fixture puredelta_spark, a line `name = value` each",
        type="linelist",
        default=[],
    )


@pytest.fixture(scope="session")
def puredelta_spark_conf() -> dict[str, str]:
    """Settings of the session `puredelta_spark`, for a conftest.py to override; by default none."""
    return {}


@pytest.fixture(scope="session")
def puredelta_spark(
    pytestconfig: pytest.Config,
    puredelta_spark_conf: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[SparkSession]:
    """A Spark session that speaks Delta, small and quick, one for all tests of a process."""
    from puredelta.testing.sessions import read_settings_lines, session_for_tests

    settings = {**read_settings_lines(pytestconfig.getini(_SETTINGS)), **puredelta_spark_conf}
    with session_for_tests(settings, tmp_path_factory.mktemp("warehouse")) as session:
        yield session


@pytest.fixture
def delta_table(puredelta_spark: SparkSession, tmp_path: Path) -> Iterator[TableFactory]:
    """Makes Delta tables of rows, DataFrames or Parquet files; see `TableFactory`."""
    from puredelta.testing.tables import TableFactory

    factory = TableFactory(puredelta_spark, tmp_path)
    yield factory
    factory.drop_tables()
