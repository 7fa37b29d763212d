"""The Spark session of tests: small, quick to start, and with a warehouse that goes away."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from puredelta.engine.bridge.jvm_parts import SparkContext
from puredelta.session import configure

SMALL = {
    "spark.master": "local[2]",
    "spark.app.name": "puredelta tests",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.sql.session.timeZone": "UTC",
    # The name of a machine need not lead to it, as in many containers.
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # Most code of a test runs once: compiling it well takes longer than running it.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
"""Settings of the session, before those of the project."""

_FSYNC = "PUREDELTA_FSYNC"


def read_settings_lines(lines: Iterable[str]) -> dict[str, str]:
    """Read settings, each a line `name = value`.

    >>> read_settings_lines(["spark.master = local[1]", "", "spark.x=a=b"])
    {'spark.master': 'local[1]', 'spark.x': 'a=b'}

    Raises:
        ValueError: a line has no `=`.
    """
    found = {}
    for line in filter(str.strip, lines):
        name, equals, value = line.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"puredelta_spark_conf needs lines of `name = value`, not {line!r}")
        found[name.strip()] = value.strip()
    return found


@contextmanager
def session_for_tests(settings: Mapping[str, str], warehouse: Path) -> Iterator[SparkSession]:
    """Give a session that speaks Delta, and stop it at the end if it was started here.

    Args:
        settings: override `SMALL`.
        warehouse: where tables without a location lie.
    """
    builder = SparkSession.builder
    chosen = {**SMALL, "spark.sql.warehouse.dir": str(warehouse), **settings}
    for name, value in chosen.items():
        builder = builder.config(name, value)
    is_ours = SparkContext._active_spark_context is None  # noqa: SLF001  # has no other name
    with _commits_that_do_not_wait():
        session = configure(builder).getOrCreate()
        yield session
        if is_ours:
            session.stop()


@contextmanager
def _commits_that_do_not_wait() -> Iterator[None]:
    # A test survives no loss of power, so nothing has to wait until bytes are on a disk.
    if _FSYNC in os.environ:
        yield
        return
    os.environ[_FSYNC] = "0"
    yield
    os.environ.pop(_FSYNC, None)
