"""Write delta_spark_names.tsv: public names of delta-spark's Python package, with arguments.

record_names.py WHEEL: the wheel that `pip download --no-deps delta-spark` fetches.
"""

import ast
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

MODULES = {
    "delta": "delta/__init__.py",
    "delta.connect": "delta/connect/__init__.py",
    "delta.connect.exceptions": "delta/connect/exceptions.py",
    "delta.connect.tables": "delta/connect/tables.py",
    "delta.exceptions": "delta/exceptions/__init__.py",
    "delta.pip_utils": "delta/pip_utils.py",
    "delta.tables": "delta/tables.py",
    "delta.version": "delta/version.py",
}


def names_of(tree: ast.Module) -> Iterator[str]:
    """Yield what a module defines or lists in `__all__`, and `Class.method: arguments`."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            yield node.name
        if isinstance(node, ast.ClassDef):
            yield from methods_of(node)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if node.targets[0].id == "__all__":
                yield from ast.literal_eval(node.value)
            if node.targets[0].id == "__version__":
                yield "__version__"


def methods_of(kind: ast.ClassDef) -> Iterator[str]:
    """Yield the methods of a class; the last definition of each counts, as in Python."""
    last = {node.name: node for node in kind.body if isinstance(node, ast.FunctionDef)}
    for name, node in last.items():
        if not name.startswith("_"):
            given = [one.arg for one in (*node.args.args, *node.args.kwonlyargs)][1:]
            yield f"{kind.name}.{name}: {' '.join(given)}".rstrip()


def main(wheel: str) -> None:
    """Read the wheel and write the table."""
    with zipfile.ZipFile(wheel) as archive:
        lines = {
            f"{module}\t{name}"
            for module, path in MODULES.items()
            for name in names_of(ast.parse(archive.read(path)))
        }
    Path(__file__).with_name("delta_spark_names.tsv").write_text(
        "".join(f"{line}\n" for line in sorted(lines)), encoding="utf-8"
    )


if __name__ == "__main__":
    main(sys.argv[1])
