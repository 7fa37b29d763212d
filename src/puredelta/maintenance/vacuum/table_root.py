"""Which name below the folder of a table a path of its log means, if it means one there."""

from __future__ import annotations

import os

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.names import FIRST_FILES, LOG_FOLDER
from puredelta.storage.local_files import is_file_name
from puredelta.storage.location import absolute, local_path, scheme_of
from puredelta.storage.store_aliases import canonical_store_url
from puredelta.storage.unfinished import is_unfinished

_SETTING = "spark.databricks.delta.vacuum.relativize.ignoreError"

# Two of these URLs are the same place only if they are equal, once the scheme has its one name.
_WITHOUT_VIEWS = frozenset({"file", "s3", "gs", "abfs", "memory"})

# Parts of names that no listing has.
_ODD_PARTS = frozenset({"", ".", ".."})


class TableRoot:
    """The folder of a table.

    Args:
        url: Its URL.
        ignores_foreign: Pass over paths that may or may not be in the folder.

    >>> root = TableRoot("s3://bucket/t")
    >>> root.name_of("s3a://bucket/t/p=1/a.parquet"), root.name_of("s3://other/a.parquet")
    ('p=1/a.parquet', None)
    """

    def __init__(self, url: str, *, ignores_foreign: bool = False) -> None:
        self.url = url
        self._ignores_foreign = ignores_foreign
        self._canonical = canonical_store_url(url)
        self._scheme, _, rest = self._canonical.partition("://")
        authority, slash, path = rest.partition("/")
        self._store, self._path = f"{self._scheme}://{authority}", slash + path
        self._real: str | None = None
        self._real_folders: dict[str, str] = {}

    def name_of(self, path: str) -> str | None:
        """Return the name below the folder; None for a file that is elsewhere.

        Args:
            path: A canonical path of the log; see `log.files.canonical_path`.

        Raises:
            DeltaIllegalStateError: DELTA_FAIL_RELATIVIZE_PATH, the file system has other names by
                which the file may be in the folder.
        """
        # Nearly all paths: plain names.
        if path[:1] not in ("/", ".") and ":" not in path:
            return path
        url = canonical_store_url(absolute(self.url, path))
        if url.startswith(self._canonical + "/"):
            return url[len(self._canonical) + 1 :]
        if scheme_of(url) == "file" and self._scheme == "file":
            return self._through_links(url)
        return self._elsewhere(url)

    def contains(self, name: str) -> bool:
        """Say whether deleting a name deletes what is in the folder, and not what a link leads to.

        The log counts as elsewhere, but for what killed processes left unfinished: its files have
        rules of their own, and a hostile commit may name any.

        Args:
            name: Of a file or folder, below the table.
        """
        parts = name.split("/")
        if not _ODD_PARTS.isdisjoint(parts):
            return False
        if parts[0] == LOG_FOLDER and name != FIRST_FILES and not is_unfinished(parts[-1]):
            return False
        return self.is_real_folder(name.rpartition("/")[0])

    def is_real_folder(self, folder: str) -> bool:
        """Say whether a folder below the table is one, and no link leads to it."""
        if self._scheme != "file":
            return True
        return self._real_folder(folder) == f"{self._real_root()}/{folder}".rstrip("/")

    def without_links(self, name: str) -> str:
        """Return the name of a file that no link leads to, where it is in the folder at all.

        Args:
            name: Of a file, below the table; links in the table may lead to another folder of it.
        """
        folder, slash, last = name.rpartition("/")
        if self._scheme != "file" or not slash:
            return name
        found = self._below_root(f"{self._real_folder(folder)}/{last}")
        return name if found is None else found

    def _through_links(self, url: str) -> str | None:
        """Look whether links lead a path of this machine into the folder."""
        path = local_path(url) or "/"
        folder, _, name = path.rpartition("/")
        return self._below_root(f"{_real_path(folder, self._real_folders)}/{name}")

    def _below_root(self, real: str) -> str | None:
        root = self._real_root()
        return real[len(root) + 1 :] if real.startswith(root + "/") else None

    def _real_folder(self, folder: str) -> str:
        return _real_path(f"{local_path(self.url)}/{folder}".rstrip("/"), self._real_folders)

    def _real_root(self) -> str:
        if self._real is None:
            self._real = _real_path(local_path(self.url) or "/", {}).rstrip("/")
        return self._real

    def _elsewhere(self, url: str) -> str | None:
        scheme, _, rest = url.partition("://")
        authority, slash, path = rest.partition("/")
        schemes = {scheme, self._scheme}
        if schemes <= _WITHOUT_VIEWS or f"{scheme}://{authority}" == self._store:
            return None
        # Such as hdfs://nameservice/t and hdfs://host:8020/t, or a view of another file system.
        if not self._ignores_foreign:
            raise DeltaIllegalStateError("DELTA_FAIL_RELATIVIZE_PATH", path=url, config=_SETTING)
        # A path that would be in the folder counts as if it were: that can only keep more.
        below = slash + path
        return below[len(self._path) + 1 :] if below.startswith(self._path + "/") else None


def _real_path(folder: str, known: dict[str, str]) -> str:
    """Return the path of a folder without links, each looked at once."""
    if folder not in known:
        # What no folder can be called leads nowhere, and is left as it is.
        known[folder] = os.path.realpath(folder or "/") if is_file_name(folder) else folder
    return known[folder]
