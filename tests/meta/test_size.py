"""The code stays small: modules, functions, classes, and the Java adapters."""

import functools
from collections import Counter
from pathlib import Path

import pytest

from tools.pystats import broken_limits, care_figures, read_folder

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/puredelta"
JAVA = ROOT / "src/puredelta/engine/bridge/java"
JAVA_BUDGET = 2500
JAVA_CLASS_BUDGET = 200
FEWEST_MODULES, MOST_MODULES = 4, 20

read = functools.cache(read_folder)


@pytest.mark.parametrize("folder", ["src/puredelta", "tests", "tools", "demo"])
def test_modules_and_functions_keep_their_limits(folder):
    modules = [module for module in read(ROOT / folder) if not is_public_class(module)]

    assert broken_limits(modules, max_module=500, max_function=60) == []


def test_module_of_the_public_class_keeps_its_limit():
    [module] = [module for module in read(SOURCE) if is_public_class(module)]

    assert broken_limits([module], max_module=1100, max_function=35) == []


def is_public_class(module):
    """Say whether a module is that of `DeltaTable`.

    It holds about fifty methods: signatures, docstrings, and calls of functions elsewhere. Users
    know them all as methods of one class, and mixins would only hide where each of them is.
    """
    return module.path == SOURCE / "api/delta_table.py"


def test_classes_keep_their_limit():
    # DeltaTable has as many methods as users know.
    large = [
        found.where
        for module in read(ROOT / "src/puredelta")
        for found in module.classes
        if found.lines > 400 and not found.where.endswith(" DeltaTable")
    ]

    assert large == []


def test_everything_public_is_documented_and_everything_is_annotated():
    modules = read(ROOT / "src/puredelta")

    found = care_figures(modules, sum(len(module.code) for module in modules))

    shares = {name: share for name, share in found.items() if name.endswith("documented, %")}
    assert shares == dict.fromkeys(shares, 100.0)
    assert found["annotated, %"] == 100.0


def test_suppressions_and_broad_excepts_stay_rare():
    modules = read(ROOT / "src/puredelta")

    found = care_figures(modules, sum(len(module.code) for module in modules))

    assert found["suppressions per 1,000 code"] <= 3
    assert found["broad excepts per 1,000 code"] <= 0.3
    assert found["raises that are ValueError/RuntimeError/Exception, %"] <= 5


def test_folders_have_room_for_one_subject():
    modules = Counter(path.parent for path in SOURCE.rglob("*.py") if path.name != "__init__.py")
    # The root holds the public names; a layer of one subject may be small.
    small = {SOURCE, SOURCE / "engine", SOURCE / "errors"}

    wrong = {
        str(folder.relative_to(SOURCE)): count
        for folder, count in modules.items()
        if count > MOST_MODULES or (count < FEWEST_MODULES and folder not in small)
    }

    assert wrong == {}


def test_java_adapters_stay_within_their_budget():
    lines = {
        path.name: len(path.read_text(encoding="utf-8").splitlines())
        for path in JAVA.rglob("*.java")
    }

    assert {name: n for name, n in lines.items() if n >= JAVA_CLASS_BUDGET} == {}
    assert 0 < sum(lines.values()) < JAVA_BUDGET
