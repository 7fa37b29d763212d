"""PySpark and py4j are changed in one module, and each change is on the page that lists them."""

import ast
import inspect
from pathlib import Path

from puredelta.engine.bridge import patches

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/puredelta"
PATCHES = SOURCE / "engine/bridge/patches.py"
PAGE = ROOT / "docs/decisions/0012-state-and-patches.md"
FOREIGN = ("pyspark", "py4j")
# What of these has a stand-in in a client of Spark Connect; the others import it from here.
PARTS = SOURCE / "engine/bridge/jvm_parts.py"
ONLY_WITH_JVM = ("py4j", "pyspark.java_gateway", "pyspark.core", "pyspark.sql.classic")
# Methods of py4j's client, and how Java gets at private fields.
MARKS = ("send_command", "garbage_collect_object")
REFLECTION = ("getDeclaredField", "setAccessible", "getDeclaredMethod")


def foreign_names(tree):
    """Return the names under which a module has what it imports of PySpark and py4j."""
    return {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if (getattr(node, "module", None) or alias.name).partition(".")[0] in FOREIGN
        or getattr(node, "module", None) == "puredelta.engine.bridge.jvm_parts"
    }


def changes(path):
    """Yield the lines in which a module changes something of PySpark or py4j."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    foreign = foreign_names(tree)
    for node in ast.walk(tree):
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            first = node.args[0] if name == "setattr" and node.args else None
            if name in REFLECTION or (isinstance(first, ast.Name) and first.id in foreign):
                yield node.lineno
        for target in targets if isinstance(node, ast.Assign | ast.AnnAssign) else ():
            if isinstance(target, ast.Attribute) and (
                target.attr in MARKS
                or (isinstance(target.value, ast.Name) and target.value.id in foreign)
            ):
                yield node.lineno


def test_one_module_changes_pyspark_and_py4j():
    found = {
        f"{path.relative_to(SOURCE)}:{line}"
        for path in SOURCE.rglob("*.py")
        if path != PATCHES
        for line in changes(path)
    }

    assert found == set()
    assert list(changes(PATCHES))


def test_one_module_imports_what_needs_a_jvm():
    found = {
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in SOURCE.rglob("*.py")
        if path != PARTS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if (getattr(node, "module", None) or alias.name).startswith(ONLY_WITH_JVM)
        or (alias.name == "SparkContext" and node.module == "pyspark")
    }

    assert found == set()


def test_page_lists_every_patch():
    offered = [
        name
        for name, value in vars(patches).items()
        if (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__ == patches.__name__
        and not name.startswith("_")
    ]

    page = PAGE.read_text(encoding="utf-8")

    assert [name for name in offered if f"`{name}`" not in page] == []
