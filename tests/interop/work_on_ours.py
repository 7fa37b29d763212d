"""What delta-spark does with our tables: reads, appends, checkpoints, vacuums, reads again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.interop.features.ours import OUR_TABLES
from tests.interop.features.scenario import place
from tests.interop.observe import in_threads, observe, observe_all

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interop.features.scenario import Scenario

# Each on its own: appends must not disturb what the checkpoint shows, and so on.
WORK = ("append", "checkpoint", "vacuum")


def work_on(spark: Any, folder: Path) -> dict[str, Any]:
    """Read and change every table of ours.

    Returns:
        For each table `before`, `after`, and for each piece of work the error or None.
    """
    before = observe_all(spark, folder, OUR_TABLES)

    def one(name: str) -> dict[str, Any]:
        path = folder / name
        done = {work: _try(spark, path, work) for work in WORK}
        after = observe(spark, path, as_it_is(OUR_TABLES[name]))
        return {"before": before[name], "after": after, **done}

    return in_threads(one, list(OUR_TABLES))


def as_it_is(scenario: Scenario) -> Scenario:
    """The scenario for reading the latest version alone."""
    return replace(scenario, at=(), queries=())


def _try(spark: Any, path: Path, work: str) -> str | None:
    try:
        _do(spark, path, work)
    except Exception as error:  # noqa: BLE001  # the test of the table shows it
        return f"{type(error).__name__}: {error}"[:2000]
    return None


def _do(spark: Any, path: Path, work: str) -> None:
    if work == "append":
        spark.sql(place("INSERT INTO {t} SELECT * FROM {t}", path))
    elif work == "checkpoint":
        delta_log = spark._jvm.org.apache.spark.sql.delta.DeltaLog
        delta_log.forTable(spark._jsparkSession, str(path)).checkpoint()
    else:
        spark.sql(place("VACUUM {t}", path))
