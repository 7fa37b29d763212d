"""Which part of Spark has called us, where nothing else shows what is wanted."""

from puredelta.engine.bridge.classes import new, static_method

_TEXT_OF = "org.apache.commons.lang3.exception.ExceptionUtils"


def is_called_by(method: str) -> bool:
    """Say whether a method of the JVM is waiting for the callback that runs now.

    Args:
        method: its name, or the end of the name that Scala gave it.
    """
    # A callback's own calls into the JVM run on the thread that made it.
    stack: str = static_method(_TEXT_OF, "getStackTrace")(new("java.lang.Throwable"))
    return any(line.partition("(")[0].endswith(method) for line in stack.splitlines())
