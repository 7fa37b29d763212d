"""Case classes of Scala, whose fields grow from one Spark version to the next."""

from functools import cache
from typing import Any

from puredelta.engine.bridge.classes import scala_object, static_method
from puredelta.engine.bridge.handles import items_of


def new_case_class(name: str, *first: Any) -> Any:
    """Make an instance of a case class from its first fields; the others take their defaults."""
    companion = scala_object(name)
    places = range(len(first) + 1, _field_count(name) + 1)
    defaults = [getattr(companion, f"apply$default${place}")() for place in places]
    return companion.apply(*first, *defaults)


def copied(instance: Any, **changes: Any) -> Any:
    """Copy a case class with other values for some fields, by name."""
    names = items_of(instance.productElementNames())
    fields = zip(names, items_of(instance.productIterator()), strict=True)
    return instance.copy(*(changes.get(name, value) for name, value in fields))


@cache
def _field_count(name: str) -> int:
    loader = static_method("java.lang.ClassLoader", "getSystemClassLoader")()
    found = static_method("java.lang.Class", "forName")(name, True, loader)
    return int(found.getConstructors()[0].getParameterCount())
