"""Every module says what it is for, and every public name is there."""

import ast
import importlib
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
MODULES = sorted(SOURCE.rglob("*.py"))
FOLDERS = [ROOT / "tests", ROOT / "tools", ROOT / "demo", ROOT / "bench"]


def name_of(path: Path) -> str:
    """Give ``puredelta.log`` for ``src/puredelta/log/__init__.py``."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_every_module_opens_with_one_sentence():
    paths = [*MODULES, *(path for folder in FOLDERS for path in sorted(folder.rglob("*.py")))]

    undocumented = [
        str(path.relative_to(ROOT))
        for path in paths
        if path.stat().st_size
        and not (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "")
        .split("\n\n")[0]
        .rstrip()
        .endswith((".", ":", "?"))
    ]

    assert undocumented == []


def test_package_files_hold_names_only():
    allowed = {"puredelta": {"__getattr__", "__dir__"}}

    logic = [
        f"{name_of(path)}.{node.name}"
        for path in MODULES
        if path.name == "__init__.py"
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
        and node.name not in allowed.get(name_of(path), set())
    ]

    assert logic == []


@pytest.mark.parametrize(
    "module",
    [name_of(p) for p in MODULES if "__all__" in p.read_text(encoding="utf-8")],
)
def test_every_name_that_a_module_offers_is_there(module):
    loaded = importlib.import_module(module)

    assert [name for name in loaded.__all__ if not hasattr(loaded, name)] == []
    assert sorted(set(loaded.__all__)) == sorted(loaded.__all__)


def test_imports_are_absolute_and_stand_at_the_top():
    # The root is lazy, and the commands of the CLI and the plugin of pytest import what they need;
    # everywhere else an import inside a function hides a cycle.
    modules = [
        "main",
        "cache",
        "convert",
        "diff",
        "generate",
        "health",
        "lists",
        "optimize",
        "plot",
        "restore",
        "rows",
        "serve",
        "size",
        "vacuum",
        "ways",
    ]
    free = {"puredelta", "puredelta.pytest_plugin", *(f"puredelta.cli.{name}" for name in modules)}

    hidden = [
        f"{name_of(path)}:{node.lineno}"
        for path in MODULES
        if name_of(path) not in free
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("puredelta")
    ]

    assert hidden == []


def test_a_class_name_occurs_once():
    # Classes inside classes are left out: py4j requires that each callback has one named Java.
    files = defaultdict(list)
    for path in MODULES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                files[node.name].append(name_of(path))

    assert {name: modules for name, modules in files.items() if len(modules) > 1} == {}
