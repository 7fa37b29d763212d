"""What all tests share: one Spark session a test process, made when the first test asks for it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parent

# Times in results must not depend on the machine.
os.environ["TZ"] = "UTC"


# Tests that stand alone; those of other modules share what is costly to make.
ALONE = {"meta", "parity", "properties", "typing", "unit"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say which tests one process must run, when several do (`pytest -n 2`)."""
    for item in items:
        folder = item.path.relative_to(ROOT).parts[0]
        if folder not in ALONE:
            name = folder if folder == "interop" else str(item.path.relative_to(ROOT))
            item.add_marker(pytest.mark.xdist_group(name))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator["SparkSession"]:
    """A session that speaks Delta, with a warehouse of its own."""
    from pyspark.sql import SparkSession

    import puredelta

    warehouse = tmp_path_factory.mktemp("warehouse")
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("puredelta tests")
        # Most code of a test runs once: compiling it well takes longer than running it.
        .config(
            "spark.driver.extraJavaOptions",
            "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m",
        )
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(warehouse))
    )
    session = puredelta.configure(builder).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def table_name(spark: "SparkSession", request: pytest.FixtureRequest) -> Iterator[str]:
    """A name that no other test has; its table is dropped afterwards."""
    name = "t_" + "".join(c if c.isalnum() else "_" for c in request.node.name.lower())[:60]
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    warehouse = spark.conf.get("spark.sql.warehouse.dir", "").removeprefix("file:")
    shutil.rmtree(Path(warehouse) / name, ignore_errors=True)
