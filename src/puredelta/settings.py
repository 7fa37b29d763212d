"""Session settings: read once at the edge into a frozen value, passed down from there.

`SETTINGS` lists the settings that have an effect. Any other setting below `spark.databricks.delta.`
is logged once and otherwise ignored: sessions may be configured for more than one engine.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType

from puredelta.maintenance_settings import (
    AUTO_COMPACTION,
    OPTIMIZE,
    VACUUM,
    AutoCompactSettings,
    OptimizeSettings,
    VacuumSettings,
    auto_compact_settings,
    optimize_settings,
)
from puredelta.setting import PREFIX, MalformedSettingError, Setting, check_positive, flag
from puredelta.stream_settings import ALLOWING, STREAMS, StreamSettings

_log = logging.getLogger(__name__)

PROPERTY_DEFAULTS = PREFIX + "properties.defaults."

APP_ID = PREFIX + "write.txnAppId"
APP_VERSION = PREFIX + "write.txnVersion"
LAST_VERSION = PREFIX + "lastCommitVersionInSession"

SKIPPING = PREFIX + "stats.skipping"
LIMITS_FROM_LOG = PREFIX + "stats.limitPushdown.enabled"
ANSWERS_FROM_LOG = PREFIX + "optimizeMetadataQuery.enabled"
DERIVED_FILTERS = PREFIX + "generatePartitionFilters"
PLANNING = (SKIPPING, LIMITS_FROM_LOG, ANSWERS_FROM_LOG, DERIVED_FILTERS)
"""Settings of what planning may take from the log to read less: all are on unless `false`."""
OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode"
PROGRESS = "spark.puredelta.progress"
SEARCH_ON_DRIVER = "spark.puredelta.search.onDriver"
REWRITE_ON_DRIVER = "spark.puredelta.rewrite.onDriver"
CODEC = "spark.sql.parquet.compression.codec"
CHECK_ROWS = "spark.puredelta.checkRows"
TRUST_EXPRESSIONS = "spark.puredelta.trustTableExpressions"
INFER_PARTITIONS = "spark.puredelta.convert.inferPartitions"
FILES_ON_DRIVER = "spark.puredelta.convert.filesOnDriver"
NATIVE_PARTITIONS = PREFIX + "convert.iceberg.useNativePartitionValues"
LEAVE_OUT_TRANSFORMS = "spark.puredelta.convert.iceberg.leaveOutTransforms"

_DATA_FOLDER = "data"
_WIDENING = ("always", "same_family_type", "never")
_CHANGE_SCHEMAS = ("endversion", "latest", "legacy")


SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "auto_merge": flag("schema.autoMerge.enabled", default=False),
        "automatic_widening": Setting(
            PREFIX + "typeWidening.allowAutomaticWidening", "always", "text"
        ),
        "arbitrary_properties": flag("allowArbitraryProperties.enabled", default=False),
        "empty_schema": flag("createEmptySchemaTable.enabled", default=True),
        "any_schema_at_location": flag("alterLocation.bypassSchemaCheck", default=False),
        "nested_not_null": flag("constraints.allowUnenforcedNotNull.enabled", default=False),
        "drop_if_exists": flag("constraints.assumesDropIfExists.enabled", default=False),
        "lower_identity_marks": flag(
            "identityColumn.allowSyncIdentityToLowerHighWaterMark.enabled", default=False
        ),
        "lower_protocol": flag("replace.protocolDowngradeAllowed", default=False),
        "restore_lowers_protocol": flag("restore.protocolDowngradeAllowed", default=False),
        "clone_replaces": flag("clone.replaceEnabled", default=True),
        "fast_drop_feature": flag("tableFeatures.fastDropFeature.enabled", default=True),
        "mapping_removal": flag("columnMapping.allowRemoval", default=True),
        "versions_in_names": flag("timeTravel.resolveOnIdentifier.enabled", default=True),
        "changes_out_of_range": flag("changeDataFeed.timestampOutOfRange.enabled", default=False),
        "change_schema_mode": Setting(
            PREFIX + "changeDataFeed.defaultSchemaModeForColumnMappingTable", "endVersion", "text"
        ),
        "enforce_retention": flag(
            "vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration", default=True
        ),
        "compatible_retentions": flag(
            "vacuum.enforceDeletedFileAndLogRetentionDurationCompatibility", default=True
        ),
        "dynamic_overwrite_allowed": flag("dynamicPartitionOverwrite.enabled", default=True),
        "replace_by_data": flag("replaceWhere.dataColumns.enabled", default=True),
        "replaced_row_metrics": flag("replaceWhere.dataColumns.metrics.enabled", default=True),
        "replace_on_allowed": flag("replaceOn.dataframe.writer.enabled", default=True),
        "replace_using_allowed": flag("replaceUsing.dataframe.writer.enabled", default=True),
        "optimize_write": Setting(PREFIX + "optimizeWrite.enabled", "", "boolean"),
        "optimize_write_bin": Setting(PREFIX + "optimizeWrite.binSize", "512", "int"),
        "replaced_rows_match": flag("replaceWhere.constraintCheck.enabled", default=True),
        "removal_metrics": flag("insertOverwrite.removeMetrics.enabled", default=True),
        "collect_stats": flag("stats.collect", default=True),
        "check_rows": Setting(CHECK_ROWS, "true", "boolean"),
        "delete_vectors": flag("delete.deletionVectors.persistent", default=True),
        "update_vectors": flag("update.deletionVectors.persistent", default=True),
        "merge_vectors": flag("merge.deletionVectors.persistent", default=True),
        "search_on_driver": Setting(SEARCH_ON_DRIVER, "10000000", "int"),
        "rewrite_on_driver": Setting(REWRITE_ON_DRIVER, "1024", "int"),
        "codec": Setting(CODEC, "snappy", "text"),
        "format_check": flag("formatCheck.enabled", default=True),
        "casts_follow_ansi": flag("updateAndMergeCastingFollowsAnsiEnabledFlag", default=False),
        "rows_from_metadata": flag("dmlMetricsFromMetadata.enabled", default=True),
        "data_folder": flag("write.dataFilesToSubdir", default=False),
        "app_id": Setting(APP_ID, "", "text"),
        "app_version": Setting(APP_VERSION, "", "long"),
        "app_version_resets": flag("write.txnVersion.autoReset.enabled", default=False),
        "user_metadata": Setting(PREFIX + "commitInfo.userMetadata", "", "text"),
        "overwrite_mode": Setting(OVERWRITE_MODE, "STATIC", "text"),
        "progress": Setting(PROGRESS, "auto", "text"),
        "max_attempts": Setting(PREFIX + "maxCommitAttempts", "10000000", "int"),
        "max_store_attempts": Setting(PREFIX + "maxNonConflictCommitAttempts", "10", "int"),
        "metrics": flag("history.metricsEnabled", default=True),
        "checksums": flag("writeChecksumFile.enabled", default=True),
        "checkpoint_part_size": Setting(PREFIX + "checkpoint.partSize", "", "long"),
        "top_level_format": Setting(PREFIX + "checkpointV2.topLevelFileFormat", "json", "text"),
        "infer_partitions": Setting(INFER_PARTITIONS, "false", "boolean"),
        "metadata_log": flag("convert.useMetadataLog", default=True),
        "catalog_partitions": flag("convert.useCatalogPartitions", default=True),
        "catalog_schema": flag("convert.useCatalogSchema", default=True),
        "ignore_cast_failure": flag("convert.partitionValues.ignoreCastFailure", default=False),
        "metadata_check": flag("convert.metadataCheck.enabled", default=True),
        "schema_batch": Setting(PREFIX + "import.batchSize.schemaInference", "1000000", "int"),
        "stats_batch": Setting(PREFIX + "import.batchSize.statsCollection", "50000", "int"),
        "files_on_driver": Setting(FILES_ON_DRIVER, "", "int"),
        **VACUUM,
        "iceberg": flag("convert.iceberg.enabled", default=True),
        "iceberg_evolution": flag("convert.iceberg.partitionEvolution.enabled", default=False),
        "iceberg_native_partitions": Setting(NATIVE_PARTITIONS, "true", "boolean"),
        "iceberg_transforms_left_out": Setting(LEAVE_OUT_TRANSFORMS, "false", "boolean"),
        **OPTIMIZE,
        **AUTO_COMPACTION,
        **STREAMS,
    }
)
"""The settings, by the field of `Settings` or of a part of it that each becomes."""

# Besides these, the package itself sets one, and others are read in the middle of a query.
_KNOWN = frozenset(
    {value.key for value in SETTINGS.values()} | {LAST_VERSION, TRUST_EXPRESSIONS, *PLANNING}
)

# What the names of settings begin with that are too many to list.
_FAMILIES = (PROPERTY_DEFAULTS, ALLOWING)


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeCommit:
    """How much of a long commit, which may have any number of files, is in memory at a time.

    Attributes:
        files: the number of its files.
        files_at_once: the number of files up to which a later version is made in one piece.
        paths: the number of paths that were not yet compared with all paths before them.
        bytes: the size of the piece of its commit that is read again, and of its checkpoint that
            is sent.
        files_for_checkpoint: the number of files from which on a checkpoint is written, which is
            opened sooner than the commit.
    """

    files: int = 2_000
    files_at_once: int = 10_000
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
class Settings:
    """The settings of a session for Delta.

    Attributes:
        auto_merge: add new columns on every write.
        automatic_widening: types that evolution widens where a table allows it: always,
            same_family_type or never.
        arbitrary_properties: allow unknown `delta.*` table properties.
        empty_schema: allow tables without columns.
        any_schema_at_location: SET LOCATION does not compare columns.
        nested_not_null: allow NOT NULL inside arrays and maps, where no writer checks it.
        drop_if_exists: DROP CONSTRAINT ignores constraints that do not exist.
        lower_identity_marks: SYNC IDENTITY may lower the high-water mark to the values in use.
        lower_protocol: REPLACE TABLE may remove features.
        restore_lowers_protocol: RESTORE removes the features that the older version lacks.
        clone_replaces: whether a clone may replace a table that has no files.
        fast_drop_feature: DROP FEATURE retains the history, behind a checkpoint.
        mapping_removal: column mapping may be turned off; all files are rewritten.
        versions_in_names: `path@v1` is a version, not a path.
        changes_out_of_range: a range of changes after the newest version is empty, not an error.
        change_schema_mode: the version whose columns the changes of a table with column mapping
            have: the last version of the range (`endversion`), or the newest (`latest`, `legacy`).
        enforce_retention: refuse versions older than the retention of deleted files.
        compatible_retentions: refuse a log retention shorter than that of deleted files.
        dynamic_overwrite: overwrite replaces only the partitions that get rows.
        dynamic_overwrite_allowed: whether an overwrite may do so.
        replace_by_data: replaceWhere may name other columns than partition columns.
        replaced_row_metrics: a replaceWhere reports how many rows it deleted and copied.
        replace_on_allowed: whether writers may use the option replaceOn.
        replace_using_allowed: whether writers may use the option replaceUsing.
        optimize_write: shuffle before writing, for fewer files; None: as the table property says.
        optimize_write_bin: how much a file of such a write gets, in MiB of shuffled rows.
        replaced_rows_match: the rows of an overwrite must match what it replaces.
        removal_metrics: an overwrite reports how much it removed.
        collect_stats: files get statistics.
        check_rows: DELETE, UPDATE, MERGE and REORG count rows before they commit, so that none is
            lost or duplicated.
        delete_vectors: DELETE marks rows in deletion vectors where the table has them.
        update_vectors: so does UPDATE.
        merge_vectors: so does MERGE.
        search_on_driver: in how many rows of a table on its machine the driver looks for those that
            an UPDATE, DELETE or MERGE concerns, at most.
        rewrite_on_driver: of how many MiB of files on its machine the driver copies the rows that a
            statement leaves as they are, at most.
        codec: how Parquet files are compressed.
        format_check: writers of other formats may not overwrite the folder of a table.
        casts_follow_ansi: UPDATE and MERGE cast as `spark.sql.ansi.enabled` says, not as
            `spark.sql.storeAssignmentPolicy` does.
        rows_from_metadata: a DELETE of whole files reports the number of rows from the log.
        data_folder: the folder of the table into which files go; empty for the table's own.
        app: id and version of the writing application; None where neither is set.
        app_version_resets: each write uses the version up.
        user_metadata: a string for each commit; None for none.
        progress: whether progress of long work is shown: `on`, `off`, or `auto`, which shows it in
            terminals and notebooks.
        commit: settings for commits.
        convert: settings for CONVERT TO DELTA.
        optimize: settings for OPTIMIZE and REORG.
        auto_compact: settings for the compaction that follows a write.
        vacuum: settings for VACUUM.
        streams: settings for streams over tables.
    """

    auto_merge: bool = False
    automatic_widening: str = "always"
    arbitrary_properties: bool = False
    empty_schema: bool = True
    any_schema_at_location: bool = False
    nested_not_null: bool = False
    drop_if_exists: bool = False
    lower_identity_marks: bool = False
    lower_protocol: bool = False
    restore_lowers_protocol: bool = False
    clone_replaces: bool = True
    fast_drop_feature: bool = True
    mapping_removal: bool = True
    versions_in_names: bool = True
    changes_out_of_range: bool = False
    change_schema_mode: str = "endversion"
    enforce_retention: bool = True
    compatible_retentions: bool = True
    dynamic_overwrite: bool = False
    dynamic_overwrite_allowed: bool = True
    replace_by_data: bool = True
    replaced_row_metrics: bool = True
    replace_on_allowed: bool = True
    replace_using_allowed: bool = True
    optimize_write: bool | None = None
    optimize_write_bin: int = 512
    replaced_rows_match: bool = True
    removal_metrics: bool = True
    collect_stats: bool = True
    check_rows: bool = True
    delete_vectors: bool = True
    update_vectors: bool = True
    merge_vectors: bool = True
    search_on_driver: int = 10_000_000
    rewrite_on_driver: int = 1024
    codec: str = "snappy"
    format_check: bool = True
    casts_follow_ansi: bool = False
    rows_from_metadata: bool = True
    data_folder: str = ""
    app: tuple[str | None, int | None] | None = None
    app_version_resets: bool = False
    user_metadata: str | None = None
    progress: str = "auto"
    commit: CommitSettings = field(default_factory=CommitSettings)
    convert: ConvertSettings = field(default_factory=ConvertSettings)
    optimize: OptimizeSettings = field(default_factory=OptimizeSettings)
    auto_compact: AutoCompactSettings = field(default_factory=AutoCompactSettings)
    vacuum: VacuumSettings = field(default_factory=VacuumSettings)
    streams: StreamSettings = field(default_factory=StreamSettings)


# No setting says how much of a large commit is in memory.
_OF_COMMITS = frozenset(CommitSettings.__dataclass_fields__) - {"large"}
_OF_CONVERSIONS = frozenset(ConvertSettings.__dataclass_fields__)


def read_settings(get: Callable[[str, str], str]) -> Settings:
    """Resolve the settings of a session.

    Args:
        get: returns a setting as a string for its key and default.

    Raises:
        MalformedSettingError: a setting has a value that is not allowed.
    """
    # Every command reads every setting, so that a malformed one is reported before anything is
    # written, whether the command uses it or not.
    values = {
        name: setting.read(get(setting.key, setting.default)) for name, setting in SETTINGS.items()
    }
    app = (values.pop("app_id"), values.pop("app_version"))
    mode = values.pop("overwrite_mode") or ""
    values["data_folder"] = _DATA_FOLDER if values["data_folder"] else ""
    commit = {name: values.pop(name) for name in _OF_COMMITS}
    convert = {name: values.pop(name) for name in _OF_CONVERSIONS}
    optimize = optimize_settings({name: values.pop(name) for name in OPTIMIZE})
    compaction = auto_compact_settings({name: values.pop(name) for name in AUTO_COMPACTION})
    vacuum = {name: values.pop(name) for name in VACUUM}
    streams = {name: values.pop(name) for name in STREAMS}
    for name in ("schema_batch", "stats_batch"):
        check_positive(SETTINGS[name], convert[name])
    _check_one_of("top_level_format", commit["top_level_format"], ("json", "parquet"))
    values["progress"] = (values["progress"] or "auto").strip().lower()
    _check_one_of("progress", values["progress"], ("auto", "on", "off"))
    values["automatic_widening"] = (values["automatic_widening"] or "always").strip().lower()
    _check_one_of("automatic_widening", values["automatic_widening"], _WIDENING)
    mode_of_changes = (values["change_schema_mode"] or "endversion").strip().lower()
    values["change_schema_mode"] = mode_of_changes
    _check_one_of("change_schema_mode", mode_of_changes, _CHANGE_SCHEMAS)
    return Settings(
        **values,
        app=None if app == (None, None) else app,
        dynamic_overwrite=mode.upper() == "DYNAMIC",
        commit=CommitSettings(**commit),
        convert=ConvertSettings(**convert),
        optimize=optimize,
        auto_compact=compaction,
        vacuum=VacuumSettings(**vacuum),
        streams=StreamSettings(**streams),
    )


def _check_one_of(name: str, text: str, known: tuple[str, ...]) -> None:
    if text not in known:
        listed = f"{', '.join(known[:-1])} or {known[-1]}"
        raise MalformedSettingError(SETTINGS[name].key, text, f"text, {listed}")


def warn_of_unknown(keys: Iterable[str], warned: set[str]) -> None:
    """Log, once, the settings of Delta that have no effect.

    Args:
        keys: the settings of the session.
        warned: the settings that were logged already; grows.
    """
    for key in sorted(set(keys) - warned):
        if key.startswith(PREFIX) and key not in _KNOWN and not key.startswith(_FAMILIES):
            warned.add(key)
            like = get_close_matches(key, _KNOWN, n=1)
            hint = f"; did you mean {like[0]}?" if like else ""
            _log.warning("the setting %s is not known here and has no effect%s", key, hint)
