"""Which name below the folder of a table a path of its log means, if it means one there."""

from __future__ import annotations

import os

from puredelta.errors import DeltaIllegalStateError
from puredelta.storage.location import absolute, local_path, scheme_of
from puredelta.storage.store_aliases import canonical_store_url

_SETTING = "spark.databricks.delta.vacuum.relativize.ignoreError"

# Two of these URLs are the same place only if they are equal, once the scheme has its one name.
_WITHOUT_VIEWS = frozenset({"file", "s3", "gs", "abfs", "memory"})


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

    def _through_links(self, url: str) -> str | None:
        """Look whether links lead a path of this machine into the folder."""
        path = local_path(url) or "/"
        folder, _, name = path.rpartition("/")
        if folder not in self._real_folders:
            self._real_folders[folder] = os.path.realpath(folder or "/")
        if self._real is None:
            self._real = os.path.realpath(local_path(self.url) or "/")
        real = f"{self._real_folders[folder]}/{name}"
        return real[len(self._real) + 1 :] if real.startswith(self._real + "/") else None

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
