"""What delta-spark does with our tables: reads, appends, checkpoints, vacuums, reads again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.interop.features.ours import OUR_TABLES
from tests.interop.features.scenario import place
from tests.interop.observe import in_threads, observe, observe_all
from tests.parity.render import error_line

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interop.features.scenario import Scenario

# Each on its own: appends must not disturb what the checkpoint shows, and so on.
WORK = ("append", "checkpoint", "vacuum")


def work_on(spark: Any, folder: Path) -> dict[str, Any]:
    """Read and change every table of ours.

    Returns:
        For each table `before`, `after`, for each piece of work the error or None, and the error
        of each statement that has to be refused.
    """
    before = observe_all(spark, folder, OUR_TABLES)

    def one(name: str) -> dict[str, Any]:
        path, scenario = folder / name, OUR_TABLES[name]
        done: dict[str, Any] = {work: _try(spark, path, work) for work in work_for(scenario)}
        done["broken_rules"] = {text: _refusal(spark, path, text) for text in scenario.breaks}
        done["went_on"] = _go_on(spark, path, scenario.goes_on)
        after = observe(spark, path, as_it_is(scenario))
        return {"before": before[name], "after": after, **done}

    return in_threads(one, list(OUR_TABLES))


def work_for(scenario: Scenario) -> list[str]:
    """The pieces of work that a table allows."""
    return [work for work in WORK if work not in scenario.unfit]


def as_it_is(scenario: Scenario) -> Scenario:
    """The scenario for reading the latest version alone."""
    return replace(scenario, at=(), queries=())


def _try(spark: Any, path: Path, work: str) -> str | None:
    try:
        _do(spark, path, work)
    except Exception as error:  # noqa: BLE001  # the test of the table shows it
        return f"{type(error).__name__}: {error}"[:2000]
    return None


def _refusal(spark: Any, path: Path, statement: str) -> str | None:
    try:
        spark.sql(place(statement, path))
    except Exception as error:  # noqa: BLE001  # it is what the test is about
        return error_line(error)
    return None


def _go_on(spark: Any, path: Path, statements: tuple[str, ...]) -> str | None:
    try:
        for statement in statements:
            spark.sql(place(statement, path))
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
