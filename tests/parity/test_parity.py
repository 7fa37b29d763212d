"""Every parity scenario shows here what it showed on delta-spark (see `record.py`)."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from puredelta import tables
from tests.parity.compare import declared_differences, problems
from tests.parity.runner import cases_of, run_case

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = Path(__file__).parent
MODULES = sorted(path.stem for path in (HERE / "cases").glob("*.py") if path.stem != "__init__")
CASES = [
    (name, case)
    for name in MODULES
    for case in cases_of(importlib.import_module(f"tests.parity.cases.{name}"))
]
DIFFERENCES = declared_differences()


@pytest.mark.parametrize(("name", "case"), CASES, ids=[f"{name}-{case}" for name, case in CASES])
def test_scenario_shows_what_delta_spark_shows(
    spark: SparkSession, tmp_path: Path, name: str, case: str
) -> None:
    expected = json.loads((HERE / "expected" / f"{name}.json").read_text("utf-8"))
    module = importlib.import_module(f"tests.parity.cases.{name}")
    declared = [d for d in DIFFERENCES if d.case == f"{name}::{case}"]

    seen = run_case(spark, case, cases_of(module)[case], tmp_path / case, tables)

    assert case in expected, "not recorded yet: python tests/parity/record.py " + name
    assert not (found := problems(expected[case], seen, declared)), "\n" + "\n".join(found)


def test_differences_are_declared_for_scenarios_that_exist() -> None:
    known = {f"{name}::{case}" for name, case in CASES}

    unknown = [d.case for d in DIFFERENCES if d.case not in known]

    assert not unknown


def test_recorded_scenarios_exist() -> None:
    recorded = {
        (name, case)
        for name in MODULES
        for case in json.loads((HERE / "expected" / f"{name}.json").read_text("utf-8"))
    }

    assert recorded == set(CASES)
