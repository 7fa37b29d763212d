"""What a statement that writes files anew reports: in its result, and in history."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql.types import (
    BooleanType,
    DoubleType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from puredelta.log.actions import AddFile


def _struct(**fields: Any) -> StructType:
    return StructType([StructField(name, kind) for name, kind in fields.items()])


def _numbers(*names: str) -> StructType:
    return _struct(**dict.fromkeys(names, LongType()))


_SIZES = _struct(
    min=LongType(), max=LongType(), avg=DoubleType(), totalFiles=LongType(), totalSize=LongType()
)
_FILES_OF_CUBES = _numbers("num", "size")
_FILES_OF_CLUSTERS = _numbers("numFiles", "size")

RESULT = _struct(
    path=StringType(),
    metrics=_struct(
        numFilesAdded=LongType(),
        numFilesRemoved=LongType(),
        filesAdded=_SIZES,
        filesRemoved=_SIZES,
        partitionsOptimized=LongType(),
        zOrderStats=_struct(
            strategyName=StringType(),
            inputCubeFiles=_FILES_OF_CUBES,
            inputOtherFiles=_FILES_OF_CUBES,
            inputNumCubes=LongType(),
            mergedFiles=_FILES_OF_CUBES,
            numOutputCubes=LongType(),
            mergedNumCubes=LongType(),
        ),
        clusteringStats=_struct(
            inputZCubeFiles=_FILES_OF_CLUSTERS,
            inputOtherFiles=_FILES_OF_CLUSTERS,
            inputNumZCubes=LongType(),
            mergedFiles=_FILES_OF_CLUSTERS,
            numOutputZCubes=LongType(),
        ),
        numBins=LongType(),
        numBatches=LongType(),
        totalConsideredFiles=LongType(),
        totalFilesSkipped=LongType(),
        preserveInsertionOrder=BooleanType(),
        numFilesSkippedToReduceWriteAmplification=LongType(),
        numBytesSkippedToReduceWriteAmplification=LongType(),
        startTimeMs=LongType(),
        endTimeMs=LongType(),
        totalClusterParallelism=LongType(),
        totalScheduledTasks=LongType(),
        autoCompactParallelismStats=_numbers(
            "maxClusterActiveParallelism",
            "minClusterActiveParallelism",
            "maxSessionActiveParallelism",
            "minSessionActiveParallelism",
        ),
        deletionVectorStats=_numbers("numDeletionVectorsRemoved", "numDeletionVectorRowsRemoved"),
        numTableColumns=LongType(),
        numTableColumnsWithStats=LongType(),
    ),
)
"""The columns of the result, as delta-spark has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizeMetrics:
    """What became of the files of a table.

    Attributes:
        added: new files.
        removed: files whose rows are in the new ones.
        partitions: how many partitions they are of.
        bins: how many groups of files were written, each by itself.
        considered: how many files were looked at.
        skipped: how many of them stay.
        started_ms: when it began, in milliseconds since 1970.
        parallelism: how many tasks run at once.
        columns: how many columns the table has.
        columns_with_stats: how many of them get statistics.
        batches: how many versions were made, at least 1.
        of_layout: what a layout says of itself alone, such as `zOrderStats`.
    """

    added: Sequence[AddFile] = ()
    removed: Sequence[AddFile] = ()
    partitions: int = 0
    bins: int = 0
    considered: int = 0
    skipped: int = 0
    started_ms: int
    parallelism: int
    columns: int
    columns_with_stats: int
    batches: int = 1
    of_layout: Mapping[str, Any] = field(default_factory=dict)

    def row(self, path: str) -> dict[str, Any]:
        """Return it as a row of `RESULT`; what is left out is null.

        Args:
            path: where the table lies.
        """
        metrics = {
            "numFilesAdded": len(self.added),
            "numFilesRemoved": len(self.removed),
            "filesAdded": _sizes(self.added),
            "filesRemoved": _sizes(self.removed),
            "partitionsOptimized": self.partitions,
            "numBins": self.bins,
            "numBatches": self.batches,
            "totalConsideredFiles": self.considered,
            "totalFilesSkipped": self.skipped,
            "preserveInsertionOrder": False,
            "numFilesSkippedToReduceWriteAmplification": 0,
            "numBytesSkippedToReduceWriteAmplification": 0,
            "startTimeMs": self.started_ms,
            # Theirs is never set either; who reads it must not take it for a time here.
            "endTimeMs": 0,
            "totalClusterParallelism": self.parallelism,
            "totalScheduledTasks": 0,
            "deletionVectorStats": self._vectors(),
            "numTableColumns": self.columns,
            "numTableColumnsWithStats": self.columns_with_stats,
            **self.of_layout,
        }
        return {"path": path, "metrics": metrics}

    def history(self) -> dict[str, str]:
        """Return what history says, in numbers."""
        sizes = sorted(file.size for file in self.added)
        vectors = self._vectors() or {}
        numbers = {
            "numRemovedFiles": len(self.removed),
            "numRemovedBytes": sum(file.size for file in self.removed),
            "numAddedFiles": len(sizes),
            "numAddedBytes": sum(sizes),
            "numDeletionVectorsRemoved": vectors.get("numDeletionVectorsRemoved", 0),
            "minFileSize": sizes[0] if sizes else 0,
            "p25FileSize": _quantile(sizes, 1),
            "p50FileSize": _quantile(sizes, 2),
            "p75FileSize": _quantile(sizes, 3),
            "maxFileSize": sizes[-1] if sizes else 0,
        }
        return {key: str(number) for key, number in numbers.items()}

    def _vectors(self) -> dict[str, int] | None:
        gone = [file.deletion_vector for file in self.removed if file.deletion_vector is not None]
        if not gone:
            return None
        return {
            "numDeletionVectorsRemoved": len(gone),
            "numDeletionVectorRowsRemoved": sum(vector.cardinality for vector in gone),
        }


def _sizes(files: Sequence[AddFile]) -> dict[str, Any]:
    sizes = [file.size for file in files]
    total = sum(sizes)
    return {
        "min": min(sizes, default=None),
        "max": max(sizes, default=None),
        "avg": total / len(sizes) if sizes else 0.0,
        "totalFiles": len(sizes),
        "totalSize": total,
    }


def _quantile(sizes: Sequence[int], quarters: int) -> int:
    return sizes[len(sizes) * quarters // 4] if sizes else 0
