"""A table of the session catalog to be converted: what its entry says, and what it comes to say."""

from collections.abc import Iterator, Mapping

from pyspark.sql import SparkSession

from puredelta.conversion.listing import data_files, is_hidden
from puredelta.conversion.partition_paths import PartitionPaths
from puredelta.conversion.source_file import SourceFile
from puredelta.conversion.targets import PARQUET, ConvertTarget
from puredelta.engine.session_catalog import (
    SESSION_CATALOG,
    CatalogEntry,
    CatalogPartition,
    partitions_of,
)
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.codec import schema_from_json
from puredelta.schema.column_path import quoted
from puredelta.schema.datatypes import StructType
from puredelta.settings import PREFIX
from puredelta.storage.location import escape_partition_name, table_url
from puredelta.storage.schemes import open_store
from puredelta.storage.store import Store
