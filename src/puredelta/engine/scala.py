"""Scala case classes from Python, whose fields grow from one Spark version to the next."""

from typing import Any


def new_case_class(jvm: Any, name: str, *first: Any) -> Any:
    """Make a case class of which only the first fields are known; the others take defaults.

    Spark adds fields from version to version.
    """
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    constructor = jvm.java.lang.Class.forName(name, True, loader).getConstructors()[0]
    package, _, short = name.rpartition(".")
    companion: Any = jvm
    for part in package.split("."):
        companion = getattr(companion, part)
    companion = getattr(getattr(companion, f"{short}$"), "MODULE$")
    count = constructor.getParameterCount()
    defaults = [
        getattr(companion, f"apply$default${i}")() for i in range(len(first) + 1, count + 1)
    ]
    return companion.apply(*first, *defaults)


def copied(instance: Any, **changes: Any) -> Any:
    """Copy a case class with other values for some fields, by name."""
    names = instance.productElementNames()
    values: list[Any] = []
    while names.hasNext():
        name = names.next()
        values.append(changes.get(name, instance.productElement(len(values))))
    return instance.copy(*values)
