"""How the files of a folder are read: what a request and the session say, put together."""

from __future__ import annotations

from dataclasses import dataclass, field

from puredelta.conversion.bad_files import FAIL, Problems
from puredelta.conversion.checks import check_partition_schema
from puredelta.conversion.footers import StoreFooters
from puredelta.conversion.parquet_rules import ParquetRules
from puredelta.conversion.request import ConversionSettings, ConvertRequest
from puredelta.conversion.source_table import ConvertTarget, Footers
from puredelta.schema.datatypes import TIMESTAMP, PrimitiveType, StructType
from puredelta.table.columns.schema_check import check_duplicates
from puredelta.table.new_table import usable_defaults
from puredelta.table.statistics.indexed_columns import Indexing, indexing_of

_NO_COLUMNS = StructType(())


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How the files of a folder are read.

    Attributes:
        url: The folder, for messages.
        footers: Reads the ends of files.
        opener: Opens files of which more than the end is read.
        problems: Takes what is wrong with files.
        partitions: The partition columns; None to infer them from the names of folders.
        schema: All columns, where the catalog's count and those of the files don't.
        collect_stats: Make statistics?
        indexing: Of which columns.
        rules: How types of Parquet are read.
        zone: Where points in time in the names of folders were written.
        case_sensitive: Do names differ that differ in case only?
        typed: Are inferred partition columns more than text?
        timestamp_type: What those of points in time are.
        ignore_cast_failure: Is a partition value that is none of its type null?
        batch: How many files are looked at before what is known of them is put together.
        is_dry_run: Is nothing written? Columns need not be read for their bounds then.
    """

    url: str
    footers: Footers
    opener: StoreFooters
    problems: Problems
    partitions: StructType | None = _NO_COLUMNS
    schema: StructType | None = None
    collect_stats: bool = True
    indexing: Indexing = field(default_factory=Indexing)
    rules: ParquetRules = field(default_factory=ParquetRules)
    zone: str = "UTC"
    case_sensitive: bool = False
    typed: bool = True
    timestamp_type: PrimitiveType = TIMESTAMP
    ignore_cast_failure: bool = False
    batch: int = 1_000_000
    is_dry_run: bool = False

    @property
    def needs_footers(self) -> bool:
        """Is there anything that only footers say?"""
        return self.collect_stats or self.schema is None or self.problems.policy != FAIL


def read_options_of(
    target: ConvertTarget,
    request: ConvertRequest,
    settings: ConversionSettings,
    *,
    problems: Problems,
    footers: Footers,
    opener: StoreFooters,
) -> ReadOptions:
    """Say how the files of a target are read.

    Args:
        target: what is converted.
        request: what the user asks.
        settings: what the session says.
        problems: takes what is wrong with files.
        footers: reads the ends of files.
        opener: opens files of which more than the end is read.

    Raises:
        DeltaAnalysisError: partition columns that are said twice, or are not those of the catalog.
    """
    given = target.properties
    properties = {**usable_defaults(settings.new_tables.defaults, given), **given}
    return ReadOptions(
        url=target.url,
        footers=footers,
        opener=opener,
        problems=problems,
        partitions=_partition_schema(target, request),
        schema=target.schema if settings.catalog_schema else None,
        collect_stats=request.collect_stats and settings.collects_stats,
        indexing=indexing_of(properties),
        rules=settings.parquet,
        zone=settings.zone,
        case_sensitive=settings.case_sensitive,
        typed=settings.typed_partitions,
        timestamp_type=settings.timestamp_type,
        ignore_cast_failure=settings.ignore_cast_failure,
        batch=settings.schema_batch,
        is_dry_run=request.dry_run,
    )


def _partition_schema(target: ConvertTarget, request: ConvertRequest) -> StructType | None:
    """Return the partition columns, None where they are to be inferred."""
    asked, known = request.partition_schema, target.partition_schema
    if asked is not None:
        check_duplicates(asked, "DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE")
    if asked is not None and known is not None:
        check_partition_schema(asked, known)
    if asked is None and known is None and request.infer_partitions:
        return None
    return known or asked or _NO_COLUMNS
