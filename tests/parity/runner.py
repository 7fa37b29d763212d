"""Runs the scenarios of a module with a recorder each."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from tests.parity.recorder import Observation, Recorder
from tests.parity.render import error_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import ModuleType

    from pyspark.sql import SparkSession

    Case = Callable[[Recorder], None]

# The step that stands for a scenario that failed outside of its steps.
BROKEN = "the scenario broke off here"


def cases_of(module: ModuleType) -> dict[str, Case]:
    """The scenarios of a module by name, in the order they are written in."""
    return {
        name.removeprefix("case_"): member
        for name, member in vars(module).items()
        if name.startswith("case_") and callable(member)
    }


def run_module(
    spark: SparkSession, module: ModuleType, folder: Path, tables: ModuleType
) -> dict[str, list[Observation]]:
    """What every scenario of a module observes."""
    return {
        name: run_case(spark, name, case, folder / name, tables)
        for name, case in cases_of(module).items()
    }


def run_case(
    spark: SparkSession, name: str, case: Case, folder: Path, tables: ModuleType
) -> list[Observation]:
    """What one scenario observes, in a schema and a folder of its own."""
    t = Recorder(spark, folder, name, tables)
    t.open()
    try:
        case(t)
    except Exception as error:  # noqa: BLE001  # what was seen before it still tells something
        t.seen.append({"step": BROKEN, "error": error_line(error)})
        traceback.print_exc()
    finally:
        t.close()
    return t.seen
