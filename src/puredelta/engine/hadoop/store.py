"""File systems that only Hadoop knows, such as HDFS, as stores of tables.

A commit is a put if absent. Hadoop does not promise one for file systems in general, so this module
lists those that are known to have it; the others can be read and are not written to.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from puredelta.engine.hadoop.files import HadoopFiles
from puredelta.errors.classes import DeltaError, DeltaUnsupportedOperationError
from puredelta.storage.location import scheme_of, table_url
from puredelta.storage.store import ObjectInfo
from puredelta.storage.unfinished import unfinished_name

# The name node carries out renames one after the other and refuses a name that is taken.
ATOMIC_RENAME = frozenset({"hdfs"})

# Why the others are not written to, as conditions.
_REFUSALS = {
    # A rename is a copy and a deletion there, and replaces what it meets.
    **dict.fromkeys(
        ("cosn", "cos", "obs", "oss", "ks3", "swift", "swebhdfs+s3", "tos", "b2", "bos"),
        "DELTA_STORAGE_NO_PUT_IF_ABSENT.HADOOP_OBJECT_STORE",
    ),
    # Nothing can be written there at all.
    **dict.fromkeys(("har", "http", "https", "jar"), "DELTA_STORAGE_NO_PUT_IF_ABSENT.READ_ONLY"),
    # Existence is looked up first and the rename comes after, by the client.
    **dict.fromkeys(
        ("ftp", "ftps", "sftp", "smb"), "DELTA_STORAGE_NO_PUT_IF_ABSENT.HADOOP_NOT_ATOMIC"
    ),
}
_UNSURE = "DELTA_STORAGE_NO_PUT_IF_ABSENT.HADOOP_UNSURE"

# The setting by which users declare it of their own file system, for delta-spark and for us.
_LOG_STORE = "spark.delta.logStore.{scheme}.impl"
_BY_RENAME = "HDFSLogStore"


class HadoopStore:
    """The files below one folder of a file system that a Spark session knows.

    Args:
        url: The folder.
        conf: The session's `org.apache.hadoop.conf.Configuration`, with the options of the table.
        options: The options alone.
        renames: Schemes that the user vouches for: rename refuses a name that is taken.

    Attributes:
        files: The folder itself.
    """

    def __init__(
        self,
        url: str,
        conf: Any,
        options: Mapping[str, str] | None = None,
        renames: frozenset[str] = frozenset(),
    ) -> None:
        self.url = table_url(url)
        self._renames = ATOMIC_RENAME | renames
        self.files = HadoopFiles(self.url, conf, options or {})

    def __repr__(self) -> str:
        return f"HadoopStore({self.url!r})"

    def list_from(self, prefix: str, start: str | None = None) -> list[ObjectInfo]:
        """List the files of a folder by name; see `Store.list_from`."""
        found = self.files.statuses(prefix)
        wanted = (info for info in found if start is None or info.name >= start)
        return sorted(wanted, key=lambda info: info.name)

    def walk(self, prefix: str, enters: Callable[[str], bool]) -> Iterator[ObjectInfo]:
        """Yield the files at any depth below a folder; see `Store.walk`."""
        files, folders = self.files.entries(prefix)
        entries = [(info.name, info) for info in files] + [(name, None) for name in folders]
        for name, info in sorted(entries, key=itemgetter(0)):
            if info is not None:
                yield info
            elif enters(name):
                yield from self.walk(name, enters)

    def read(self, name: str) -> bytes:
        """Return a whole file."""
        return self.files.read(name)

    def read_all(self, names: Sequence[str]) -> list[bytes]:
        """Return several files, one after the other: they share one connection to the JVM."""
        return [self.read(name) for name in names]

    def read_range(self, name: str, start: int, length: int) -> bytes:
        """Return a part of a file."""
        return self.files.read(name, start, length)

    def info(self, name: str) -> ObjectInfo | None:
        """Return size and time of a file, or None when it does not exist."""
        return self.files.status(name)

    def put_if_absent(self, name: str, data: bytes) -> bool:
        """Create a file unless it exists; see `Store.put_if_absent`."""
        self.require_put_if_absent()
        return self._put(name, [data], overwrite=False)

    def put_stream_if_absent(self, name: str, chunks: Iterable[bytes]) -> bool:
        """Create a file of many pieces unless it exists; see `Store.put_stream_if_absent`."""
        self.require_put_if_absent()
        # The question saves writing a long file in vain. The rename decides, whatever the answer
        # was.
        return self.info(name) is None and self._put(name, chunks, overwrite=False)

    def put(self, name: str, data: bytes) -> None:
        """Create or replace a file."""
        self._put(name, [data], overwrite=True)

    def delete(self, names: Sequence[str]) -> None:
        """Remove files; those that do not exist are passed over."""
        for name in names:
            self.files.delete(name)

    def folder_modified_ms(self, name: str) -> int | None:
        """Return when an entry of a folder last came or went; see `storage.store.FolderStore`."""
        return self.files.folder_modified_ms(name)

    def delete_folder(self, name: str) -> bool:
        """Remove a folder unless something is in it; see `storage.store.FolderStore`."""
        return self.files.delete_folder(name)

    def require_put_if_absent(self) -> None:
        """Refuse to write where two writers could both win; see `Store`.

        Raises:
            DeltaUnsupportedOperationError: DELTA_STORAGE_NO_PUT_IF_ABSENT, with the reason.
        """
        scheme = scheme_of(self.url)
        if scheme not in self._renames:
            raise DeltaUnsupportedOperationError(
                _REFUSALS.get(scheme, _UNSURE),
                url=self.url,
                scheme=scheme,
                setting=_LOG_STORE.format(scheme=scheme),
            )

    def _put(self, name: str, chunks: Iterable[bytes], *, overwrite: bool) -> bool:
        folder, _, file = name.rpartition("/")
        beside = f"{folder}/" if folder else ""
        # Readers list the log at any moment, so a file gets its name only when it is complete.
        beside += unfinished_name(file)
        done = False
        try:
            self.files.create(beside, chunks)
            done = self.files.rename(beside, name, overwrite=overwrite)
        finally:
            if not done:
                # What went wrong before says more than that this does, too.
                with contextlib.suppress(DeltaError):
                    self.files.delete(beside)
        return done


def trusted_stores(scheme: str, log_store: str | None) -> frozenset[str]:
    """Read the setting by which a user vouches for the renames of a file system.

    Args:
        scheme: Of the file system.
        log_store: The class that the setting names, if it is set.
    """
    named = (log_store or "").rpartition(".")[2]
    return frozenset({scheme}) if named == _BY_RENAME else frozenset()
