"""Paths as Hadoop names and sees them."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pyspark.sql import SparkSession

from puredelta.engine.bridge.classes import new
from puredelta.engine.bridge.jvm_parts import SparkContext

_LOCAL = "file:///"
# Absolute paths without `.` and `..`: Hadoop would only add the scheme, in several round trips.
_PLAIN = re.compile(r"(?:/+(?!\.\.?(?:/|$))[^/]+)+/*")


def hadoop_conf(session: SparkSession, options: Mapping[str, str] | None = None) -> Any:
    """Return the session's `Configuration`, with options of one table put into it."""
    # This is a copy, so that options of one table, passwords among them, do not become the
    # session's.
    conf = session._jsparkSession.sessionState().newHadoopConf()
    for key, value in (options or {}).items():
        conf.set(key, value)
    return conf


def hadoop_path(session: SparkSession, path: str, options: Mapping[str, str] | None = None) -> str:
    """Return a path as Hadoop names it, with the scheme of the default file system if it has none.

    `/tmp/t` becomes `file:/tmp/t` on a plain session.
    """
    if _PLAIN.fullmatch(path) and _default_system(session.sparkContext) == _LOCAL:
        return "file:" + re.sub("/+", "/", path).rstrip("/")
    files, parsed = _file_system(session, path, options)
    return str(files.makeQualified(parsed).toString())


def path_exists(session: SparkSession, root: str) -> bool:
    """Return whether a path exists."""
    files, parsed = _file_system(session, root)
    return bool(files.exists(parsed))


def entries(session: SparkSession, root: str) -> list[str]:
    """Return the names in a folder; none where the folder does not exist."""
    files, parsed = _file_system(session, root)
    if not files.exists(parsed):
        return []
    return [str(status.getPath().getName()) for status in files.listStatus(parsed)]


def is_absolute(path: str) -> bool:
    """Say whether Hadoop takes a path as absolute."""
    return bool(new("org.apache.hadoop.fs.Path", path).isAbsolute())


@lru_cache(maxsize=4)
def _default_system(context: SparkContext) -> str:
    return str(context._jsc.hadoopConfiguration().get("fs.defaultFS", _LOCAL))


def _file_system(
    session: SparkSession, path: str, options: Mapping[str, str] | None = None
) -> tuple[Any, Any]:
    parsed = new("org.apache.hadoop.fs.Path", path)
    return parsed.getFileSystem(hadoop_conf(session, options)), parsed
