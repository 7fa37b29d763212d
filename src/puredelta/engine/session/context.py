"""What a command knows of its environment: the session, its settings, the name of the engine."""

import json
from dataclasses import dataclass, field
from functools import cache

from pyspark import __version__ as pyspark_version
from pyspark.sql import SparkSession

from puredelta.engine.bridge.classes import static_method
from puredelta.errors.classes import DeltaIllegalArgumentError
from puredelta.setting import MalformedSettingError
from puredelta.settings import (
    APP_VERSION,
    LAST_VERSION,
    PROPERTY_DEFAULTS,
    Settings,
    read_settings,
    warn_of_unknown,
)
from puredelta.txn.commit_info import engine_info

# Settings without effect are reported once in the life of a process.
_reported: set[str] = set()


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The environment of a command, read once, where the command starts.

    Attributes:
        session: the session.
        settings: its settings of Delta.
        engine: the name of the engine that commits, for the history.
        property_defaults: properties of new tables, with the `delta.` prefix.
    """

    session: SparkSession
    settings: Settings
    engine: str
    property_defaults: dict[str, str] = field(default_factory=dict)

    def remember_version(self, version: int) -> None:
        """Record in the session which version it made last."""
        self.session._jsparkSession.conf().set(LAST_VERSION, str(version))

    def use_up_app_version(self) -> None:
        """Forget the version of the writing application, where the session enables that."""
        if self.settings.app_version_resets:
            # A version that stayed would make the next write of this application a repetition,
            # which has no effect.
            self.session._jsparkSession.conf().unset(APP_VERSION)


def context_of(session: SparkSession) -> Context:
    """Read a session's settings into the context of one command.

    Raises:
        DeltaIllegalArgumentError: INVALID_CONF_VALUE.TYPE_MISMATCH.
    """
    given = _given(session)
    warn_of_unknown(given, _reported)
    try:
        settings = read_settings(given.get)
    except MalformedSettingError as wrong:
        raise DeltaIllegalArgumentError(
            "INVALID_CONF_VALUE.TYPE_MISMATCH",
            confName=wrong.key,
            confValue=wrong.text,
            confType=wrong.kind,
        ) from wrong
    defaults = {
        f"delta.{key.removeprefix(PROPERTY_DEFAULTS)}": value
        for key, value in given.items()
        if key.startswith(PROPERTY_DEFAULTS)
    }
    return Context(session=session, settings=settings, engine=_engine(), property_defaults=defaults)


def _given(session: SparkSession) -> dict[str, str]:
    """Return all that is set in a session, in one round trip and not one for each key."""
    settings = static_method("puredelta.Bridge", "settings")
    given: dict[str, str] = json.loads(settings(session._jsparkSession))
    return given


@cache
def _engine() -> str:
    return engine_info(pyspark_version)
