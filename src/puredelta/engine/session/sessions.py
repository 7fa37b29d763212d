"""Sessions of Spark, by those of the JVM, and their settings."""

from typing import Any
from weakref import WeakKeyDictionary

from pyspark.sql import SparkSession

from puredelta.engine.bridge.classes import new, static_method
from puredelta.engine.bridge.jvm_parts import SparkContext

# For servers that open a session a request.
_SESSIONS_KEPT = 64

_sessions: dict[str, SparkSession] = {}

# The JVM's settings of each session.
_settings: WeakKeyDictionary[SparkSession, Any] = WeakKeyDictionary()


def session_of(jvm_session: Any) -> SparkSession:
    """Return the PySpark session of a JVM session, the same one each time."""
    uuid = jvm_session.sessionUUID()
    known = _sessions.get(uuid)
    # A context that was stopped has lost its `_jsc`.
    if known is None or known.sparkContext._jsc is None:
        context = SparkContext._active_spark_context
        assert context is not None  # noqa: S101  # a JVM session lives in one
        known = SparkSession(context, jvm_session)
        if len(_sessions) >= _SESSIONS_KEPT:
            _sessions.pop(next(iter(_sessions)))
        _sessions[uuid] = known
    return known


def active_session() -> SparkSession:
    """Return the session that the calling statement runs in."""
    return session_of(_active())


def is_enabled(jvm_session: Any = None) -> bool:
    """Say whether a JVM session, by default the active one, has our rules.

    The settings do not show it: `enable` adds the rules without them, and a setting that came too
    late adds none.
    """
    rules = (jvm_session or _active()).sessionState().analyzer().extendedResolutionRules()
    return "puredelta.AnalysisRule" in rules.mkString(",")


def _active() -> Any:
    return static_method("org.apache.spark.sql.classic.SparkSession", "active")()


def forget_stopped_sessions() -> None:
    """Drop sessions whose context was stopped."""
    for uuid in [u for u, s in _sessions.items() if s.sparkContext._jsc is None]:
        del _sessions[uuid]


def jvm_of(session: SparkSession) -> Any:
    """Return the session's JVM."""
    return session.sparkContext._jvm


def setting(session: SparkSession, key: str, default: str | None = None) -> str | None:
    """Return a setting of the session.

    Args:
        session: the session.
        key: the setting's name; without a default, one that Spark knows.
        default: what an unset one is. Spark's own default counts only without it.
    """
    settings = _settings.get(session)
    if settings is None:
        # The JVM's object is the live one: changes of settings show in it, and only its look-up is
        # saved.
        settings = _settings[session] = session._jsparkSession.sessionState().conf()
    given = () if default is None else (default,)
    value: str | None = settings.getConfString(key, *given)
    return value


def time_zone(session: SparkSession) -> str:
    """Return the name of the session's time zone."""
    return setting(session, "spark.sql.session.timeZone") or ""


def with_variables(text: str) -> str:
    """Return a statement with what variables such as `${name}` stand for, as Spark reads it."""
    if "${" not in text:
        return text
    return str(new("org.apache.spark.sql.internal.VariableSubstitution").substitute(text))
