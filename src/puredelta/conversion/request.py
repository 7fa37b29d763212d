"""What a user asks of a conversion, and what the session says."""

from __future__ import annotations

from dataclasses import dataclass, field

from puredelta.conversion.bad_files import COLLECT, FAIL, SKIP
from puredelta.conversion.parquet_rules import ParquetRules
from puredelta.errors import DeltaIllegalArgumentError
from puredelta.schema.datatypes import TIMESTAMP, PrimitiveType, StructType
from puredelta.settings import CommitSettings
from puredelta.table.new_table import NewTableRules

ON_BAD_FILE = (FAIL, SKIP)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertRequest:
    """What the user asks.

    Attributes:
        partition_schema: the partition columns; None where nobody said.
        infer_partitions: where nobody said, are they inferred from the names of folders?
        collect_stats: make statistics?
        dry_run: look, and write nothing.
        on_bad_file: `fail` or `skip`: what becomes of the conversion when a file cannot become
            part of the table.
        delta_path: the folder of the Delta table; by default that of the files.

    Raises:
        DeltaIllegalArgumentError: PUREDELTA_CONVERT_ON_BAD_FILE.
    """

    partition_schema: StructType | None = None
    infer_partitions: bool = False
    collect_stats: bool = True
    dry_run: bool = False
    on_bad_file: str = FAIL
    delta_path: str | None = None

    def __post_init__(self) -> None:
        if self.on_bad_file not in ON_BAD_FILE:
            raise DeltaIllegalArgumentError(
                "PUREDELTA_CONVERT_ON_BAD_FILE", value=self.on_bad_file, choices=ON_BAD_FILE
            )

    @property
    def policy(self) -> str:
        """What is done with bad files: a dry run lists all of them."""
        return COLLECT if self.dry_run and self.on_bad_file == FAIL else self.on_bad_file


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionSettings:
    """What a session says, or what holds without one.

    Attributes:
        new_tables: about new tables, default properties among it.
        commit: about making versions.
        engine: the name of the engine that commits; by default this package alone.
        user_metadata: a text for history.
        collects_stats: do tables get statistics at all?
        catalog_schema: does the catalog's schema count, and not that of the files?
        ignore_cast_failure: is a partition value that is none of its type null?
        typed_partitions: are inferred partition columns more than text?
        timestamp_type: what an inferred partition column of points in time is.
        zone: where points in time in the names of folders were written.
        case_sensitive: do names differ that differ in case only?
        parquet: how types of Parquet are read.
        iceberg: may tables of Iceberg be converted?
        iceberg_evolution: also those whose files are partitioned in several ways?
        iceberg_native_partitions: nothing else can be had: their partition values come from
            Iceberg's metadata, which knows them, and not from paths.
        iceberg_transforms_left_out: also those that are partitioned by more than whole values of
            columns? The Delta table is then not partitioned by these.
        schema_batch: how many footers are read before they are put together.
    """

    new_tables: NewTableRules = field(default_factory=lambda: NewTableRules(defaults={}))
    commit: CommitSettings = field(default_factory=CommitSettings)
    engine: str | None = None
    user_metadata: str | None = None
    collects_stats: bool = True
    catalog_schema: bool = True
    ignore_cast_failure: bool = False
    typed_partitions: bool = True
    timestamp_type: PrimitiveType = TIMESTAMP
    zone: str = "UTC"
    case_sensitive: bool = False
    parquet: ParquetRules = field(default_factory=ParquetRules)
    iceberg: bool = True
    iceberg_evolution: bool = False
    iceberg_native_partitions: bool = True
    iceberg_transforms_left_out: bool = False
    schema_batch: int = 1_000_000
