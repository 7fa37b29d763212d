"""Scala's values from Python: sequences, and case classes.

The fields of case classes grow from one Spark version to the next.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

from puredelta.engine.bridge.classes import new, scala_object, static_method


def sequence(items: Iterable[Any]) -> Any:
    """Make an immutable `Seq` of JVM objects."""
    listed = new("java.util.ArrayList")
    for item in items:
        listed.add(item)
    return static_method("scala.jdk.javaapi.CollectionConverters", "asScala")(listed).toSeq()


def items_of(found: Any) -> list[Any]:
    """Return the items of a Scala collection."""
    iterator = found.iterator()
    items = []
    while iterator.hasNext():
        items.append(iterator.next())
    return items


def new_case_class(name: str, *first: Any) -> Any:
    """Make a case class of which only the first fields are known; the others take defaults."""
    companion = scala_object(name)
    places = range(len(first) + 1, _field_count(name) + 1)
    defaults = [getattr(companion, f"apply$default${place}")() for place in places]
    return companion.apply(*first, *defaults)


def copied(instance: Any, **changes: Any) -> Any:
    """Copy a case class with other values for some fields, by name."""
    names = instance.productElementNames()
    values: list[Any] = []
    while names.hasNext():
        name = names.next()
        values.append(changes.get(name, instance.productElement(len(values))))
    return instance.copy(*values)


@cache
def _field_count(name: str) -> int:
    loader = static_method("java.lang.ClassLoader", "getSystemClassLoader")()
    found = static_method("java.lang.Class", "forName")(name, True, loader)
    return int(found.getConstructors()[0].getParameterCount())
