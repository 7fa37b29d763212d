"""The world as a command sees it: the session, its settings, and who writes the commit."""

from dataclasses import dataclass

from pyspark.sql import SparkSession

from puredelta.engine.spark import setting
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
    jconf = session._jsparkSession.conf()
    defaults = {
        str(entry.getKey()): str(entry.getValue())
        for entry in jconf.getAllAsJava().entrySet()
        if str(entry.getKey()).startswith(PROPERTY_DEFAULTS)
    }
    settings = read_settings(lambda key, default: setting(session, key, default) or "", defaults)
    return Context(session=session, settings=settings, engine=engine_info(session.version))
