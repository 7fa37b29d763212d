"""What a session says of a conversion."""

from pyspark.sql import SparkSession

from puredelta.commands.create.new_table import rules_of
from puredelta.conversion.parquet_rules import ParquetRules
from puredelta.conversion.request import ConversionSettings
from puredelta.engine.session.context import Context
from puredelta.engine.session.sessions import setting, time_zone
from puredelta.schema.datatypes import TIMESTAMP, TIMESTAMP_NTZ, PrimitiveType

_PARQUET = "spark.sql.parquet."
_CASE_SENSITIVE = "spark.sql.caseSensitive"
_TYPED = "spark.sql.sources.partitionColumnTypeInference.enabled"


def conversion_settings(context: Context, *, collects_stats: bool) -> ConversionSettings:
    """Read what a session says of a conversion.

    Args:
        context: the session.
        collects_stats: does the user ask for statistics? They need the footers, too.
    """
    settings, convert = context.settings, context.settings.convert
    batch = min(convert.schema_batch, convert.stats_batch if collects_stats else 1 << 31)
    return ConversionSettings(
        new_tables=rules_of(context),
        commit=settings.commit,
        engine=context.engine,
        user_metadata=settings.user_metadata,
        collects_stats=settings.collect_stats,
        catalog_schema=convert.catalog_schema,
        ignore_cast_failure=convert.ignore_cast_failure,
        typed_partitions=_is_on(context, _TYPED, "true"),
        timestamp_type=timestamp_type(context.session),
        zone=time_zone(context.session),
        case_sensitive=_is_on(context, _CASE_SENSITIVE, "false"),
        parquet=_parquet_rules(context),
        schema_batch=batch,
        iceberg=convert.iceberg,
        iceberg_evolution=convert.iceberg_evolution,
        iceberg_native_partitions=convert.iceberg_native_partitions,
        iceberg_transforms_left_out=convert.iceberg_transforms_left_out,
    )


def timestamp_type(session: SparkSession) -> PrimitiveType:
    """Return what a session means by TIMESTAMP."""
    kind = setting(session, "spark.sql.timestampType", "TIMESTAMP_LTZ") or ""
    return TIMESTAMP_NTZ if kind.strip().upper() == "TIMESTAMP_NTZ" else TIMESTAMP


def _parquet_rules(context: Context) -> ParquetRules:
    return ParquetRules(
        binary_as_string=_is_on(context, _PARQUET + "binaryAsString", "false"),
        int96_as_timestamp=_is_on(context, _PARQUET + "int96AsTimestamp", "true"),
        infer_timestamp_ntz=_is_on(context, _PARQUET + "inferTimestampNTZ.enabled", "true"),
        nanos_as_long=_is_on(context, "spark.sql.legacy.parquet.nanosAsLong", "false"),
    )


def _is_on(context: Context, key: str, default: str) -> bool:
    return (setting(context.session, key, default) or default).strip().lower() == "true"
