"""Hadoop's file system calls through py4j, each with few round trips; its errors as ours."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import Any

from pyspark.errors import PySparkException

from puredelta.engine.bridge.classes import kind_of, new, static_method
from puredelta.engine.bridge.jvm_parts import Py4JJavaError, SparkContext
from puredelta.errors.classes import DeltaError, DeltaIllegalArgumentError, DeltaRuntimeError
from puredelta.storage.location import scheme_of
from puredelta.storage.object_store_options import without_secrets
from puredelta.storage.store import ObjectInfo, ObjectNotFound

_PATH = "org.apache.hadoop.fs.Path"
_FILE_CONTEXT = "org.apache.hadoop.fs.FileContext"
_RENAME = "org.apache.hadoop.fs.Options$Rename"

# What FileStatus prints of itself: an array of them crosses over as one text. Classes that
# wrap another status may print its values in place of theirs, so only the known ones are parsed.
_PLAIN = ("FileStatus", "LocatedFileStatus", "HdfsNamedFileStatus", "HdfsLocatedFileStatus")
_STATUS = re.compile(
    r"(?P<kind>\w+)\{path=(?P<path>.*?); isDirectory=(?P<folder>true|false)"
    r"(?:; length=(?P<size>\d+))?.*?modification_time=(?P<time>-?\d+)",
    re.DOTALL,
)
_ROOT = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:(?://[^/]*)?")

_MISSING = ("FileNotFoundException", "NoSuchFileException")
_EXISTS = "FileAlreadyExistsException"
_DENIED = ("AccessControlException", "AccessDeniedException", "AuthorizationException")
_SILENT = (
    "ConnectException",
    "NoRouteToHostException",
    "SocketException",
    "SocketTimeoutException",
    "UnknownHostException",
    "StandbyException",
)
_NO_SCHEME = "UnsupportedFileSystemException"


class HadoopFiles:
    """A folder in one of Hadoop's file systems.

    Args:
        url: The folder.
        conf: The `org.apache.hadoop.conf.Configuration` to reach it with.
        options: What was put into it for this table; none of it is quoted in errors.
    """

    def __init__(self, url: str, conf: Any, options: Mapping[str, str]) -> None:
        self.url = url
        self._options = options
        scheme, _, rest = url.partition("://")
        self._scheme = scheme
        self._authority, _, self._folder = rest.partition("/")
        self._conf = conf
        with self.failures("open", ""):
            self._files = self.path("").getFileSystem(conf)

    def path(self, name: str) -> Any:
        """Return the `Path` of a file; no character of its name is special."""
        whole = "/" + "/".join(part for part in (self._folder, name) if part)
        return new(_PATH, self._scheme, self._authority or None, whole)

    def statuses(self, folder: str) -> list[ObjectInfo]:
        """List the files of a folder, in no order; none where the folder does not exist."""
        return self.entries(folder)[0]

    def entries(self, folder: str) -> tuple[list[ObjectInfo], list[str]]:
        """List the files of a folder and name the folders in it, in no order."""
        with self.failures("list", folder):
            try:
                # The listing is asked for at once: a question whether the folder exists would be
                # one more request, with another answer by then.
                found = self._files.listStatus(self.path(folder))
            except Py4JJavaError as error:
                if _kind(error) in _MISSING:
                    return [], []
                raise
            text = str(static_method("scala.runtime.ScalaRunTime", "stringOf")(found))
            if any(match["kind"] not in _PLAIN for match in _STATUS.finditer(text)):
                text = "".join(_plain(part) for part in found)
        above = f"{folder}/" if folder else ""
        matches = list(_STATUS.finditer(text))
        files = [info for match in matches if (info := _info(match, above)) is not None]
        return files, [_name(match, above) for match in matches if match["folder"] == "true"]

    def printed(self, listing: Any) -> list[ObjectInfo]:
        """Read what Spark's own listing found, at any depth, by one text that crosses over."""
        text = str(static_method("scala.runtime.ScalaRunTime", "stringOf")(listing))
        root = "/" + self._folder.rstrip("/")
        return [
            ObjectInfo(
                path.removeprefix(root).lstrip("/"), int(match["size"] or 0), int(match["time"])
            )
            for match in _STATUS.finditer(text)
            if match["folder"] == "false" and (path := _ROOT.sub("", match["path"], count=1))
        ]

    def status(self, name: str) -> ObjectInfo | None:
        """Return size and time of a file; None for a folder and for a missing file."""
        with self.failures("look up", name):
            try:
                text = _plain(self._files.getFileStatus(self.path(name)))
            except Py4JJavaError as error:
                if _kind(error) in _MISSING:
                    return None
                raise
        above = name.rpartition("/")[0]
        match = _STATUS.search(text)
        return None if match is None else _info(match, f"{above}/" if above else "")

    def read(self, name: str, start: int = 0, length: int | None = None) -> bytes:
        """Return a file, or a part of it."""
        with self.failures("read", name):
            stream = self._files.open(self.path(name))
            try:
                if start:
                    stream.seek(start)
                data = stream.readAllBytes() if length is None else stream.readNBytes(length)
            finally:
                stream.close()
        return bytes(data)

    def create(self, name: str, chunks: Iterable[bytes]) -> None:
        """Write a file that does not exist yet; readers may see a part of it."""
        with self.failures("write", name):
            stream = self._files.create(self.path(name), False)
        try:
            for data in chunks:
                with self.failures("write", name):
                    stream.write(data, 0, len(data))
        except BaseException:
            # What went wrong before says more than that this does, too.
            with suppress(Py4JJavaError, PySparkException):
                stream.close()
            raise
        with self.failures("write", name):
            stream.close()

    def rename(self, source: str, target: str, *, overwrite: bool) -> bool:
        """Give a file another name; False when that name is taken and may not be overwritten."""
        with self.failures("write", target):
            try:
                # FileContext reports a name that is taken by an exception of its own, where the
                # older FileSystem.rename returns false for any reason.
                self._context.rename(
                    self.path(source), self.path(target), _how(overwrite=overwrite)
                )
            except Py4JJavaError as error:
                if _kind(error) != _EXISTS:
                    raise
                return False
        return True

    def delete(self, name: str) -> None:
        """Remove a file; nothing happens where it does not exist."""
        with self.failures("delete", name):
            self._files.delete(self.path(name), False)

    def folder_modified_ms(self, name: str) -> int | None:
        """Return when an entry of a folder last came or went; None where there is no folder."""
        with self.failures("look up", name):
            try:
                status = self._files.getFileStatus(self.path(name))
            except Py4JJavaError as error:
                if _kind(error) in _MISSING:
                    return None
                raise
            return int(status.getModificationTime()) if status.isDirectory() else None

    def delete_folder(self, name: str) -> bool:
        """Remove a folder unless something is in it; return whether it was removed."""
        if self.folder_modified_ms(name) is None or self.entries(name) != ([], []):
            return False
        with self.failures("delete", name):
            # Not recursive: what a writer puts there since the question is not removed.
            return bool(self._files.delete(self.path(name), False))

    def resolved(self) -> str:
        """Return the URL that the folder has in the file system behind this one."""
        with self.failures("look up", ""):
            return self._resolved(self.path(""))

    @cached_property
    def _context(self) -> Any:
        return static_method(_FILE_CONTEXT, "getFileContext")(self.path("").toUri(), self._conf)

    def _resolved(self, place: Any) -> str:
        try:
            return str(self._files.resolvePath(place).toString()).rstrip("/")
        except Py4JJavaError as error:
            # A view of file systems resolves existing paths only, and the folder of a new table
            # does not exist.
            above = place.getParent()
            if _kind(error) not in _MISSING or above is None:
                raise
            return f"{self._resolved(above)}/{place.getName()}"

    @contextmanager
    def failures(self, operation: str, name: str) -> Iterator[None]:
        """Turn exceptions of Java into our errors."""
        try:
            yield
        except (Py4JJavaError, PySparkException) as error:
            path = f"{self.url}/{name}" if name else self.url
            raise self._ours(error, operation, path) from error

    def _ours(self, error: Exception, operation: str, path: str) -> DeltaError:
        kind = _kind(error)
        reason = without_secrets(_said(error), self._options)
        if kind in _MISSING:
            return ObjectNotFound("DELTA_FILE_OR_DIR_NOT_FOUND", path=path)
        if kind == _NO_SCHEME:
            return DeltaIllegalArgumentError(
                "DELTA_STORAGE_SCHEME_NOT_IN_SESSION", url=path, scheme=scheme_of(self.url)
            )
        parameters = {"operation": operation, "path": path, "reason": reason}
        if kind in _DENIED:
            return DeltaRuntimeError("DELTA_STORAGE_ACCESS_DENIED.HADOOP", **parameters)
        if kind in _SILENT:
            return DeltaRuntimeError("DELTA_STORAGE_UNREACHABLE", **parameters)
        return DeltaRuntimeError("DELTA_STORAGE_FAILURE", **parameters)


def _info(match: "re.Match[str]", above: str) -> ObjectInfo | None:
    if match["folder"] == "true":
        return None
    return ObjectInfo(_name(match, above), int(match["size"] or 0), int(match["time"]))


def _name(match: "re.Match[str]", above: str) -> str:
    return above + match["path"].rpartition("/")[2]


def _plain(status: Any) -> str:
    """Print a copy, which has the values of the original and not those that it wraps."""
    return str(new("org.apache.hadoop.fs.FileStatus", status).toString())


def _how(*, overwrite: bool) -> Any:
    """Return the options of a rename, which Java takes as an array."""
    gateway: Any = SparkContext._gateway
    kinds = gateway.new_array(gateway.jvm.org.apache.hadoop.fs.Options.Rename, 1)
    kind = static_method(_RENAME, "valueOf")
    kinds[0] = kind("OVERWRITE" if overwrite else "NONE")
    return kinds


def _kind(error: Exception) -> str:
    """Return the class of a Java exception without its package."""
    java = getattr(error, "java_exception", None)
    return "" if java is None else kind_of(java)


def _said(error: Exception) -> str:
    java = getattr(error, "java_exception", None)
    text = str(error) if java is None else f"{_kind(error)}: {java.getMessage()}"
    return " ".join(text.partition("\n")[0].split()).rstrip(".")
