"""Which table a path is: the folder of a table, or that of one of its partitions."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pyspark.sql import SparkSession

from puredelta.commands.table_ref import TableRef, partition_alone
from puredelta.engine.hadoop.table_options import remember
from puredelta.engine.scan.file_index import listing_of
from puredelta.engine.scan.handle import ScanHandle
from puredelta.engine.session.paths import hadoop_path
from puredelta.engine.session.sessions import time_zone
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.names import LOG_FOLDER
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import STRING, DataType
from puredelta.storage.location import unescape_partition_name
from puredelta.table.partition_values import NULL_FOLDER, plain_from_text

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePath:
    """A table, and what a path says below its folder.

    Attributes:
        table: the table.
        below: `p=1/q=a`, the folder of a partition; empty for the table itself.
    """

    table: TableRef
    below: str = ""

    @property
    def path(self) -> str:
        """The whole path, as Hadoop names it."""
        return f"{self.table.root}/{self.below}" if self.below else self.table.root

    def partition(self, snapshot: Snapshot, session: SparkSession) -> dict[str, str | None] | None:
        """Return the partition values that the path asks for, as the log has them; None for all.

        Args:
            snapshot: the version that is read.
            session: in whose time zone a timestamp may be written; UTC is what folders have.

        Raises:
            DeltaAnalysisError: DELTA_INVALID_PARTITION_PATH, DELTA_NON_PARTITION_COLUMN_SPECIFIED,
                DELTA_PATH_DOES_NOT_EXIST when no file of the version is in such a partition.
            DeltaRuntimeError: DELTA_FAILED_CAST_PARTITION_VALUE.
        """
        if not self.below:
            return None
        texts = self._named(snapshot)
        kinds = {name: _kind(snapshot, name) for name in texts}
        existing = self._existing_values(snapshot)
        # A path that a user wrote has timestamps in the session's time zone, a copied name of a
        # folder has them in UTC. The session's zone comes first: it is how a condition is read.
        for zone in (time_zone(session), "UTC"):
            plain = {name: plain_from_text(text, kinds[name], zone) for name, text in texts.items()}
            for values in existing:
                found = {name: values[name] for name in plain}
                # Values are compared, not strings: a value can be written in several ways.
                if all(plain_from_text(found[n], kinds[n]) == plain[n] for n in plain):
                    logger.warning(
                        "%s is a part of %s: rather read the table, with a condition on %s",
                        self.path, self.table.label, ", ".join(texts),
                    )  # fmt: skip
                    return found
        raise DeltaAnalysisError("DELTA_PATH_DOES_NOT_EXIST", path=self.path)

    def is_partition(self, snapshot: Snapshot) -> bool:
        """Say whether the path is that of a partition, whether it has files or not."""
        try:
            return bool(self._named(snapshot))
        except DeltaAnalysisError:
            return False

    def _named(self, snapshot: Snapshot) -> dict[str, str | None]:
        """Return the strings of the path by their columns."""
        texts: dict[str, str | None] = {}
        for part in self.below.split("/"):
            escaped, sign, text = part.partition("=")
            name = unescape_partition_name(escaped)
            if not sign or not name:
                raise DeltaAnalysisError("DELTA_INVALID_PARTITION_PATH", path=self.below)
            if name not in snapshot.partition_columns:
                raise DeltaAnalysisError(
                    "DELTA_NON_PARTITION_COLUMN_SPECIFIED", columnList=name, fragment=self.below
                )
            value = None if text == NULL_FOLDER else unescape_partition_name(text)
            # No row has two values in one column, so the path names no file.
            if texts.setdefault(name, value) != value:
                raise DeltaAnalysisError("DELTA_PATH_DOES_NOT_EXIST", path=self.path)
        return texts

    def _existing_values(self, snapshot: Snapshot) -> list[Mapping[str, str | None]]:
        handle = ScanHandle(
            root=self.table.root,
            version=snapshot.version,
            options=remember(self.table.options),
        )
        columns = snapshot.partition_columns
        return [
            dict(zip(columns, partition, strict=True))
            for partition in listing_of(handle).partitions
        ]


def table_path_of(
    session: SparkSession, path: str, options: Mapping[str, str] | None = None
) -> TablePath | None:
    """Look for a table at a path, and above it; None when there is none.

    Args:
        session: where it is looked for.
        path: as the user wrote it, without a version.
        options: of its file system, for this table only.
    """
    root = hadoop_path(session, path, options)
    if TableRef(root=root, options=options or {}).log().exists():
        return TablePath(table=TableRef(root=root, options=options or {}))
    # The folder of the log is neither a table nor a partition, although a table is above it.
    if LOG_FOLDER in root.split("/"):
        return None
    for above, below in _splits(root):
        table = TableRef(root=above, options=options or {})
        if table.log().exists():
            return TablePath(table=table, below=below)
    return None


def is_table(session: SparkSession, path: str) -> bool:
    """Say whether a path is that of a table or of one of its partitions."""
    place = table_path_of(session, path)
    if place is None or not place.below:
        return place is not None
    return place.is_partition(place.table.log().latest())


def refuse_partition(session: SparkSession, table: TableRef) -> None:
    """Refuse to make a table where a partition of another one lies.

    Raises:
        DeltaAnalysisError: DELTA_UNEXPECTED_PARTIAL_SCAN.
    """
    # The lookup asks the store about each folder above. Folders of partitions contain `=`.
    if "=" not in table.root:
        return
    place = table_path_of(session, table.root, table.options)
    if place is not None and place.below and place.is_partition(place.table.log().latest()):
        raise partition_alone(place.path)


def _splits(root: str) -> Iterator[tuple[str, str]]:
    """Yield the folders above a path with what is below each, the nearest first."""
    above, _, below = root.rpartition("/")
    # `file:` and `s3a:/` are what remains when the folders are used up.
    while above and not above.endswith(("/", ":")):
        yield above, below
        above, _, name = above.rpartition("/")
        below = f"{name}/{below}"


def _kind(snapshot: Snapshot, name: str) -> DataType:
    field = snapshot.schema.field(name)
    return STRING if field is None else field.data_type
