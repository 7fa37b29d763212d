"""Session settings: read once at the edge into a frozen value, passed down from there.

`SETTINGS` names what is honoured. A setting below `spark.databricks.delta.` that is not there is
told once in the log and otherwise left alone: sessions come configured for more than one engine.
"""

import logging
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

_log = logging.getLogger(__name__)

PREFIX = "spark.databricks.delta."
PROPERTY_DEFAULTS = PREFIX + "properties.defaults."

APP_ID = PREFIX + "write.txnAppId"
APP_VERSION = PREFIX + "write.txnVersion"
LAST_VERSION = PREFIX + "lastCommitVersionInSession"

SKIPPING = PREFIX + "stats.skipping"
LIMITS_FROM_LOG = PREFIX + "stats.limitPushdown.enabled"
ANSWERS_FROM_LOG = PREFIX + "optimizeMetadataQuery.enabled"
DERIVED_FILTERS = PREFIX + "generatePartitionFilters"
PLANNING = (SKIPPING, LIMITS_FROM_LOG, ANSWERS_FROM_LOG, DERIVED_FILTERS)
"""What planning may take from the log to read less: all are on unless `false`."""
OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode"
PROGRESS = "spark.puredelta.progress"
CHECK_ROWS = "spark.puredelta.checkRows"
TRUST_EXPRESSIONS = "spark.puredelta.trustTableExpressions"
INFER_PARTITIONS = "spark.puredelta.convert.inferPartitions"
FILES_ON_DRIVER = "spark.puredelta.convert.filesOnDriver"
NATIVE_PARTITIONS = PREFIX + "convert.iceberg.useNativePartitionValues"
COMMIT_EACH_BIN = "spark.puredelta.optimize.commitEachBin"
LEAVE_OUT_TRANSFORMS = "spark.puredelta.convert.iceberg.leaveOutTransforms"

_DATA_FOLDER = "data"
_WIDENING = ("always", "same_family_type", "never")
_CHANGE_SCHEMAS = ("endversion", "latest", "legacy")
_INTEGER_BITS = 31
_LONG_BITS = 63


class MalformedSettingError(ValueError):
    """A setting has a text that is none of its values.

    Attributes:
        key: the setting.
        text: its text.
        kind: what it should be.
    """

    def __init__(self, key: str, text: str, kind: str) -> None:
        super().__init__(f"{key} cannot be '{text}': it is a {kind}")
        self.key, self.text, self.kind = key, text, kind


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    Attributes:
        key: its full name.
        default: the text that holds when nobody has set it; empty for none.
        kind: `boolean`, `int`, `long`, `double` or `text`.
    """

    key: str
    default: str
    kind: str

    def read(self, text: str) -> Any:
        """Turn a text into the value; None for an empty text.

        Raises:
            MalformedSettingError: the text is none of the kind.
        """
        stripped = text.strip()
        if not stripped:
            return None
        if self.kind == "boolean" and stripped.lower() in {"true", "false"}:
            return stripped.lower() == "true"
        if self.kind in {"int", "long"} and (number := _whole(stripped)) is not None:
            bits = _INTEGER_BITS if self.kind == "int" else _LONG_BITS
            if -(1 << bits) <= number < 1 << bits:
                return number
        if self.kind == "double" and (ratio := _decimal(stripped)) is not None:
            return ratio
        if self.kind == "text":
            return text
        raise MalformedSettingError(self.key, text, self.kind)


def _whole(text: str) -> int | None:
    digits = text[1:] if text[0] in "+-" else text
    return int(text) if digits.isascii() and digits.isdigit() else None


def _decimal(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _flag(name: str, *, default: bool) -> Setting:
    return Setting(PREFIX + name, "true" if default else "false", "boolean")


SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "auto_merge": _flag("schema.autoMerge.enabled", default=False),
        "automatic_widening": Setting(
            PREFIX + "typeWidening.allowAutomaticWidening", "always", "text"
        ),
        "arbitrary_properties": _flag("allowArbitraryProperties.enabled", default=False),
        "empty_schema": _flag("createEmptySchemaTable.enabled", default=True),
        "any_schema_at_location": _flag("alterLocation.bypassSchemaCheck", default=False),
        "nested_not_null": _flag("constraints.allowUnenforcedNotNull.enabled", default=False),
        "drop_if_exists": _flag("constraints.assumesDropIfExists.enabled", default=False),
        "lower_identity_marks": _flag(
            "identityColumn.allowSyncIdentityToLowerHighWaterMark.enabled", default=False
        ),
        "lower_protocol": _flag("replace.protocolDowngradeAllowed", default=False),
        "clone_replaces": _flag("clone.replaceEnabled", default=True),
        "fast_drop_feature": _flag("tableFeatures.fastDropFeature.enabled", default=True),
        "mapping_removal": _flag("columnMapping.allowRemoval", default=True),
        "versions_in_names": _flag("timeTravel.resolveOnIdentifier.enabled", default=True),
        "changes_out_of_range": _flag("changeDataFeed.timestampOutOfRange.enabled", default=False),
        "change_schema_mode": Setting(
            PREFIX + "changeDataFeed.defaultSchemaModeForColumnMappingTable", "endVersion", "text"
        ),
        "enforce_retention": _flag(
            "vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration", default=True
        ),
        "compatible_retentions": _flag(
            "vacuum.enforceDeletedFileAndLogRetentionDurationCompatibility", default=True
        ),
        "dynamic_overwrite_allowed": _flag("dynamicPartitionOverwrite.enabled", default=True),
        "replace_by_data": _flag("replaceWhere.dataColumns.enabled", default=True),
        "replaced_row_metrics": _flag("replaceWhere.dataColumns.metrics.enabled", default=True),
        "replace_on_allowed": _flag("replaceOn.dataframe.writer.enabled", default=True),
        "replace_using_allowed": _flag("replaceUsing.dataframe.writer.enabled", default=True),
        "optimize_write": Setting(PREFIX + "optimizeWrite.enabled", "", "boolean"),
        "optimize_write_bin": Setting(PREFIX + "optimizeWrite.binSize", "512", "int"),
        "replaced_rows_match": _flag("replaceWhere.constraintCheck.enabled", default=True),
        "removal_metrics": _flag("insertOverwrite.removeMetrics.enabled", default=True),
        "collect_stats": _flag("stats.collect", default=True),
        "check_rows": Setting(CHECK_ROWS, "true", "boolean"),
        "delete_vectors": _flag("delete.deletionVectors.persistent", default=True),
        "update_vectors": _flag("update.deletionVectors.persistent", default=True),
        "merge_vectors": _flag("merge.deletionVectors.persistent", default=True),
        "casts_follow_ansi": _flag("updateAndMergeCastingFollowsAnsiEnabledFlag", default=False),
        "rows_from_metadata": _flag("dmlMetricsFromMetadata.enabled", default=True),
        "data_folder": _flag("write.dataFilesToSubdir", default=False),
        "app_id": Setting(APP_ID, "", "text"),
        "app_version": Setting(APP_VERSION, "", "long"),
        "app_version_resets": _flag("write.txnVersion.autoReset.enabled", default=False),
        "user_metadata": Setting(PREFIX + "commitInfo.userMetadata", "", "text"),
        "overwrite_mode": Setting(OVERWRITE_MODE, "STATIC", "text"),
        "progress": Setting(PROGRESS, "auto", "text"),
        "max_attempts": Setting(PREFIX + "maxCommitAttempts", "10000000", "int"),
        "max_store_attempts": Setting(PREFIX + "maxNonConflictCommitAttempts", "10", "int"),
        "metrics": _flag("history.metricsEnabled", default=True),
        "checksums": _flag("writeChecksumFile.enabled", default=True),
        "checkpoint_part_size": Setting(PREFIX + "checkpoint.partSize", "", "long"),
        "top_level_format": Setting(PREFIX + "checkpointV2.topLevelFileFormat", "json", "text"),
        "infer_partitions": Setting(INFER_PARTITIONS, "false", "boolean"),
        "metadata_log": _flag("convert.useMetadataLog", default=True),
        "catalog_partitions": _flag("convert.useCatalogPartitions", default=True),
        "catalog_schema": _flag("convert.useCatalogSchema", default=True),
        "ignore_cast_failure": _flag("convert.partitionValues.ignoreCastFailure", default=False),
        "metadata_check": _flag("convert.metadataCheck.enabled", default=True),
        "schema_batch": Setting(PREFIX + "import.batchSize.schemaInference", "1000000", "int"),
        "stats_batch": Setting(PREFIX + "import.batchSize.statsCollection", "50000", "int"),
        "files_on_driver": Setting(FILES_ON_DRIVER, "", "int"),
        "retention_check": _flag("retentionDurationCheck.enabled", default=True),
        # Off where delta-spark has it on: what a user writes after RETAIN holds, or is refused.
        "other_retentions_ignored": _flag("vacuum.retentionWindowIgnore.enabled", default=False),
        "vacuum_lite": _flag("vacuum.lite.enabled", default=False),
        "vacuum_logging": Setting(PREFIX + "vacuum.logging.enabled", "", "boolean"),
        "vacuum_parallel": _flag("vacuum.parallelDelete.enabled", default=False),
        "vacuum_parallelism": Setting(PREFIX + "vacuum.parallelDelete.parallelism", "", "int"),
        "foreign_paths_ignored": _flag("vacuum.relativize.ignoreError", default=False),
        "iceberg": _flag("convert.iceberg.enabled", default=True),
        "iceberg_evolution": _flag("convert.iceberg.partitionEvolution.enabled", default=False),
        "iceberg_native_partitions": Setting(NATIVE_PARTITIONS, "true", "boolean"),
        "iceberg_transforms_left_out": Setting(LEAVE_OUT_TRANSFORMS, "false", "boolean"),
        "min_file_size": Setting(PREFIX + "optimize.minFileSize", "1073741824", "long"),
        "max_file_size": Setting(PREFIX + "optimize.maxFileSize", "1073741824", "long"),
        "max_deleted_ratio": Setting(PREFIX + "optimize.maxDeletedRowsRatio", "0.05", "double"),
        "max_threads": Setting(PREFIX + "optimize.maxThreads", "15", "int"),
        "batch_size": Setting(PREFIX + "optimize.batchSize", "", "long"),
        "repartition": _flag("optimize.repartition.enabled", default=False),
        "commit_each_bin": Setting(COMMIT_EACH_BIN, "false", "boolean"),
        "z_order_stats_check": _flag("optimize.zorder.checkStatsCollection.enabled", default=True),
    }
)
"""What is honoured, by the field of `Settings` or of a part of it that it becomes."""

# Meant for others, set by us, or asked by the planner in the middle of a query.
_KNOWN = frozenset(
    {value.key for value in SETTINGS.values()} | {LAST_VERSION, TRUST_EXPRESSIONS, *PLANNING}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeCommit:
    """How much of a first version, which may have any number of files, is in memory at a time.

    Attributes:
        files: so many of its files.
        paths: so many paths that were not compared with all before them.
        bytes: so much of its commit that is read again, and of its checkpoint that is sent.
        files_for_checkpoint: from so many files on there is a checkpoint, which is opened sooner
            than the commit.
    """

    files: int = 2_000
    paths: int = 20_000
    bytes: int = 2 * 1024 * 1024
    files_for_checkpoint: int = 10_000


LARGE_COMMIT = LargeCommit()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitSettings:
    """What the session says about making a version; knows nothing of Spark.

    Attributes:
        max_attempts: how many races with other writers may be lost.
        max_store_attempts: how often a store is asked that gives no clear answer.
        metrics: does the history tell what an operation did, in numbers?
        checksums: does each version get a checksum file?
        checkpoint_part_size: how many file actions lie together in a checkpoint; None for the
            usual.
        top_level_format: `json` or `parquet`, for the top-level file of V2 checkpoints.
        large: how much of a large first version is in memory at a time; no session says it.
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
    """What the session says about CONVERT TO DELTA; knows nothing of Spark.

    Attributes:
        infer_partitions: are partition columns that nobody named inferred from the names of
            folders?
        metadata_log: where a streaming query wrote the folder, believe its log, not the listing.
        catalog_partitions: convert the partitions that the catalog knows, and no others.
        catalog_schema: the columns of a table of the catalog are those it knows.
        ignore_cast_failure: a partition value that is none of its column's type is null.
        metadata_check: refuse an entry of the catalog whose properties are not those of the Delta
            table that is there already.
        schema_batch: how many footers are read before their schemas are put together.
        stats_batch: likewise, where they give statistics too.
        files_on_driver: up to so many footers are read by the driver, more by executors; None for
            the usual, which is by the driver alone where the files are on its own machine.
        iceberg: may tables of Iceberg be converted?
        iceberg_evolution: also those whose partitioning has changed?
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the session says about Delta.

    Attributes:
        auto_merge: add new columns on every write.
        automatic_widening: types that evolution widens where a table allows it: always,
            same_family_type or never.
        arbitrary_properties: let unknown `delta.*` table properties pass.
        empty_schema: let tables be created without columns.
        any_schema_at_location: SET LOCATION does not compare columns.
        nested_not_null: let NOT NULL pass inside arrays and maps, where nobody checks it.
        drop_if_exists: let DROP CONSTRAINT pass over constraints that are not there.
        lower_identity_marks: SYNC IDENTITY may take back values that are in no row.
        lower_protocol: REPLACE TABLE may take features away.
        clone_replaces: may a clone replace a table that has no rows?
        fast_drop_feature: DROP FEATURE keeps the history, behind a checkpoint.
        mapping_removal: column mapping may be turned off; all files are written anew.
        versions_in_names: `path@v1` is a version, not a path.
        changes_out_of_range: changes from behind the newest version on are none, not an error.
        change_schema_mode: the columns under which changes of a table with column mapping are read:
            those of the last version that is asked for (`endversion`), or of the newest (`latest`,
            `legacy`).
        enforce_retention: refuse versions older than the retention of deleted files.
        compatible_retentions: refuse a history that is forgotten before the files it names.
        dynamic_overwrite: overwrite replaces only the partitions that get rows.
        dynamic_overwrite_allowed: may it?
        replace_by_data: replaceWhere may name other columns than partition columns.
        replaced_row_metrics: a replaceWhere tells how many rows it deleted and copied.
        replace_on_allowed: may writers use the option replaceOn?
        replace_using_allowed: may writers use the option replaceUsing?
        optimize_write: shuffle before writing, for fewer files; None: as the table says.
        optimize_write_bin: how much a file of such a write gets, in MiB of shuffled rows.
        replaced_rows_match: the rows of an overwrite must match what it replaces.
        removal_metrics: an overwrite tells how much it removed.
        collect_stats: files get statistics.
        check_rows: DELETE, UPDATE, MERGE and REORG count rows before they commit: none is lost or
            doubled.
        delete_vectors: DELETE marks rows in deletion vectors where the table has them.
        update_vectors: so does UPDATE.
        merge_vectors: so does MERGE.
        casts_follow_ansi: UPDATE and MERGE cast as `spark.sql.ansi.enabled` says, not as
            `spark.sql.storeAssignmentPolicy` does.
        rows_from_metadata: a DELETE of whole files tells how many rows went, as the log knows it.
        data_folder: the folder of the table into which files go; empty for the table's own.
        app: id and version of the writing application; None where neither is set.
        app_version_resets: each write uses the version up.
        user_metadata: a text for each commit; None for none.
        progress: is progress of long work shown? `on`, `off`, or `auto`: where someone looks.
        commit: about making versions.
        convert: about CONVERT TO DELTA.
        optimize: about OPTIMIZE, REORG and auto compaction.
        vacuum: about VACUUM.
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
    vacuum: VacuumSettings = field(default_factory=VacuumSettings)


# No setting says how much of a large commit is in memory.
_OF_COMMITS = frozenset(CommitSettings.__dataclass_fields__) - {"large"}
_OF_CONVERSIONS = frozenset(ConvertSettings.__dataclass_fields__)
_OF_OPTIMIZE = frozenset(OptimizeSettings.__dataclass_fields__)
_OF_VACUUM = frozenset(VacuumSettings.__dataclass_fields__)


def read_settings(get: Callable[[str, str], str]) -> Settings:
    """Resolve the settings of a session.

    Args:
        get: a setting's text, given its key and default.

    Raises:
        MalformedSettingError: a setting has a text that is none of its values.
    """
    values = {
        name: setting.read(get(setting.key, setting.default)) for name, setting in SETTINGS.items()
    }
    app = (values.pop("app_id"), values.pop("app_version"))
    mode = values.pop("overwrite_mode") or ""
    values["data_folder"] = _DATA_FOLDER if values["data_folder"] else ""
    commit = {name: values.pop(name) for name in _OF_COMMITS}
    convert = {name: values.pop(name) for name in _OF_CONVERSIONS}
    optimize = {name: values.pop(name) for name in _OF_OPTIMIZE}
    vacuum = {name: values.pop(name) for name in _OF_VACUUM}
    for name in ("schema_batch", "stats_batch"):
        _check_positive(name, convert[name])
    for name in ("min_file_size", "max_file_size", "max_threads"):
        _check_positive(name, optimize[name])
    if optimize["batch_size"] is not None:
        _check_positive("batch_size", optimize["batch_size"])
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
        optimize=OptimizeSettings(**optimize),
        vacuum=VacuumSettings(**vacuum),
    )


def _check_positive(name: str, number: int | None) -> None:
    if number is None or number < 1:
        raise MalformedSettingError(SETTINGS[name].key, str(number), "number of at least 1")


def _check_one_of(name: str, text: str, known: tuple[str, ...]) -> None:
    if text not in known:
        listed = f"{', '.join(known[:-1])} or {known[-1]}"
        raise MalformedSettingError(SETTINGS[name].key, text, f"text, {listed}")


def tell_unknown(keys: Iterable[str], warned: set[str]) -> None:
    """Log, once, of settings of Delta's that are not honoured.

    Args:
        keys: what the session has set.
        told: what was given already; grows.
    """
    for key in sorted(set(keys) - warned):
        if key.startswith(PREFIX) and key not in _KNOWN and not key.startswith(PROPERTY_DEFAULTS):
            warned.add(key)
            _log.warning("the setting %s is not known here and has no effect", key)
