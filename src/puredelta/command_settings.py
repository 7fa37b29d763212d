"""What a session says about one kind of command each, for the layers that know nothing of Spark."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeCommit:
    """How much of a first version, which may have any number of files, is in memory at a time.

    Attributes:
        files: the number of its files.
        paths: the number of paths that were not yet compared with all paths before them.
        bytes: the size of the piece of its commit that is read again, and of its checkpoint that
            is sent.
        files_for_checkpoint: the number of files from which on a checkpoint is written, which is
            opened sooner than the commit.
    """

    files: int = 2_000
    paths: int = 20_000
    bytes: int = 2 * 1024 * 1024
    files_for_checkpoint: int = 10_000


LARGE_COMMIT = LargeCommit()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitSettings:
    """The settings of a session for commits; knows nothing of Spark.

    Attributes:
        max_attempts: how often a commit is attempted while other writers take its version.
        max_store_attempts: how often a request is sent to a store that gives no clear reply.
        metrics: whether the history records the metrics of operations.
        checksums: whether each version gets a checksum file.
        checkpoint_part_size: how many file actions are in one file of a checkpoint; None for the
            default.
        top_level_format: `json` or `parquet`, for the top-level file of V2 checkpoints.
        large: how much of a large first version is in memory at a time; no setting changes it.
    """

    max_attempts: int = 10_000_000
    max_store_attempts: int = 10
    metrics: bool = True
    checksums: bool = True
    checkpoint_part_size: int | None = None
    top_level_format: str = "json"
    large: LargeCommit = LARGE_COMMIT


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertSettings:
    """The settings of a session for CONVERT TO DELTA; knows nothing of Spark.

    Attributes:
        infer_partitions: whether partition columns that nobody named are inferred from the names
            of folders.
        metadata_log: where a streaming query wrote the folder, use its log, not the listing.
        catalog_partitions: convert the partitions that the catalog knows, and no others.
        catalog_schema: the columns of a table of the catalog are those it knows.
        ignore_cast_failure: a partition value that is not of its column's type becomes null.
        metadata_check: refuse an entry of the catalog whose properties differ from those of the
            existing Delta table.
        schema_batch: how many footers are read before their schemas are merged.
        stats_batch: likewise, where they give statistics too.
        files_on_driver: how many footers the driver reads at most; more are read by executors.
            None for the default: the driver alone where the files are on its own machine.
        iceberg: whether Iceberg tables may be converted.
        iceberg_evolution: whether those may be whose partitioning has changed.
        iceberg_native_partitions: partition values come from Iceberg's metadata, not from paths;
            here they always do.
        iceberg_transforms_left_out: partition fields that no Delta table has, such as buckets, are
            left out.
    """

    infer_partitions: bool = False
    metadata_log: bool = True
    catalog_partitions: bool = True
    catalog_schema: bool = True
    ignore_cast_failure: bool = False
    metadata_check: bool = True
    schema_batch: int = 1_000_000
    stats_batch: int = 50_000
    files_on_driver: int | None = None
    iceberg: bool = True
    iceberg_evolution: bool = False
    iceberg_native_partitions: bool = True
    iceberg_transforms_left_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizeSettings:
    """What the session says about OPTIMIZE; knows nothing of Spark.

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
    """

    min_file_size: int = 1 << 30
    max_file_size: int = 1 << 30
    max_deleted_ratio: float = 0.05
    max_threads: int = 15
    batch_size: int | None = None
    repartition: bool = False
    commit_each_bin: bool = False
    z_order_stats_check: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class VacuumSettings:
    """What the session says about VACUUM; knows nothing of Spark.

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
