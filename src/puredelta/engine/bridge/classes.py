"""Java and Scala members by full name, looked up once: each look-up is a round trip to the JVM."""

from functools import lru_cache
from typing import Any

from puredelta.engine.bridge.jvm_parts import (
    METHOD_TYPE,
    REFLECTION_COMMAND_NAME,
    SUCCESS,
    SUCCESS_CLASS,
    JavaClass,
    SparkContext,
)
from puredelta.engine.bridge.patches import Send

_KEPT = 256

# Many times what PySpark has names; a program that makes up names must not fill the memory.
_ANSWERS_KEPT = 10_000

_LASTING = (SUCCESS_CLASS, SUCCESS + METHOD_TYPE)


class Lookups:
    """Remembers what py4j asks of a name each time it is used: PySpark asks for each function."""

    def __init__(self, send: Send) -> None:
        """Send by a function what is not known."""
        self._send = send
        self._known: dict[str, str] = {}

    def send_command(self, command: str, *flags: bool, **named: bool) -> Any:
        """Send a command as py4j does, unless it asks for a class or a method that is known."""
        if not command.startswith(REFLECTION_COMMAND_NAME):
            return self._send(command, *flags, **named)
        known = self._known.get(command)
        if known is not None:
            return known
        answer = self._send(command, *flags, **named)
        # No other answer lasts: a field has other values, and a class may still be loaded.
        if answer[:2] in _LASTING:
            if len(self._known) >= _ANSWERS_KEPT:
                self._known.clear()
            self._known[command] = answer
        return answer


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
