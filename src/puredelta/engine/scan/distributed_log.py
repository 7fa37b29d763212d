"""The files of a version that has too many of them for the driver, by Spark jobs over the log.

The checkpoint stays where it is and is read as the Parquet that it is; what later commits say is
little and comes from the driver. Partitions are listed by one job, the files of those that a query
needs by another, and the answers are those of `file_listing`.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.scan.file_listing import Prune, absolute_paths
from puredelta.engine.scan.partition_groups import Values
from puredelta.engine.session.sessions import active_session, setting
from puredelta.log.checkpoint_files import CheckpointFiles, checkpoint_files
from puredelta.log.files import qualified_path
from puredelta.log.snapshot import Snapshot

_log = logging.getLogger(__name__)

MIN_FILES = "spark.puredelta.bigLog.minFiles"
"""The setting from how many files on a version is read by Spark jobs."""

# The driver is faster up to here and beyond, and needs 2 GB for the list. Of more, it is spared.
_DEFAULT_MIN_FILES = 5_000_000
# So many files are in the driver at a time while statistics choose among them. With their
# statistics they take a third of what Spark lets a job return by default.
_FILES_AT_ONCE = 1_000_000
# A record of a file takes more room than this in any checkpoint.
_BYTES_A_FILE = 16

_VECTOR = "storageType STRING, pathOrInlineDv STRING, offset INT, sizeInBytes INT, cardinality LONG"
_ADDS = (
    "add STRUCT<path STRING, partitionValues MAP<STRING, STRING>, size LONG, "
    f"modificationTime LONG, stats STRING, deletionVector STRUCT<{_VECTOR}>, "
    "baseRowId LONG, defaultRowCommitVersion LONG>"
)
# What pruning asks of a file.
_OF_PRUNING = ("partition_values", "stats", "deletion_vector")
_COLUMNS = (
    "path",
    "partition_values",
    "size",
    "modification_time",
    "stats",
    "deletion_vector",
    "base_row_id",
    "default_row_commit_version",
)


def is_big(snapshot: Snapshot) -> bool:
    """Say whether a version has more files than the driver should hold, by the active session.

    A version whose files are in memory already is not big, nor is one without a checkpoint.
    """
    if snapshot.live.loaded is not None or snapshot.segment.checkpoint is None:
        return False
    bound = int(setting(active_session(), MIN_FILES, str(_DEFAULT_MIN_FILES)) or _DEFAULT_MIN_FILES)
    size = sum(file.size for file in snapshot.segment.checkpoint)
    # Protocol: Sidecar Files. The top-level file of a V2 checkpoint is small, however many files
    # its sidecars list.
    has_sidecars = "v2Checkpoint" in (snapshot.protocol.reader_features or ())
    # The size of the checkpoint is known from the listing, so small tables are recognised without a
    # look into any file.
    if size < bound * _BYTES_A_FILE and not has_sidecars:
        return False
    expected = snapshot.expected_files
    return expected is not None and expected >= bound


class BigListing:
    """A listing of files that Spark jobs make; see `file_listing.FileListing`.

    Args:
        session: where the jobs run.
        snapshot: the version.
        columns: its partition columns, by the names that the log has.
        root: where the table lies, as Hadoop names it.
        wanted: values of partition columns that limit the listing.
    """

    def __init__(
        self,
        session: SparkSession,
        snapshot: Snapshot,
        columns: Sequence[str],
        root: str,
        wanted: Mapping[str, str | None],
    ) -> None:
        self._wanted = wanted
        self._session = session
        self._snapshot = snapshot
        self._columns = columns
        self._root = root

    @cached_property
    def partitions(self) -> list[Values]:
        """The values of each partition; see `file_listing.FileListing`."""
        if not self._columns:
            return [()]
        found = self._files.select("partition").distinct().collect()
        return [tuple(row["partition"]) for row in found]

    def candidates(self, _prune: Prune, /) -> Sequence[int]:
        """Return all partitions; Spark's own evaluation chooses. See `file_listing.FileListing`."""
        return range(len(self.partitions))

    def chosen(
        self, keep: Sequence[int], prune: Prune | None, columns: Sequence[str]
    ) -> tuple[pa.Table, list[int]]:
        """Choose files by partition and by pruning; see `file_listing.FileListing`."""
        # What DML alone asks of a file is not read: it lists the files of a version itself.
        columns = [name for name in columns if name in _COLUMNS]
        places = {self.partitions[place]: order for order, place in enumerate(keep)}
        needed = dict.fromkeys([*columns, *(_OF_PRUNING if prune is not None else ())])
        pieces = [self._files] if prune is None else self._pieces
        found = []
        for piece in pieces:
            rows = _arrow(self._of_partitions(piece, list(places)).select("partition", *needed))
            found.append(rows if prune is None else rows.filter(pa.array(prune(rows))))
        files = pa.concat_tables(found)
        order = [places[tuple(values)] for values in files["partition"].to_pylist()]
        counts = np.bincount(np.array(order, np.int64), minlength=len(places))
        sorted_files = files.take(pc.sort_indices(pa.array(order, pa.int64())))
        return sorted_files.select(columns), counts.tolist()

    @property
    def files(self) -> pa.Table:
        """All files, in any order, with `_COLUMNS`."""
        return _arrow(self._files.select(*_COLUMNS))

    def paths(self) -> list[str]:
        """List the paths of all files."""
        paths = _arrow(self._files.select("path"))["path"]
        found: list[str] = absolute_paths(paths, self._root).to_pylist()
        return found

    @cached_property
    def _files(self) -> DataFrame:
        """The live files: their partition (an array of texts), and `_COLUMNS`."""
        checkpoint = self._checkpoint
        if checkpoint is None:
            return self._limited(self._rows_in_memory(self._snapshot.files))
        return self._piece(checkpoint, checkpoint.parquet, checkpoint.newer)

    @property
    def _pieces(self) -> Iterator[DataFrame]:
        """The rows of `_files` in frames that the driver has room for, one at a time."""
        checkpoint = self._checkpoint
        if checkpoint is None:
            yield self._files
            return
        count = max(self._snapshot.expected_files or 1, 1)
        step = max(1, _FILES_AT_ONCE * len(checkpoint.parquet) // count)
        for start in range(0, len(checkpoint.parquet), step):
            newer = checkpoint.newer if start == 0 else checkpoint.newer.slice(0, 0)
            yield self._piece(checkpoint, checkpoint.parquet[start : start + step], newer)

    @cached_property
    def _checkpoint(self) -> CheckpointFiles | None:
        return checkpoint_files(self._snapshot)

    def _piece(
        self, checkpoint: CheckpointFiles, parquet: Sequence[str], newer: pa.Table
    ) -> DataFrame:
        older = self._in_checkpoint(checkpoint, parquet)
        return self._limited(older.unionByName(self._rows_in_memory(newer)))

    def _limited(self, found: DataFrame) -> DataFrame:
        for name, value in self._wanted.items():
            place = F.col("partition")[self._columns.index(name)]
            found = found.where(place.eqNullSafe(F.lit(value or None)))
        return found

    def _in_checkpoint(self, checkpoint: CheckpointFiles, parquet: Sequence[str]) -> DataFrame:
        paths = [f"{self._root}/{name}" for name in parquet]
        _log.info("reading the files of %s by Spark, from %d checkpoint files", self, len(paths))
        adds = self._session.read.schema(_ADDS).parquet(*paths).where("add.path IS NOT NULL")
        rows = adds.select("add.*").select(
            self._partition(F.col("partitionValues")),
            _canonical(F.col("path"), self._snapshot.store.url).alias("path"),
            F.col("partitionValues").alias("partition_values"),
            "size",
            F.col("modificationTime").alias("modification_time"),
            "stats",
            F.col("deletionVector").alias("deletion_vector"),
            F.col("baseRowId").alias("base_row_id"),
            F.col("defaultRowCommitVersion").alias("default_row_commit_version"),
        )
        # Protocol: Action Reconciliation. A newer action for a path and deletion vector replaces
        # the one in the checkpoint.
        if not checkpoint.gone:
            return rows
        gone = [(entry, None) if isinstance(entry, str) else entry for entry in checkpoint.gone]
        columns = [pa.array(column, pa.string()) for column in zip(*gone, strict=True)]
        keys = self._session.createDataFrame(pa.table(columns, ["path", "vector"]))
        same = (rows["path"] == keys["path"]) & _vector_id(rows["deletion_vector"]).eqNullSafe(
            keys["vector"]
        )
        return rows.join(F.broadcast(keys), same, "left_anti")

    def _rows_in_memory(self, files: pa.Table) -> DataFrame:
        frame = self._session.createDataFrame(files.select(_COLUMNS))
        return frame.select(self._partition(F.col("partition_values")), *_COLUMNS)

    def _partition(self, maps: Column) -> Column:
        # Protocol: Partition Value Serialization. An empty string is null.
        texts = [F.nullif(maps.getItem(name), F.lit("")) for name in self._columns]
        found = F.array(*texts) if texts else F.array().cast("array<string>")
        return found.alias("partition")

    def _of_partitions(self, files: DataFrame, wanted: Sequence[Values]) -> DataFrame:
        if not self._columns or len(wanted) == len(self.partitions):
            return files
        values = pa.array([list(key) for key in wanted], pa.list_(pa.string()))
        keys = self._session.createDataFrame(pa.table({"wanted": values}))
        same = files["partition"].eqNullSafe(keys["wanted"])
        return files.join(F.broadcast(keys), same, "left_semi")

    def __repr__(self) -> str:
        return f"BigListing({self._root!r}, version={self._snapshot.version})"


def _arrow(frame: DataFrame) -> pa.Table:
    """Collect as Arrow, which costs a tenth of the memory of rows."""
    return frame.toArrow()


def _canonical(path: Column, table: str) -> Column:
    """Give a path of the log its one spelling, as `log.files.canonical_path` does.

    A folder with `..` behind it stays, which no writer is known for.
    """
    store = qualified_path("/", table).removesuffix("/")
    full = F.when(path.startswith("/"), F.concat(F.lit(store), path)).otherwise(path)
    plus_kept = F.replace(full, F.lit("+"), F.lit("%2B"))
    decoded = F.when(full.contains("%"), F.url_decode(plus_kept)).otherwise(full)
    absolute = F.regexp_replace(decoded, r"^([A-Za-z][A-Za-z0-9+.\-]*):/(?!/)", "$1:///")
    short = F.regexp_replace(absolute, r"(?<=^|/)(\./+)+", "")
    return F.when(absolute.rlike(r"\./"), short).otherwise(absolute)


def _vector_id(vector: Column) -> Column:
    place = F.concat(F.lit("@"), vector["offset"].cast("string"))
    name = F.concat(vector["storageType"], vector["pathOrInlineDv"], F.coalesce(place, F.lit("")))
    return F.when(vector["storageType"].isNotNull(), name)
