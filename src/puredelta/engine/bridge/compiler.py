"""The Java adapters as one jar: compiled once for a Spark version by its own Janino, and cached.

A cached jar is taken only from a folder that nobody else can write to, by no symbolic link, and
only when its bytes match the digest beside it.
"""

import hashlib
import io
import logging
import os
import re
import tempfile
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from puredelta.engine.bridge.cached_files import TEMPORARY_PREFIX
from puredelta.engine.bridge.environment import cache_folder
from puredelta.engine.bridge.private_folder import is_private_file, why_not_private

logger = logging.getLogger(__name__)

JAVA_FOLDER = Path(__file__).parent / "java"
# By this file Spark finds format("delta"), in upper or lower case.
_SERVICES = {
    "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister": b"puredelta.Source\n"
}
# By this file a Python that joins a JVM later sees whether the adapters in it are its own.
DIGEST_OF_SOURCES = "puredelta/sources.sha256"
# With a fixed date, jars of equal sources are equal: it does not matter which of two first
# sessions stores its own.
_JAR_DATE = (1980, 1, 1, 0, 0, 0)
_ONLY_MINE = 0o700


def adapters_jar(gateway: Any, spark_version: str) -> Path:
    """Return the jar of the adapters for the running Spark, compiling it when it isn't cached.

    Args:
        gateway: the py4j gateway of the JVM that will load the jar (and compiles it).
        spark_version: the JVM's Spark version, e.g. "4.1.1".
    """
    jar = _private_folder() / _jar_name(spark_version)
    if not _is_what_was_built(jar):
        _store(jar, compile_adapters(gateway))
    return jar


def cached_jar(spark_version: str) -> Path | None:
    """Return the jar of the adapters for a version of Spark, None when it is not cached."""
    jar = _private_folder() / _jar_name(spark_version)
    return jar if _is_what_was_built(jar) else None


def _jar_name(spark_version: str) -> str:
    # Sessions of other Spark versions, and other versions of this package, share the folder.
    return f"adapters-{_file_safe(spark_version)}-{sources_digest()[:16]}.jar"


def sources() -> dict[str, str]:
    """Return the Java sources, by path below the folder of sources."""
    files = sorted(JAVA_FOLDER.rglob("*.java"))
    return {str(f.relative_to(JAVA_FOLDER)): f.read_text(encoding="utf-8") for f in files}


@cache
def sources_digest() -> str:
    """Return a hash of all sources, in hexadecimal."""
    return digest_of(sources())


def digest_of(texts: Mapping[str, str]) -> str:
    """Return a hash of some sources, by path, in hexadecimal."""
    digest = hashlib.sha256()
    for path, text in texts.items():
        digest.update(f"{path}\0{text}\0".encode())
    return digest.hexdigest()


def compile_adapters(gateway: Any) -> bytes:
    """Compile our sources; return the jar's bytes."""
    compiled = compile_java(gateway, sources())
    logger.info("compiled %d adapters", len(compiled))
    return _jar(compiled | _SERVICES | {DIGEST_OF_SOURCES: sources_digest().encode("ascii")})


def compile_java(gateway: Any, texts: Mapping[str, str]) -> dict[str, bytes]:
    """Compile sources with the Janino that Spark ships.

    Args:
        gateway: the py4j gateway of the JVM that compiles them.
        texts: the sources, by path.

    Returns:
        The files of classes, by path.
    """
    jvm = gateway.jvm
    # Spark's own classes, and not adapters that this JVM may have loaded before.
    loader = jvm.java.lang.ClassLoader.getSystemClassLoader()
    resource = jvm.org.codehaus.commons.compiler.util.resource
    compiler = jvm.org.codehaus.janino.Compiler(
        resource.MapResourceFinder(jvm.java.util.HashMap()),
        jvm.org.codehaus.janino.ClassLoaderIClassLoader(loader),
    )
    classes = jvm.java.util.HashMap()
    compiler.setClassFileCreator(resource.MapResourceCreator(classes))
    compiler.setSourceVersion(8)
    compiler.setTargetVersion(8)
    units = list(texts.items())
    array = gateway.new_array(resource.Resource, len(units))
    for i, (path, text) in enumerate(units):
        array[i] = resource.StringResource(path, text)
    compiler.compile(array)
    return {str(name): bytes(content) for name, content in dict(classes).items()}


def _jar(classes: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as jar:
        for name in sorted(classes):
            jar.writestr(zipfile.ZipInfo(name, _JAR_DATE), classes[name])
    return buffer.getvalue()


def _private_folder() -> Path:
    folder = cache_folder()
    try:
        folder.mkdir(mode=_ONLY_MINE, parents=True, exist_ok=True)
        reason = why_not_private(folder)
        if reason is None:
            _shut_others_out(folder)
            return folder
    except OSError as error:
        reason = str(error)
    logger.warning("adapters are not cached in %s: %s", folder, reason)
    return _folder_of_this_process()


@cache
def _folder_of_this_process() -> Path:
    # mkdtemp makes a folder that only the user may enter, so what is compiled can be loaded from
    # it.
    return Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX))


def _shut_others_out(folder: Path) -> None:
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"{folder} is not writable")
    if hasattr(os, "getuid") and folder.stat().st_mode & 0o022:
        folder.chmod(_ONLY_MINE)
        # Others could write here until now, a digest along with a jar.
        for file in folder.glob("adapters-*"):
            file.unlink()


def _is_what_was_built(jar: Path) -> bool:
    try:
        if not (is_private_file(jar) and is_private_file(_digest_file(jar))):
            return False
        return _digest_file(jar).read_text(encoding="ascii") == _digest(jar.read_bytes())
    except (OSError, UnicodeDecodeError):
        return False


def _store(jar: Path, content: bytes) -> None:
    _replace(jar, content)
    # The digest comes second: between the two files a reader finds a digest that does not match,
    # and compiles for itself.
    _replace(_digest_file(jar), _digest(content).encode("ascii"))


def _replace(path: Path, content: bytes) -> None:
    # A reader sees the old file or the new one, never half of it.
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(temporary).replace(path)


def _digest_file(jar: Path) -> Path:
    return jar.with_suffix(".sha256")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _file_safe(version: str) -> str:
    return re.sub(r"[^\w.-]", "_", version)
