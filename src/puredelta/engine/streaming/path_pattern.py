"""The pattern of `excludeRegex`, in Java's syntax and matched by the JVM."""

from collections.abc import Sequence

from pyspark.errors import IllegalArgumentException

from puredelta.engine.bridge.classes import new, static_method
from puredelta.engine.bridge.handles import sequence
from puredelta.streaming.options import PathSearch

# No path has this character.
_BETWEEN = "\0"


def compile_pattern(text: str) -> PathSearch:
    """Return the search for a pattern in paths.

    Args:
        text: a regular expression of `java.util.regex`.

    Raises:
        ValueError: it is none; with Java's words.
    """
    try:
        predicate = static_method("java.util.regex.Pattern", "compile")(text).asPredicate()
    except IllegalArgumentException as error:
        raise ValueError(error.getMessage() or str(error)) from error

    def search(paths: Sequence[str]) -> set[str]:
        as_java = static_method("scala.jdk.javaapi.CollectionConverters", "asJava")
        others = new("java.util.ArrayList", as_java(sequence(paths)))
        others.removeIf(predicate)
        left = str(static_method("java.lang.String", "join")(_BETWEEN, others))
        return set(paths).difference(left.split(_BETWEEN))

    return search
