"""The world as a command sees it: the session, its settings, and who writes the commit."""

from dataclasses import dataclass
from functools import cache

from pyspark import __version__ as pyspark_version
from pyspark.sql import SparkSession

from puredelta.settings import PROPERTY_DEFAULTS, Settings, read_settings
from puredelta.txn.commit_info import engine_info


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a command may know of its surroundings; read once, where the command starts."""

    session: SparkSession
    settings: Settings
    engine: str


def context_of(session: SparkSession) -> Context:
    """Read a session's settings into the context of one command."""
    conf = session._jsparkSession.sessionState().conf()
    settings = read_settings(lambda key, default: str(conf.getConfString(key, default)))
    return Context(session=session, settings=settings, engine=_engine())


def property_defaults(session: SparkSession) -> dict[str, str]:
    """Return the session's default properties of new tables, with the `delta.` prefix."""
    entries = session._jsparkSession.conf().getAllAsJava().entrySet()
    given = {str(entry.getKey()): str(entry.getValue()) for entry in entries}
    return {
        f"delta.{key.removeprefix(PROPERTY_DEFAULTS)}": value
        for key, value in given.items()
        if key.startswith(PROPERTY_DEFAULTS)
    }


@cache
def _engine() -> str:
    return engine_info(pyspark_version)
