"""`puredelta.api` offers all that Python code calls: one class, its builders and its results."""

import inspect
from pathlib import Path

import pytest

import puredelta
from puredelta import api, tables
from puredelta.api import DeltaMergeBuilder, DeltaTable, DeltaTableBuilder, results

REFERENCE = Path(__file__).parents[3] / "docs/reference"
CLASSES = [DeltaTable, DeltaTableBuilder, DeltaMergeBuilder]
# What users know by this name from other systems.
KNOWN_OTHERWISE = {"sequence_by"}


def methods_of(kind):
    return {
        name: inspect.signature(method)
        for name, method in inspect.getmembers(kind, callable)
        if not name.startswith("_")
    }


def test_root_offers_the_module():
    assert puredelta.api is api
    assert "api" in dir(puredelta)
    assert puredelta.DeltaTable is tables.DeltaTable is api.DeltaTable


def test_every_result_is_a_public_name():
    assert set(results.__all__) < set(api.__all__)


def test_every_public_name_is_in_the_reference():
    pages = [page.read_text(encoding="utf-8") for page in REFERENCE.glob("api/*.md")]
    lines = {line for page in pages for line in page.splitlines()}

    assert [name for name in api.__all__ if f"::: puredelta.api.{name}" not in lines] == []


def test_overview_links_every_public_name():
    overview = (REFERENCE / "python-api.md").read_text(encoding="utf-8")

    assert [name for name in api.__all__ if f"[`{name}`](api/" not in overview] == []


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_each_method_is_in_its_class(kind):
    assert kind.__bases__ == (object,)
    assert [name for name in methods_of(kind) if name not in vars(kind)] == []


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_arguments_are_in_camel_case(kind):
    found = methods_of(kind).items()

    arguments = [(name, it) for name, of in found for it in of.parameters if "_" in it]

    assert [pair for pair in arguments if pair[1] not in KNOWN_OTHERWISE] == []


@pytest.mark.parametrize("name", ["delete", "upsert", "convertToDelta"])
def test_method_with_dry_run_keeps_its_signature_and_docstring(name):
    method = getattr(DeltaTable, name)

    assert inspect.signature(method).parameters["dryRun"].default is False
    assert "dryRun" in inspect.getdoc(method)
