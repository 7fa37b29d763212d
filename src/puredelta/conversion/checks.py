"""What cannot be converted: other formats, wrong partition columns, tables that need a mapping."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from puredelta.conversion.bad_files import Problems
from puredelta.conversion.source_table import (
    DELTA,
    ICEBERG,
    PARQUET,
    ConvertTarget,
)
from puredelta.errors import (
    DeltaAnalysisError,
    DeltaColumnMappingUnsupportedError,
    DeltaError,
    DeltaFileNotFoundError,
    DeltaIllegalArgumentError,
    DeltaIllegalStateError,
    DeltaRuntimeError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.table_log import open_log
from puredelta.schema.column_path import quoted
from puredelta.schema.datatypes import StructType, simple_string
from puredelta.setting import PREFIX
from puredelta.settings import PROPERTY_DEFAULTS
from puredelta.storage.location import local_path
from puredelta.table.columns.column_mapping import MODE_KEY, MappingMode
from puredelta.table.new_table import NewTableRules, usable_defaults
from puredelta.table.protocol.features import FEATURE_PREFIX
from puredelta.table.protocol.properties import validate
from puredelta.table.protocol.row_tracking import ENABLED, FEATURE

_ROW_TRACKING = FEATURE_PREFIX + FEATURE


def check_provider(target: ConvertTarget) -> None:
    """Refuse other formats.

    Raises:
        DeltaAnalysisError: DELTA_CONVERT_NON_PARQUET_TABLE.
    """
    if target.provider not in (PARQUET, DELTA, ICEBERG):
        raise DeltaAnalysisError(
            "DELTA_CONVERT_NON_PARQUET_TABLE", sourceName=target.provider, tableId=target.label
        )


def check_partition_schema(asked: StructType, known: StructType) -> None:
    """Refuse partition columns that are not those of the catalog.

    Raises:
        DeltaAnalysisError: DELTA_UNEXPECTED_PARTITION_SCHEMA_FROM_USER.
    """
    if _comparable(asked) != _comparable(known):
        raise DeltaAnalysisError(
            "DELTA_UNEXPECTED_PARTITION_SCHEMA_FROM_USER",
            catalogPartitionSchema=_listed(known),
            userPartitionSchema=_listed(asked),
        )


def check_iceberg_partitions(target: ConvertTarget, asked: StructType | None) -> None:
    """Refuse partition columns for a table that knows its own.

    Raises:
        DeltaIllegalArgumentError: DELTA_PARTITION_SCHEMA_IN_ICEBERG_TABLES.
    """
    if target.provider == ICEBERG and asked is not None:
        raise DeltaIllegalArgumentError("DELTA_PARTITION_SCHEMA_IN_ICEBERG_TABLES")


def check_delta_path(target: ConvertTarget, url: str) -> None:
    """Refuse a Delta table in another folder than its files, where something else must stay there.

    Args:
        target: what is converted.
        url: the folder of the Delta table.

    Raises:
        DeltaUnsupportedOperationError: PUREDELTA_CONVERT_DELTA_PATH.
    """
    if url == target.url:
        return
    reason = None
    if target.catalog_table is not None:
        reason = "it is a table of the catalog, whose entry names one folder"
    elif target.provider != PARQUET:
        reason = f"it is a table of {target.provider}"
    elif open_log(target.url, target.options).exists():
        reason = "it is a Delta table, whose files are not all rows of it"
    if reason is not None:
        raise DeltaUnsupportedOperationError(
            "PUREDELTA_CONVERT_DELTA_PATH", table=target.label, path=url, reason=reason
        )


def check_properties(
    rules: NewTableRules, given: Mapping[str, str], required: MappingMode, *, collects_stats: bool
) -> None:
    """Refuse properties that no table may have, or no converted one, whatever its columns are.

    Args:
        rules: what the session says of new tables, default properties among it.
        given: those of the table itself.
        required: the mapping of columns that the files need.
        collects_stats: are statistics made?

    Raises:
        DeltaError: a property that is not right, and what `check_column_mapping` and
            `check_row_tracking` raise.
    """
    asked = {**usable_defaults(rules.defaults, given), **given}
    check_column_mapping(required, asked.get(MODE_KEY))
    check_row_tracking(asked, collects_stats=collects_stats)
    validate(asked, allow_unknown=rules.arbitrary_properties, any_retention=rules.any_retention)


def check_column_mapping(required: MappingMode, mode: str | None) -> None:
    """Refuse a mapping of columns other than the one by which the files can be read.

    Args:
        required: the mapping that the files need.
        mode: the mapping that the table would have.

    Raises:
        DeltaColumnMappingUnsupportedError: DELTA_CONVERSION_UNSUPPORTED_COLUMN_MAPPING.
    """
    wanted = (mode or MappingMode.NONE.value).strip().lower()
    if wanted != required.value:
        raise DeltaColumnMappingUnsupportedError(
            "DELTA_CONVERSION_UNSUPPORTED_COLUMN_MAPPING",
            config=PROPERTY_DEFAULTS + MODE_KEY.removeprefix("delta."),
            mode=wanted,
            required=required.value,
        )


def check_row_tracking(properties: Mapping[str, str], *, collects_stats: bool) -> None:
    """Refuse to number rows that nobody counts.

    Raises:
        DeltaIllegalStateError: DELTA_CONVERT_TO_DELTA_ROW_TRACKING_WITHOUT_STATS.
    """
    if collects_stats:
        return
    lowered = {key.lower(): value.strip().lower() for key, value in properties.items()}
    if lowered.get(ENABLED.lower()) == "true" or _ROW_TRACKING.lower() in lowered:
        raise DeltaIllegalStateError(
            "DELTA_CONVERT_TO_DELTA_ROW_TRACKING_WITHOUT_STATS",
            statisticsCollectionPropertyKey=PREFIX + "stats.collect",
            rowTrackingTableFeatureDefaultKey=PROPERTY_DEFAULTS + f"feature.{FEATURE}",
            rowTrackingDefaultPropertyKey=PROPERTY_DEFAULTS + ENABLED.removeprefix("delta."),
        )


def no_folder(target: ConvertTarget) -> DeltaError:
    """Return the error for a place that is no folder: a file, or nothing."""
    path = local_path(target.url)
    if path is not None and Path(path).is_file():
        return DeltaRuntimeError("DELTA_CANNOT_CREATE_LOG_PATH", path=target.url)
    return DeltaFileNotFoundError("DELTA_FILE_NOT_FOUND", path=target.url)


def no_file(target: ConvertTarget, problems: Problems) -> DeltaError:
    """Return the error for a folder without a file that can become part of the table."""
    if not problems.count:
        return DeltaFileNotFoundError("DELTA_EMPTY_DIRECTORY", directory=target.url)
    first = problems.files[0]
    return DeltaFileNotFoundError(
        "DELTA_EMPTY_DIRECTORY.ALL_LEFT_OUT",
        directory=target.url,
        count=problems.count,
        path=first.path,
        reason=first.reason,
    )


def _comparable(schema: StructType) -> str:
    return _listed(schema).lower()


def _listed(schema: StructType) -> str:
    """Return columns as a statement lists them; nothing where there are none."""
    return ", ".join(
        f"{quoted(column.name)} {simple_string(column.data_type)}"
        f"{'' if column.nullable else ' NOT NULL'}"
        for column in schema
    )
