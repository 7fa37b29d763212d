"""The `delta.*` table properties as values: name, default, how the text is read, what is allowed.

A property stores its text as the user wrote it, under the spelling given here; `Property.of` reads
it. Keys without the `delta.` prefix belong to the user and pass untouched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from puredelta._util.similar_names import like_it
from puredelta.errors import (
    DeltaAnalysisError,
    DeltaIllegalArgumentError,
    DeltaUnsupportedOperationError,
)
from puredelta.table.protocol.feature_activation import CONSTRAINT_PREFIX
from puredelta.table.protocol.features import FEATURE_PREFIX
from puredelta.table.protocol.interval import parse_interval

Value = TypeVar("Value")

DELTA_PREFIX = "delta."
MIN_READER_VERSION = "delta.minReaderVersion"
MIN_WRITER_VERSION = "delta.minWriterVersion"
IGNORE_PROTOCOL_DEFAULTS = "delta.ignoreProtocolDefaults"

_FREE_PREFIXES = ("delta.universalformat.config.", CONSTRAINT_PREFIX, FEATURE_PREFIX)
_ARBITRARY_SETTING = "spark.databricks.delta.allowArbitraryProperties.enabled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Property(Generic[Value]):
    """One table property.

    Attributes:
        key: The name, in the spelling that is stored.
        default: What holds when the property is absent.
        parse: Text to value, or None when the text breaks the rule.
        rule: What a value must be, as the end of the sentence "<key> ...".
        help: What the property does.
        settable: May a user set it? The others are written by this package only.
    """

    key: str
    default: Value
    parse: Callable[[str], Value | None]
    rule: str
    help: str
    settable: bool = True

    def of(self, configuration: Mapping[str, str]) -> Value:
        """Read the property from a table's configuration, or give its default."""
        text = configuration.get(self.key)
        return self.default if text is None else self.read(text)

    def read(self, text: str) -> Value:
        """Turn the text of the property into its value.

        Raises:
            DeltaIllegalArgumentError: The text is not what the property's rule asks for.
        """
        found = self.parse(text)
        if found is None:
            raise DeltaIllegalArgumentError(
                "DELTA_INVALID_TABLE_PROPERTY_VALUE", key=self.key, value=text, rule=self.rule
            )
        return found


def _boolean(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text.strip().lower())


def _one_of(*allowed: str) -> Callable[[str], str | None]:
    by_lower_name = {value.lower(): value for value in allowed}
    return lambda text: by_lower_name.get(text.strip().lower())


def _integer(text: str, bits: int = 32) -> int | None:
    # `int` alone would accept blanks, underscores and digits of other scripts, and it refuses
    # thousands of digits by an error of its own.
    found = int(text) if re.fullmatch(r"[+-]?0*[0-9]{1,20}", text) else None
    return None if found is None or abs(found) >> (bits - 1) else found


def _at_least(minimum: int, bits: int = 32) -> Callable[[str], int | None]:
    def parse(text: str) -> int | None:
        found = _integer(text, bits)
        return None if found is None or found < minimum else found

    return parse


def _isolation_level(text: str) -> str | None:
    level = _one_of("Serializable", "WriteSerializable", "SnapshotIsolation")(text)
    if level is None:
        raise DeltaIllegalArgumentError("DELTA_INVALID_ISOLATION_LEVEL", isolationLevel=text)
    # delta-spark accepts the default alone; the other levels exist, so they get the general error.
    return level if level == "Serializable" else None


def _within(*allowed: int) -> Callable[[str], int | None]:
    def parse(text: str) -> int | None:
        found = _integer(text)
        return found if found in allowed else None

    return parse


def _duration(text: str) -> timedelta | None:
    found = parse_interval(text)
    return None if found is None or found < timedelta(0) else found


def _formats(text: str) -> tuple[str, ...] | None:
    found = tuple(part.strip().lower() for part in text.split(",") if part.strip())
    repeated = len(set(found)) < len(found)
    return None if repeated or not set(found) <= {"iceberg", "hudi"} else found


def _parquet_version(text: str) -> str | None:
    return text.strip() if re.fullmatch(r"\s*\d+\.\d+\.\d+\s*", text) else None


def _flag(key: str, help_text: str, *, default: bool = False) -> Property[bool]:
    return Property(
        key=key, default=default, parse=_boolean, rule="must be true or false", help=help_text
    )


def _optional_flag(key: str, help_text: str) -> Property[bool | None]:
    return Property(
        key=key, default=None, parse=_boolean, rule="must be true or false", help=help_text
    )


def _text(key: str, help_text: str) -> Property[str | None]:
    return Property(key=key, default=None, parse=str, rule="is a text", help=help_text)


_DURATION_RULE = "must be an interval such as '2 weeks', not negative and without months or years"


def _period(key: str, default: timedelta, help_text: str) -> Property[timedelta]:
    return Property(key=key, default=default, parse=_duration, rule=_DURATION_RULE, help=help_text)


APPEND_ONLY = _flag("delta.appendOnly", "Refuse to delete or rewrite rows.")
CHECKPOINT_INTERVAL: Property[int] = Property(
    key="delta.checkpointInterval",
    default=10,
    parse=_at_least(1),
    rule="must be a positive integer",
    help="Commits between two checkpoints.",
)
CHECKPOINT_POLICY: Property[str] = Property(
    key="delta.checkpointPolicy",
    default="classic",
    parse=_one_of("classic", "v2"),
    rule="must be classic or v2",
    help="The form of checkpoints; v2 turns the feature v2Checkpoint on.",
)
CHECKPOINT_STATS_AS_JSON = _flag(
    "delta.checkpoint.writeStatsAsJson", "Keep statistics as JSON in checkpoints.", default=True
)
CHECKPOINT_STATS_AS_STRUCT = _flag(
    "delta.checkpoint.writeStatsAsStruct", "Keep statistics as columns too.", default=True
)
COLUMN_MAPPING_MODE: Property[str] = Property(
    key="delta.columnMapping.mode",
    default="none",
    parse=_one_of("none", "name", "id"),
    rule="must be none, name or id",
    help="How columns are found in data files.",
)
MAX_COLUMN_ID: Property[int] = Property(
    key="delta.columnMapping.maxColumnId",
    default=0,
    parse=_at_least(0),
    rule="must be an integer from 0 on",
    help="The highest column id given so far.",
    settable=False,
)
SKIPPING_NUM_COLUMNS: Property[int] = Property(
    key="delta.dataSkippingNumIndexedCols",
    default=32,
    parse=_at_least(-1),
    rule="must be an integer from -1 on (-1 for all columns)",
    help="How many columns, from the first on, get statistics.",
)
SKIPPING_COLUMNS = _text(
    "delta.dataSkippingStatsColumns", "The columns that get statistics, comma-separated."
)
SKIPPING_PREFIX: Property[int] = Property(
    key="delta.dataSkippingStringPrefixLength",
    default=32,
    parse=_at_least(0),
    rule="must be an integer from 0 on",
    help="How much of a string its bounds keep.",
)
DELETED_FILE_RETENTION = _period(
    "delta.deletedFileRetentionDuration",
    timedelta(weeks=1),
    "How long removed files stay for readers of older versions.",
)
LOG_RETENTION = _period(
    "delta.logRetentionDuration", timedelta(days=30), "How long the history is kept."
)
TRANSACTION_RETENTION: Property[timedelta | None] = Property(
    key="delta.setTransactionRetentionDuration",
    default=None,
    parse=_duration,
    rule=_DURATION_RULE,
    help="How long the last version of each writing application is remembered.",
)
CHANGE_DATA_FEED = _flag("delta.enableChangeDataFeed", "Record row-level changes.")
DELETION_VECTORS = _flag("delta.enableDeletionVectors", "Mark deleted rows beside the files.")
LOG_CLEANUP = _flag(
    "delta.enableExpiredLogCleanup", "Delete expired log files after a checkpoint.", default=True
)
IN_COMMIT_TIMESTAMPS = _flag(
    "delta.enableInCommitTimestamps", "Keep the time of a commit inside it."
)
ISOLATION_LEVEL: Property[str] = Property(
    key="delta.isolationLevel",
    default="Serializable",
    parse=_isolation_level,
    rule="must be Serializable",
    help="Which concurrent commits may pass each other.",
)
RANDOM_PREFIX_LENGTH: Property[int] = Property(
    key="delta.randomPrefixLength",
    default=2,
    parse=_at_least(1),
    rule="must be a positive integer",
    help="Length of the random folder names.",
)
RANDOMIZE_PREFIXES = _flag(
    "delta.randomizeFilePrefixes", "Put files into random folders, not into folders by partition."
)
SYMLINK_MANIFEST = _flag(
    "delta.compatibility.symlinkFormatManifest.enabled", "Write manifests after commits."
)
TYPE_WIDENING = _flag("delta.enableTypeWidening", "Allow columns to change to a wider type.")
VARIANT_SHREDDING = _flag(
    "delta.enableVariantShredding", "Store parts of variants as columns of their own in new files."
)
TRUNCATION_RETENTION = _period(
    "delta.dropFeatureTruncateHistory.retentionDuration",
    timedelta(hours=24),
    "How long DROP FEATURE ... TRUNCATE HISTORY waits.",
)
PROTECTED_BEFORE: Property[int] = Property(
    key="delta.requireCheckpointProtectionBeforeVersion",
    default=0,
    parse=_at_least(0, bits=64),
    rule="must be an integer from 0 on",
    help="Checkpoints below this version are not to be removed.",
)


def _long(key: str, help_text: str) -> Property[int | None]:
    return Property(
        key=key,
        default=None,
        parse=_at_least(0, bits=64),
        rule="must be an integer from 0 on",
        help=help_text,
        settable=False,
    )


_ALL: tuple[Property[Any], ...] = (
    APPEND_ONLY,
    CHECKPOINT_INTERVAL,
    CHECKPOINT_POLICY,
    CHECKPOINT_STATS_AS_JSON,
    CHECKPOINT_STATS_AS_STRUCT,
    COLUMN_MAPPING_MODE,
    MAX_COLUMN_ID,
    SKIPPING_NUM_COLUMNS,
    SKIPPING_COLUMNS,
    SKIPPING_PREFIX,
    DELETED_FILE_RETENTION,
    LOG_RETENTION,
    TRANSACTION_RETENTION,
    CHANGE_DATA_FEED,
    DELETION_VECTORS,
    LOG_CLEANUP,
    IN_COMMIT_TIMESTAMPS,
    ISOLATION_LEVEL,
    RANDOM_PREFIX_LENGTH,
    RANDOMIZE_PREFIXES,
    _period("delta.checkpointRetentionDuration", timedelta(days=2), "Kept for other engines."),
    _period("delta.sampleRetentionDuration", timedelta(days=7), "Kept for other engines."),
    _flag("delta.enableChangeDataCapture", "The old name of delta.enableChangeDataFeed."),
    _flag("delta.enableFullRetentionRollback", "Kept for other engines.", default=True),
    _flag("delta.enableRowTracking", "Give every row a stable id."),
    _flag("delta.rowTrackingSuspended", "Stop giving ids."),
    TYPE_WIDENING,
    TRUNCATION_RETENTION,
    PROTECTED_BEFORE,
    VARIANT_SHREDDING,
    _long("delta.inCommitTimestampEnablementVersion", "First version with a time inside."),
    _long("delta.inCommitTimestampEnablementTimestamp", "Its time."),
    _optional_flag("delta.autoOptimize", "The old name of delta.autoOptimize.autoCompact."),
    _optional_flag("delta.autoOptimize.optimizeWrite", "Shuffle before writing, for fewer files."),
    Property(
        key="delta.autoOptimize.autoCompact",
        default=None,
        parse=_one_of("true", "false"),
        rule="must be true or false",
        help="Compact small files after a write.",
    ),
    SYMLINK_MANIFEST,
    Property(
        key="delta.parquet.format.version",
        default="1.0.0",
        parse=_parquet_version,
        rule="must be a version such as 1.0.0",
        help="Version of the Parquet pages.",
    ),
    _optional_flag("delta.enableIcebergCompatV1", "Keep to what Iceberg can read."),
    _optional_flag("delta.enableIcebergCompatV2", "Keep to what Iceberg can read."),
    _optional_flag("delta.enableIcebergCompatV3", "Keep to what Iceberg can read."),
    Property(
        key="delta.universalFormat.enabledFormats",
        default=(),
        parse=_formats,
        rule="must be a list of iceberg and hudi without duplicates",
        help="Other formats whose metadata is kept.",
    ),
    _flag("delta.universalFormat.iceberg.atomicConversion.supported", "Kept for other engines."),
    _flag("delta.castIcebergTimeType", "How CONVERT reads Iceberg's time type."),
    _flag("delta.ignoreIcebergBucketPartition", "CONVERT drops bucket partitions."),
    _text("delta.coordinatedCommits.commitCoordinator-preview", "Kept for other engines."),
    _text("delta.coordinatedCommits.commitCoordinatorConf-preview", "Kept for other engines."),
    _text("delta.coordinatedCommits.tableConf-preview", "Kept for other engines."),
    _optional_flag(
        "delta.enableMaterializePartitionColumnsFeature", "Keep partition columns in the files."
    ),
    _optional_flag("delta.writePartitionColumnsToParquet", "The same, as far as possible."),
    _text("delta.redirectReaderWriter-preview", "Kept for other engines."),
    _text("delta.redirectWriterOnly-preview", "Kept for other engines."),
    Property(
        key=MIN_READER_VERSION,
        default=None,
        parse=_within(1, 2, 3),
        rule="must be one of 1, 2, 3",
        help="Ask for a protocol; never stored.",
    ),
    Property(
        key=MIN_WRITER_VERSION,
        default=None,
        parse=_within(1, 2, 3, 4, 5, 6, 7),
        rule="must be one of 1, 2, 3, 4, 5, 6, 7",
        help="Ask for a protocol; never stored.",
    ),
    _flag(IGNORE_PROTOCOL_DEFAULTS, "Start from the lowest protocol; never stored."),
)

PROPERTIES: Mapping[str, Property[Any]] = MappingProxyType({known.key: known for known in _ALL})

_BY_LOWER_KEY = {key.lower(): known for key, known in PROPERTIES.items()}


def find_property(key: str) -> Property[Any] | None:
    """Find a property by its key, in any case of letters."""
    return _BY_LOWER_KEY.get(key.lower())


def canonical_key(key: str) -> str:
    """Spell a key as it is stored: known properties and prefixes have one spelling."""
    found = find_property(key)
    if found is not None:
        return found.key
    lowered = key.lower()
    if lowered.startswith(CONSTRAINT_PREFIX):
        return lowered
    if lowered.startswith(FEATURE_PREFIX):
        return FEATURE_PREFIX + key[len(FEATURE_PREFIX) :]
    return key


def validate(
    configuration: Mapping[str, str],
    *,
    ours: Iterable[str] = (),
    allow_unknown: bool = False,
    any_retention: bool = False,
) -> dict[str, str]:
    """Check properties that a user sets and spell their keys as they are stored.

    Args:
        configuration: The properties as given.
        ours: Keys that pass although users may not set them, because the table has them already.
        allow_unknown: Let unknown `delta.*` keys pass.
        any_retention: Let a history pass that is deleted before the files it names.

    Raises:
        DeltaAnalysisError: An unknown `delta.*` key, or two constraints of one name.
        DeltaUnsupportedOperationError: A key that is not the user's to set.
        DeltaIllegalArgumentError: A value that breaks the property's rule.
    """
    known_ours = frozenset(ours)
    checked: dict[str, str] = {}
    for key, text in configuration.items():
        spelled = canonical_key(key)
        # Constraint names are stored in small letters, so names that differ in case collide.
        if spelled in checked and spelled.startswith(CONSTRAINT_PREFIX):
            raise DeltaAnalysisError(
                "DELTA_CONSTRAINT_ALREADY_EXISTS",
                constraintName=key[len(CONSTRAINT_PREFIX) :],
                oldConstraint=checked[spelled],
            )
        _check(spelled, text, known_ours, allow_unknown=allow_unknown)
        checked[spelled] = text
    if not any_retention:
        check_retentions(checked)
    return checked


def _check(key: str, text: str, ours: frozenset[str], *, allow_unknown: bool) -> None:
    found = PROPERTIES.get(key)
    if found is not None:
        if not found.settable and key not in ours:
            raise DeltaUnsupportedOperationError("DELTA_CANNOT_MODIFY_TABLE_PROPERTY", prop=key)
        found.read(text)
    # CLUSTER BY alone sets the clustering columns, which are domain metadata.
    elif key == "clusteringColumns":
        raise DeltaUnsupportedOperationError("DELTA_CANNOT_MODIFY_TABLE_PROPERTY", prop=key)
    elif _is_unknown(key) and not allow_unknown:
        raise DeltaAnalysisError(
            "DELTA_UNKNOWN_CONFIGURATION",
            config=key,
            like=like_it(key, PROPERTIES),
            disableCheckConfig=_ARBITRARY_SETTING,
        )


def _is_unknown(key: str) -> bool:
    lowered = key.lower()
    return lowered.startswith(DELTA_PREFIX) and not lowered.startswith(_FREE_PREFIXES)


def check_combinations(configuration: Mapping[str, str], table: str) -> None:
    """Refuse properties that exclude each other.

    Args:
        configuration: All properties of a table.
        table: Its name, for messages.

    Raises:
        DeltaUnsupportedOperationError: Deletion vectors and manifests, which cannot express them.
    """
    if DELETION_VECTORS.of(configuration) and SYMLINK_MANIFEST.of(configuration):
        raise DeltaUnsupportedOperationError(
            "DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED."
            "PERSISTENT_DELETION_VECTORS_WITH_INCREMENTAL_MANIFEST_GENERATION",
            table=table,
        )


def check_retentions(configuration: Mapping[str, str]) -> None:
    """Refuse a history that is deleted before the files that it names.

    Raises:
        DeltaIllegalArgumentError: One of the two periods is set and the log's is the shorter.
    """
    # The defaults fit together; a table that sets neither needs no look.
    if not {LOG_RETENTION.key, DELETED_FILE_RETENTION.key} & configuration.keys():
        return
    log, files = LOG_RETENTION.of(configuration), DELETED_FILE_RETENTION.of(configuration)
    if log < files:
        raise DeltaIllegalArgumentError(
            "DELTA_LOG_RETENTION_TOO_SHORT", logRetention=log, deletedFileRetention=files
        )
