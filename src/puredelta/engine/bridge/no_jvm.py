"""Stand-ins for what `jvm_parts` has, in a Python that only connects to a server.

Modules are imported with them; whatever would use a JVM is refused with one error.
"""

from typing import Any, NoReturn

from puredelta.engine.exceptions import public
from puredelta.errors.classes import DeltaRuntimeError


def _refuse(*_args: Any, **_named: Any) -> NoReturn:
    raise public(DeltaRuntimeError("PUREDELTA_PYSPARK_CLIENT"))


class _Refusing(type):
    """A class of which no attribute is there, and of which nothing is an instance."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        _refuse()

    __call__ = _refuse


class SparkContext(metaclass=_Refusing):
    """Takes the place of PySpark's own."""


class ClassicDataFrame(metaclass=_Refusing):
    """Takes the place of the DataFrame of a session that has a JVM."""


class JavaClass(metaclass=_Refusing):
    """Takes the place of py4j's own."""


class JavaObject(metaclass=_Refusing):
    """Takes the place of py4j's own."""


class Py4JError(Exception):  # py4j's name
    """Is never raised."""


class Py4JJavaError(Py4JError):
    """Is never raised."""


ensure_callback_server_started = get_command_part = _refuse

# What py4j's messages consist of.
ENTRY_POINT_OBJECT_ID = GATEWAY_SERVER_OBJECT_ID = SHUTDOWN_FINALIZER_WORKER = ""
METHOD_TYPE = REFLECTION_COMMAND_NAME = SUCCESS = SUCCESS_CLASS = ""
BOOLEAN_TYPE = LIST_TYPE = REFERENCE_TYPE = STATIC_PREFIX = ""
CALL_COMMAND_NAME = CONSTRUCTOR_COMMAND_NAME = MEMORY_COMMAND_NAME = MAP_TYPE = NULL_TYPE = ""
OUTPUT_CONVERTER: dict[str, Any] = {}
