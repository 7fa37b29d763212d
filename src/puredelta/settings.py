"""Session settings: read once at the edge into a frozen value, passed down from there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

PREFIX = "spark.databricks.delta."
PROPERTY_DEFAULTS = PREFIX + "properties.defaults."

AUTO_MERGE = PREFIX + "schema.autoMerge.enabled"
USER_METADATA = PREFIX + "commitInfo.userMetadata"
ARBITRARY_PROPERTIES = PREFIX + "allowArbitraryProperties.enabled"
ENFORCE_RETENTION = PREFIX + "vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration"
OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode"

# Spark drops a setting that nobody has set; these are the values that count then.
DEFAULTS: Mapping[str, str] = {
    AUTO_MERGE: "false",
    USER_METADATA: "",
    ARBITRARY_PROPERTIES: "false",
    ENFORCE_RETENTION: "true",
    OVERWRITE_MODE: "STATIC",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the session says about Delta.

    Attributes:
        auto_merge: add new columns on every write.
        user_metadata: a text for each commit; None for none.
        arbitrary_properties: let unknown `delta.*` table properties pass.
        enforce_retention: refuse versions older than the retention of deleted files.
        dynamic_overwrite: overwrite replaces only the partitions that get rows.
    """

    auto_merge: bool = False
    user_metadata: str | None = None
    arbitrary_properties: bool = False
    enforce_retention: bool = True
    dynamic_overwrite: bool = False


def read_settings(get: Callable[[str, str], str]) -> Settings:
    """Resolve the settings of a session.

    Args:
        get: a setting's value, given its key and default.
    """

    def is_true(key: str) -> bool:
        return get(key, DEFAULTS[key]).lower() == "true"

    return Settings(
        auto_merge=is_true(AUTO_MERGE),
        user_metadata=get(USER_METADATA, DEFAULTS[USER_METADATA]) or None,
        arbitrary_properties=is_true(ARBITRARY_PROPERTIES),
        enforce_retention=is_true(ENFORCE_RETENTION),
        dynamic_overwrite=get(OVERWRITE_MODE, DEFAULTS[OVERWRITE_MODE]).upper() == "DYNAMIC",
    )
