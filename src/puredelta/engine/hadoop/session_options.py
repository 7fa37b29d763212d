"""What a Spark session gives to the stores of tables: its settings, and its file systems.

The log is read in this process and the data by Spark, so both must get in by the same options:
those given for a table, over those of the session, over what the machine has.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pyspark.sql import SparkSession

from puredelta.engine.bridge.classes import new, static_method
from puredelta.engine.bridge.jvm_parts import SparkContext
from puredelta.engine.hadoop.files import HadoopFiles
from puredelta.engine.hadoop.store import HadoopStore, trusted_stores
from puredelta.engine.session.paths import hadoop_conf
from puredelta.engine.session.progress import follow_sessions
from puredelta.errors.classes import DeltaIllegalArgumentError
from puredelta.storage.location import scheme_of
from puredelta.storage.schemes import open_store, register_store_provider
from puredelta.storage.store import Store

_OWN = "fs.puredelta."
_PREFIXES = {
    **dict.fromkeys(("s3", "s3a", "s3n"), ("fs.s3a.",)),
    **dict.fromkeys(("gs", "gcs"), ("fs.gs.", "google.cloud.auth.")),
    **dict.fromkeys(("az", "abfs", "abfss", "wasb", "wasbs"), ("fs.azure.",)),
}
_VIEWS = frozenset({"viewfs"})
_PROVIDERS = "hadoop.security.credential.provider.path"
_PASSWORDS = (
    *("fs.s3a.access.key", "fs.s3a.secret.key", "fs.s3a.session.token"),
    *("fs.azure.account.key", "fs.azure.account.oauth2.client.secret"),
)


def register() -> None:
    """Let the stores of this process use the sessions of this process."""
    register_store_provider(session_options, open_hadoop_store)
    follow_sessions()


def session_options(url: str) -> dict[str, str]:
    """Return what the active session says of the store of a URL.

    Values that Hadoop ships are left out, as nobody has set them.

    Args:
        url: Where a table lies.
    """
    prefixes = _PREFIXES.get(scheme_of(url))
    if prefixes is None or SparkContext._active_spark_context is None:
        return {}
    conf = hadoop_conf(_active_session())
    shipped = _shipped(SparkContext._gateway)
    found = {
        key: value
        for prefix in (*prefixes, _OWN)
        for key, value in _below(conf, prefix).items()
        if shipped.get(key) != value
    }
    # A look-up of passwords opens key stores, which few sessions have.
    return {**found, **_passwords(conf, prefixes)} if conf.get(_PROVIDERS) else found


def open_hadoop_store(url: str, options: Mapping[str, str]) -> Store:
    """Open a URL through the active session's Hadoop; a view is opened where it leads to.

    Raises:
        DeltaIllegalArgumentError: No session is active, or it does not know the scheme.
    """
    scheme = scheme_of(url)
    if SparkContext._active_spark_context is None:
        raise DeltaIllegalArgumentError(
            "DELTA_STORAGE_SCHEME_NOT_IN_SESSION", url=url, scheme=scheme
        )
    session = _active_session()
    conf = hadoop_conf(session, options)
    # The store behind the view decides whether it can put if absent.
    if scheme in _VIEWS:
        return open_store(HadoopFiles(url, conf, options).resolved(), options)
    log_store = session.conf.get(f"spark.delta.logStore.{scheme}.impl", None)
    return HadoopStore(url, conf, options, trusted_stores(scheme, log_store))


def _active_session() -> SparkSession:
    context = SparkContext._active_spark_context
    assert context is not None  # noqa: S101  # callers have checked it
    active = static_method("org.apache.spark.sql.classic.SparkSession", "active")()
    return SparkSession(context, active)


def _below(conf: Any, prefix: str) -> dict[str, str]:
    """Return the settings that start with a prefix, in one text instead of a call for each."""
    found = conf.getPropsWithPrefix(prefix)
    text = new("com.fasterxml.jackson.databind.ObjectMapper").writeValueAsString(found)
    return {prefix + key: str(value) for key, value in json.loads(text).items()}


# The gateway is the key: another JVM may have another Hadoop.
@lru_cache(maxsize=1)
def _shipped(_gateway: Any) -> dict[str, str]:
    conf = new("org.apache.hadoop.conf.Configuration", False)
    conf.addResource("core-default.xml")
    return _below(conf, "fs.")


def _passwords(conf: Any, prefixes: tuple[str, ...]) -> dict[str, str]:
    """Return what lies in the key stores of Hadoop's credential providers."""
    wanted = [key for key in _PASSWORDS if key.startswith(prefixes)]
    found = {key: conf.getPassword(key) for key in wanted}
    return {key: "".join(chars) for key, chars in found.items() if chars is not None}
