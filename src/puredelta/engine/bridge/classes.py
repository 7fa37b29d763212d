"""Java and Scala members by full name, looked up once: each look-up is a round trip to the JVM."""

from functools import lru_cache
from typing import Any

from py4j.java_gateway import JavaClass
from pyspark import SparkContext

_KEPT = 256


def static_method(class_name: str, name: str) -> Any:
    """Return a static method of a Java class, to be called."""
    return _member(_client(), class_name, name)


def new(class_name: str, *args: Any) -> Any:
    """Make an instance of a Java class."""
    return _class(_client(), class_name)(*args)


def scala_object(class_name: str) -> Any:
    """Return a Scala object, the companion of a class among them."""
    return _member(_client(), f"{class_name}$", "MODULE$")


def class_object(class_name: str) -> Any:
    """Return the `java.lang.Class` of a Java class."""
    return _class(_client(), class_name)._java_lang_class


def kind_of(instance: Any) -> str:
    """Return the name of an object's class, without its package."""
    return str(static_method("puredelta.Handles", "kindOf")(instance))


def _client() -> Any:
    gateway: Any = SparkContext._gateway
    return gateway._gateway_client


@lru_cache(maxsize=_KEPT)
def _class(client: Any, class_name: str) -> Any:
    return JavaClass(class_name, client)


@lru_cache(maxsize=_KEPT)
def _member(client: Any, class_name: str, name: str) -> Any:
    return getattr(_class(client, class_name), name)
