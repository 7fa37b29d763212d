"""An archive of the classes that Spark loads, from which its JVM starts in less time.

A JVM maps the archive into its memory instead of reading, checking and linking some 20,000 classes:
Java's application class-data sharing. It fits one PySpark in one place and one Java; a JVM that it
does not fit starts without it.
"""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from puredelta.engine.bridge.environment import (
    cache_folder,
    find_java,
    spark_home,
    spark_version,
    why_cache_is_unusable,
)
from puredelta.engine.bridge.private_folder import is_closed, is_private_file, why_not_private
from puredelta.errors.classes import DeltaRuntimeError

logger = logging.getLogger(__name__)

FILES = "classes-*"
"""The pattern of the names of archives."""

_JVM_OPTIONS = "SPARK_SUBMIT_OPTS"
_ONLY_MINE = 0o700

# What a session does first: the classes of these statements are in the archive.
_STATEMENTS = (
    "CREATE TABLE t (id BIGINT, v STRING, p INT) USING delta PARTITIONED BY (p)",
    "INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2), (3, NULL, NULL)",
    "UPDATE t SET v = upper(v) WHERE id < 3",
    "DELETE FROM t WHERE id = 2",
    "MERGE INTO t USING (SELECT id, 'm' v, 1 p FROM range(5)) s ON t.id = s.id \
WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *",
    "SELECT p, count(*), max(v) FROM t JOIN range(9) USING (id) GROUP BY p ORDER BY p",
    "DESCRIBE HISTORY t",
)
_PROGRAM = """
import sys
import puredelta
from pyspark import SparkContext
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
spark = puredelta.configure(builder).getOrCreate()
for statement in sys.stdin.read().splitlines():
    spark.sql(statement).collect()
spark.stop()
# The JVM writes the archive when it ends.
jvm = SparkContext._gateway.proc
jvm.stdin.close()
jvm.wait()
"""


def kept_archive() -> Path | None:
    """Return the archive for the Spark and the Java of this machine; None where none is kept."""
    path = _path()
    if path is None or not path.is_file():
        return None
    # The JVM runs the code in it.
    if why_not_private(path.parent) is None and is_private_file(path) and is_closed(path.parent):
        return path
    logger.warning("%s is not used, for others could change it", path)
    return None


def make_archive() -> Path:
    """Run a session that writes the archive when it ends; takes half a minute.

    Raises:
        DeltaRuntimeError: PUREDELTA_CLASSES_NOT_KEPT.
    """
    path = _path()
    if path is None:
        raise _not_kept("no Java or no Spark was found; `puredelta doctor` says more")
    reason = why_cache_is_unusable(path.parent)
    if reason is not None:
        raise _not_kept(reason)
    path.parent.mkdir(mode=_ONLY_MINE, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        written = Path(folder) / path.name
        done = subprocess.run(  # noqa: S603  # this Python
            [sys.executable, "-c", _PROGRAM],
            input="\n".join(_STATEMENTS),
            cwd=folder,
            env={**os.environ, _JVM_OPTIONS: _with(f"-XX:ArchiveClassesAtExit={written}")},
            capture_output=True,
            text=True,
            check=False,
        )
        if not written.is_file():
            raise _not_kept(_last_line(done.stderr) or "this Java writes no such archive")
        written.replace(path)
    return path


@contextmanager
def mapped_classes() -> Iterator[None]:
    """Let a JVM that is started inside map the archive, where one is kept."""
    found = kept_archive()
    if found is None:
        yield
        return
    before = os.environ.get(_JVM_OPTIONS)
    # A JVM that the archive does not fit starts without it, and need not say so.
    os.environ[_JVM_OPTIONS] = _with(f"-XX:SharedArchiveFile={found} -Xlog:cds=off -Xlog:cds*=off")
    try:
        yield
    finally:
        if before is None:
            del os.environ[_JVM_OPTIONS]
        else:
            os.environ[_JVM_OPTIONS] = before


def _with(options: str) -> str:
    return f"{os.environ.get(_JVM_OPTIONS, '')} {options}".strip()


def _path() -> Path | None:
    java, home, version = find_java(), spark_home(), spark_version()
    if java is None or home is None or version is None:
        return None
    facts = f"{java.path.resolve()}\0{java.version}\0{home}"
    digest = hashlib.sha256(facts.encode()).hexdigest()[:12]
    return cache_folder() / f"classes-{version}-{digest}.jsa"


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def _not_kept(reason: str) -> DeltaRuntimeError:
    return DeltaRuntimeError("PUREDELTA_CLASSES_NOT_KEPT", reason=reason.rstrip("."))
