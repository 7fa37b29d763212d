"""The files of a source as those of its clone: named by whole paths, without what one table gave.

Protocol: Add File and Remove File, whose paths may be absolute; Deletion Vector Descriptor Schema,
whose storage type `p` is an absolute path.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from puredelta.errors import DeltaUnsupportedOperationError
from puredelta.log.actions import AddFile, DeletionVector
from puredelta.log.files import canonical_path
from puredelta.storage.location import absolute, encode_path
from puredelta.table.deletion_vectors.vectors import vector_path
from puredelta.table.protocol.row_tracking import row_count

_LOCAL = "file:///"


@dataclass(frozen=True, slots=True)
class ForeignFiles(Collection[AddFile]):
    """The files of a source, as the log of its clone names them; can be gone through again.

    Attributes:
        files: Those of the source.
        source: The URL of the folder from which their paths start.
        target: The URL of the clone. Files that lie in its folder are named by relative paths, as
            files of its own: a clone may bring a table's own former files back.
        needs_row_counts: Are files refused whose statistics do not count their rows? Their rows
            could not get ids.
        count: How many files there are.
    """

    files: Iterable[AddFile]
    source: str
    target: str
    needs_row_counts: bool = False
    count: int = field(kw_only=True)

    def __iter__(self) -> Iterator[AddFile]:
        """Yield the files.

        Raises:
            DeltaUnsupportedOperationError: DELTA_CLONE_WITH_ROW_TRACKING_WITHOUT_STATS.
        """
        below = f"{hadoop_url(self.source)}/"
        head = "" if self.source == self.target else encode_path(below)
        own = encode_path(f"{hadoop_url(self.target)}/")
        for file in self.files:
            if self.needs_row_counts and row_count(file) is None:
                raise DeltaUnsupportedOperationError(
                    "DELTA_CLONE_WITH_ROW_TRACKING_WITHOUT_STATS", path=file.path
                )
            yield msgspec.structs.replace(
                file,
                path=self._path(file.path, head, own),
                data_change=True,
                # The ids count in the source; the clone gives ids of its own, from 0 on.
                base_row_id=None,
                default_row_commit_version=None,
                deletion_vector=self._vector(file.deletion_vector),
            )

    def __len__(self) -> int:
        """Return how many there are."""
        return self.count

    def __contains__(self, file: object) -> bool:
        """Say whether a file is one of them."""
        return any(file == one for one in self)

    def _path(self, path: str, head: str, own: str) -> str:
        # Most paths are plain names, and tables have many of them.
        if ":" in path or "./" in path or "//" in path or path[:1] == "/":
            whole = absolute(self.source, canonical_path(path))
            return encode_path(hadoop_url(whole)).removeprefix(own)
        return f"{head}{path}".removeprefix(own)

    def _vector(self, vector: DeletionVector | None) -> DeletionVector | None:
        if vector is None or (self.source == self.target and vector.storage_type != "p"):
            return vector
        # A relative vector is found below the table whose log names it, which is another one now.
        path = vector_path(self.source, vector)
        if path is None:
            return vector
        return msgspec.structs.replace(
            vector, storage_type="p", path_or_inline_dv=encode_path(hadoop_url(path))
        )


def hadoop_url(url: str) -> str:
    """Spell a URL as Hadoop does: readers that compare texts find a file by no other spelling.

    >>> hadoop_url("file:///t/a.parquet"), hadoop_url("s3a://bucket/t")
    ('file:/t/a.parquet', 's3a://bucket/t')
    """
    return f"file:/{url.removeprefix(_LOCAL)}" if url.startswith(_LOCAL) else url
