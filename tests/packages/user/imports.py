"""Prints what `delta` has: a line for each name of a module, as in delta_spark_names.tsv."""

import importlib
import inspect
import sys
from collections.abc import Iterator

MODULES = (
    "delta",
    "delta.connect",
    "delta.connect.exceptions",
    "delta.connect.tables",
    "delta.exceptions",
    "delta.pip_utils",
    "delta.tables",
    "delta.version",
)


def names_of(module: str) -> Iterator[str]:
    """Yield the names that `from ... import *` gives, and `Class.method: arguments`."""
    names: dict[str, object] = {}
    exec(f"from {module} import *", names)
    for name, value in names.items():
        yield name
        if inspect.isclass(value) and not issubclass(value, Exception):
            for method, function in inspect.getmembers(value, callable):
                if not method.startswith("_"):
                    given = [one for one in inspect.signature(function).parameters if one != "self"]
                    yield f"{name}.{method}: {' '.join(given)}"


def main() -> None:
    """Import each module by its full name, as code does, and print what it has."""
    if "--alias" in sys.argv:
        importlib.import_module("puredelta").install_as_delta()
    for module in MODULES:
        names: dict[str, object] = {}
        exec(f"import {module}; there = {module}.__name__", names)
        for name in names_of(module):
            print(module, name, sep="\t")


if __name__ == "__main__":
    main()
