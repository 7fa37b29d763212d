"""Settings of OPTIMIZE, of the compaction that follows a write, and of VACUUM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from puredelta.setting import PREFIX, MalformedSettingError, Setting, check_positive, flag

COMMIT_EACH_BIN = "spark.puredelta.optimize.commitEachBin"
_AUTO = "autoCompact."
_CUBES = PREFIX + "optimize.clustering.mergeStrategy.minCubeSize."
_CURVES = "spark.databricks.io.skipping.mdc."
_SAMPLES = "spark.sql.execution.rangeExchange.sampleSizePerPartition"
_FEWEST_RANGES = 2

OPTIMIZE: Mapping[str, Setting] = MappingProxyType(
    {
        "min_file_size": Setting(PREFIX + "optimize.minFileSize", "1073741824", "long"),
        "max_file_size": Setting(PREFIX + "optimize.maxFileSize", "1073741824", "long"),
        "max_deleted_ratio": Setting(PREFIX + "optimize.maxDeletedRowsRatio", "0.05", "double"),
        "max_threads": Setting(PREFIX + "optimize.maxThreads", "15", "int"),
        "batch_size": Setting(PREFIX + "optimize.batchSize", "", "long"),
        "repartition": flag("optimize.repartition.enabled", default=False),
        "commit_each_bin": Setting(COMMIT_EACH_BIN, "false", "boolean"),
        "z_order_stats_check": flag("optimize.zorder.checkStatsCollection.enabled", default=True),
        "stable_cube_size": Setting(_CUBES + "threshold", "107374182400", "long"),
        "target_cube_size": Setting(_CUBES + "targetCubeSize", "161061273600", "long"),
        "curve_ranges": Setting(_CURVES + "rangeId.max", "1000", "int"),
        "curve_samples": Setting(_SAMPLES, "100", "int"),
        "curve_noise": Setting(_CURVES + "addNoise", "true", "boolean"),
        "sort_within_files": Setting(_CURVES + "sortWithinFiles", "false", "boolean"),
    }
)
"""By the field of `OptimizeSettings`."""

_POSITIVE = (
    "min_file_size",
    "max_file_size",
    "max_threads",
    "stable_cube_size",
    "target_cube_size",
    "curve_ranges",
    "curve_samples",
)

AUTO_COMPACTION: Mapping[str, Setting] = MappingProxyType(
    {
        "auto_compact": Setting(PREFIX + _AUTO + "enabled", "", "boolean"),
        "auto_max_file_size": Setting(PREFIX + _AUTO + "maxFileSize", "134217728", "long"),
        "auto_min_file_size": Setting(PREFIX + _AUTO + "minFileSize", "", "long"),
        "auto_min_num_files": Setting(PREFIX + _AUTO + "minNumFiles", "50", "int"),
        "auto_modified_only": flag(_AUTO + "modifiedPartitionsOnly.enabled", default=True),
        "auto_max_partitions": Setting(PREFIX + _AUTO + "maxNumModifiedPartitions", "128", "int"),
        "auto_not_after_appends": flag(_AUTO + "nonBlindAppend.enabled", default=False),
        "auto_reserves": flag(_AUTO + "reservePartitions.enabled", default=True),
        "auto_max_tables": Setting(PREFIX + _AUTO + "maxTablePartitionStats", "16384", "int"),
        "hooks_may_fail": flag("postCommitHook.throwOnError", default=False),
    }
)
"""By what `auto_compact_settings` makes fields of `AutoCompactSettings` of."""

VACUUM: Mapping[str, Setting] = MappingProxyType(
    {
        "retention_check": flag("retentionDurationCheck.enabled", default=True),
        # Off where delta-spark has it on: what a user writes after RETAIN holds, or is refused.
        "other_retentions_ignored": flag("vacuum.retentionWindowIgnore.enabled", default=False),
        "vacuum_lite": flag("vacuum.lite.enabled", default=False),
        "vacuum_logging": Setting(PREFIX + "vacuum.logging.enabled", "", "boolean"),
        "vacuum_parallel": flag("vacuum.parallelDelete.enabled", default=False),
        "vacuum_parallelism": Setting(PREFIX + "vacuum.parallelDelete.parallelism", "", "int"),
        "foreign_paths_ignored": flag("vacuum.relativize.ignoreError", default=False),
    }
)
"""By the field of `VacuumSettings`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizeSettings:
    """What the session says about OPTIMIZE and REORG; knows nothing of Spark.

    Attributes:
        min_file_size: files with fewer bytes are put together with others.
        max_file_size: files that are put together have so many bytes at most; so does REORG.
        max_deleted_ratio: so are files of whose rows a larger part is deleted.
        max_threads: how many bins are written at once.
        batch_size: each version rewrites about so many bytes; None for one version for all.
        repartition: rows of a bin are shuffled to one task, not read by it.
        commit_each_bin: each job that writes bins makes a version, so that a stopped OPTIMIZE has
            kept what it did.
        z_order_stats_check: ZORDER BY refuses columns without statistics.
        stable_cube_size: files that were clustered together are left alone from so many bytes on.
        target_cube_size: how many bytes are clustered together.
        curve_ranges: into so many ranges the values of a column are divided on a curve.
        curve_samples: so many rows are sampled for each range.
        curve_noise: rows in the same place of a curve may go to several files.
        sort_within_files: rows of a file are sorted along the curve.
    """

    min_file_size: int = 1 << 30
    max_file_size: int = 1 << 30
    max_deleted_ratio: float = 0.05
    max_threads: int = 15
    batch_size: int | None = None
    repartition: bool = False
    commit_each_bin: bool = False
    z_order_stats_check: bool = True
    stable_cube_size: int = 100 << 30
    target_cube_size: int = 150 << 30
    curve_ranges: int = 1000
    curve_samples: int = 100
    curve_noise: bool = True
    sort_within_files: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoCompactSettings:
    """What the session says about the compaction that follows a write; knows nothing of Spark.

    Attributes:
        is_enabled: whether it follows; None: as the table says.
        max_file_size: files that are put together have so many bytes at most.
        min_file_size: files with fewer bytes are put together; None for half of the largest size.
        counts_up_to: files with at most so many bytes count; None: all do.
        min_num_files: a partition is compacted when so many files came to it.
        modified_only: only partitions that the write put files into are looked at.
        max_partitions: of those, so many at most.
        not_after_appends: it does not follow writes that read nothing.
        reserves: a partition that another thread compacts is left alone.
        max_tables: files are counted of so many tables; of those looked at least recently no more.
        may_fail: a failure of what follows a write is an error, not a warning.
    """

    is_enabled: bool | None = None
    max_file_size: int = 128 << 20
    min_file_size: int = 64 << 20
    counts_up_to: int | None = None
    min_num_files: int = 50
    modified_only: bool = True
    max_partitions: int = 128
    not_after_appends: bool = False
    reserves: bool = True
    max_tables: int = 16_384
    may_fail: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VacuumSettings:
    """The settings of a session for VACUUM.

    Attributes:
        retention_check: refuse a retention shorter than the table's.
        other_retentions_ignored: the table's retention counts whatever RETAIN says, except 0.
        vacuum_lite: a VACUUM that is neither FULL nor LITE is LITE.
        vacuum_logging: the history shows beginning and end; None: where the store is one of those
            for which delta-spark does so.
        vacuum_parallel: several threads delete.
        vacuum_parallelism: how many do; None for the usual.
        foreign_paths_ignored: pass over files of the log that may or may not be in the table's
            folder, under another name of its file system.
    """

    retention_check: bool = True
    other_retentions_ignored: bool = False
    vacuum_lite: bool = False
    vacuum_logging: bool | None = None
    vacuum_parallel: bool = False
    vacuum_parallelism: int | None = None
    foreign_paths_ignored: bool = False


def optimize_settings(values: dict[str, Any]) -> OptimizeSettings:
    """Return the settings of OPTIMIZE.

    Args:
        values: by the names of `OPTIMIZE`.

    Raises:
        MalformedSettingError: a number is too small.
    """
    for name in _POSITIVE:
        check_positive(OPTIMIZE[name], values[name])
    if values["curve_ranges"] < _FEWEST_RANGES:
        key, ranges = OPTIMIZE["curve_ranges"].key, str(values["curve_ranges"])
        raise MalformedSettingError(key, ranges, "number of at least 2")
    if values["batch_size"] is not None:
        check_positive(OPTIMIZE["batch_size"], values["batch_size"])
    return OptimizeSettings(**values)


def auto_compact_settings(values: dict[str, Any]) -> AutoCompactSettings:
    """Return the settings of the compaction that follows a write.

    Args:
        values: by the names of `AUTO_COMPACTION`.

    Raises:
        MalformedSettingError: a number is too small.
    """
    for name in ("auto_max_file_size", "auto_min_num_files", "auto_max_partitions"):
        check_positive(AUTO_COMPACTION[name], values[name])
    small = values["auto_min_file_size"]
    return AutoCompactSettings(
        is_enabled=values["auto_compact"],
        max_file_size=values["auto_max_file_size"],
        min_file_size=values["auto_max_file_size"] // 2 if small is None else small,
        counts_up_to=small,
        min_num_files=values["auto_min_num_files"],
        modified_only=values["auto_modified_only"],
        max_partitions=values["auto_max_partitions"],
        not_after_appends=values["auto_not_after_appends"],
        reserves=values["auto_reserves"],
        max_tables=values["auto_max_tables"],
        may_fail=values["hooks_may_fail"],
    )
