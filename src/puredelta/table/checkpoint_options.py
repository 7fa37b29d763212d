"""What the checkpoints of a table look like: what its properties ask for, in its own types.

Protocol: Checkpoint Schema; V2 Spec.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.errors import DeltaRuntimeError, DeltaUnsupportedOperationError
from puredelta.log.actions import Metadata, Protocol
from puredelta.log.file_stats import Path, stats_type
from puredelta.log.files import map_value
from puredelta.log.summaries.checkpoint_options import ROWS_PER_FILE, CheckpointForm
from puredelta.schema.arrow import type_to_arrow
from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    STRING,
    TIMESTAMP,
    VARIANT,
    VOID,
    DataType,
    DecimalType,
    PrimitiveType,
    StructType,
    UnknownType,
)
from puredelta.table.columns.column_mapping import (
    MappingMode,
    mapping_mode,
    physical_names,
    physical_paths,
)
from puredelta.table.partition_values import typed_column
from puredelta.table.protocol.properties import (
    CHECKPOINT_POLICY,
    CHECKPOINT_STATS_AS_JSON,
    CHECKPOINT_STATS_AS_STRUCT,
)
from puredelta.table.protocol.protocol import features_of, schema_of
from puredelta.table.statistics.indexed_columns import indexed_leaves, indexing_of

# Protocol, Per-file Statistics: these types have null counts and no minimum or maximum.
_WITHOUT_BOUNDS = (BINARY, BOOLEAN, VARIANT)

# A zone, in whatever form, at the end of a point in time.
_ZONE = r"(Z|UTC|GMT|[+-]\d{1,2}(:?\d{2}){0,2})\s*$"


def checkpoint_form(
    protocol: Protocol,
    metadata: Metadata,
    *,
    top_level_format: str = "json",
    rows_per_file: int = ROWS_PER_FILE,
) -> CheckpointForm:
    """Return what the checkpoints of a table look like.

    Args:
        protocol: Of the version that gets one.
        metadata: The same.
        top_level_format: `json` or `parquet`, for the top-level file of a V2 checkpoint.
        rows_per_file: How many file actions lie together.
    """
    configuration = metadata.configuration
    as_struct = CHECKPOINT_STATS_AS_STRUCT.of(configuration)
    features = features_of(protocol)
    schema = schema_of(metadata)
    mode = mapping_mode(configuration)
    # `partitionValues_parsed` belongs to the same property as `stats_parsed`.
    partitions = [name for name in metadata.partition_columns if as_struct]
    return CheckpointForm(
        # A policy without the feature is not enough: a reader that does not know V2 would have no
        # reason to refuse the table.
        is_v2=CHECKPOINT_POLICY.of(configuration) == "v2" and "v2Checkpoint" in features,
        top_level_format=top_level_format,
        stats_as_json=CHECKPOINT_STATS_AS_JSON.of(configuration),
        stats=_stats(metadata, schema, mode, tight_bounds="deletionVectors" in features)
        if as_struct
        else None,
        partitions=_Partitions(schema, partitions, mode) if partitions else None,
        rows_per_file=rows_per_file,
    )


class _Partitions:
    """Makes typed columns of partition values."""

    def __init__(self, schema: StructType, names: list[str], mode: MappingMode) -> None:
        fields = [schema.field(name) for name in names]
        types = [STRING if field is None else field.data_type for field in fields]
        self._columns = dict(zip(physical_names(schema, names, mode), types, strict=True))

    def __call__(self, files: pa.Table) -> pa.Table | None:
        """Read the values of some files.

        Returns:
            None when a value cannot be read, or is a timestamp without a time zone. A wrong value
            would make readers skip files; without typed values they read the strings.
        """
        maps = files["partition_values"]
        try:
            columns = {
                name: _typed(map_value(maps, name), kind) for name, kind in self._columns.items()
            }
        except (DeltaRuntimeError, DeltaUnsupportedOperationError):
            return None
        known = {name: column for name, column in columns.items() if column is not None}
        return pa.table(known) if len(known) == len(columns) else None


def _typed(texts: pa.Array, kind: DataType) -> pa.Array | None:
    # An older writer's timestamp is the wall clock of a session that the log does not record.
    if kind == TIMESTAMP:
        distinct = texts.unique().drop_null().to_pylist()
        zoned = pc.match_substring_regex(pa.array(distinct, pa.string()), _ZONE)
        if not pc.all(zoned).as_py():
            return None
    return typed_column(texts, kind)


def _stats(
    metadata: Metadata, schema: StructType, mode: MappingMode, *, tight_bounds: bool
) -> pa.StructType:
    partitioning = {name.lower() for name in metadata.partition_columns}
    # Partition columns have no statistics, and they do not count towards the indexed columns.
    data = StructType(tuple(f for f in schema if f.name.lower() not in partitioning))
    physical = dict(physical_paths(schema, mode))
    counts: dict[Path, pa.DataType] = {}
    bounds: dict[Path, pa.DataType] = {}
    for leaf in indexed_leaves(data, indexing_of(metadata.configuration)):
        # No file contains a void column, and an unknown type has no form in Arrow.
        if leaf.data_type == VOID or isinstance(leaf.data_type, UnknownType):
            continue
        path = physical[leaf.path]
        counts[path] = pa.int64()
        if _has_bounds(leaf.data_type):
            bounds[path] = type_to_arrow(leaf.data_type)
    return stats_type(bounds, counts, tight_bounds=tight_bounds)


def _has_bounds(kind: DataType) -> bool:
    return isinstance(kind, DecimalType) or (
        isinstance(kind, PrimitiveType) and kind not in _WITHOUT_BOUNDS
    )
