"""What OPTIMIZE refuses before it looks at any file, in the order in which delta-spark does."""

from collections.abc import Sequence

from puredelta._util.similar_names import like_it
from puredelta.commands.rows.target import WriteTarget
from puredelta.errors.classes import (
    DeltaAnalysisError,
    DeltaIllegalArgumentError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.snapshot import Snapshot
from puredelta.schema.column_path import lowered, parse_path, quote_path
from puredelta.schema.datatypes import VARIANT, DataType, MapType, StructType, simple_string
from puredelta.schema.walk import types_in
from puredelta.settings import SETTINGS
from puredelta.table.clustering import FEATURE, clustering_columns
from puredelta.table.protocol.protocol import features_of
from puredelta.table.statistics.indexed_columns import indexed_leaves, indexing_of


def check_arguments(
    target: WriteTarget, conditions: Sequence[str], z_order: Sequence[str], *, is_full: bool
) -> None:
    """Refuse what does not go together with clustering, or with a table without it.

    A table that was clustered once keeps the feature, and what it excludes.

    Raises:
        DeltaUnsupportedOperationError: DELTA_CLUSTERING_WITH_PARTITION_PREDICATE,
            DELTA_OPTIMIZE_FULL_NOT_SUPPORTED.
        DeltaAnalysisError: DELTA_CLUSTERING_WITH_ZORDER_BY.
    """
    before = target.before
    has_feature = FEATURE in features_of(before.protocol)
    if has_feature and conditions:
        raise DeltaUnsupportedOperationError(
            "DELTA_CLUSTERING_WITH_PARTITION_PREDICATE", predicates=" AND ".join(conditions)
        )
    if has_feature and z_order:
        raise DeltaAnalysisError("DELTA_CLUSTERING_WITH_ZORDER_BY", zOrderBy=", ".join(z_order))
    if is_full and not clustering_columns(before.domains.values()):
        raise DeltaUnsupportedOperationError("DELTA_OPTIMIZE_FULL_NOT_SUPPORTED")


def check_z_order(target: WriteTarget, z_order: Sequence[str]) -> None:
    """Refuse columns that do not order the rows of a file, or that no reader can skip files by.

    Raises:
        DeltaIllegalArgumentError: DELTA_ZORDERING_ON_PARTITION_COLUMN,
            DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST, and for a name that cannot be read.
        DeltaAnalysisError: DELTA_OPERATION_NOT_SUPPORTED_FOR_DATATYPES,
            DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS.
    """
    before = target.before
    partitioning = {name.lower() for name in before.partition_columns}
    paths = [parse_path(text) for text in z_order]
    for path in paths:
        if len(path) == 1 and path[0].lower() in partitioning:
            raise DeltaIllegalArgumentError(
                "DELTA_ZORDERING_ON_PARTITION_COLUMN", colName=quote_path(path)
            )
        kind = _type_of(before.schema, path)
        if kind is None:
            raise DeltaIllegalArgumentError(
                "DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST",
                columnName=quote_path(path),
                like=like_it(quote_path(path), (field.name for field in before.schema)),
            )
        # delta-spark fails when it sorts the values, in the middle of the statement.
        if any(isinstance(part, MapType) or part == VARIANT for part in types_in(kind)):
            raise DeltaAnalysisError(
                "DELTA_OPERATION_NOT_SUPPORTED_FOR_DATATYPES",
                operation="ZORDER BY",
                dataTypeList=simple_string(kind),
            )
    if not target.context.settings.optimize.z_order_stats_check:
        return
    without = [path for path in paths if not _has_stats(before, path)]
    if without:
        raise DeltaAnalysisError(
            "DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS",
            cols=list(map(quote_path, without)),
            zorderColStatKey=SETTINGS["z_order_stats_check"].key,
        )


def _type_of(schema: DataType, path: Sequence[str]) -> DataType | None:
    for name in path:
        field = schema.field(name) if isinstance(schema, StructType) else None
        if field is None:
            return None
        schema = field.data_type
    return schema


def _has_stats(before: Snapshot, path: Sequence[str]) -> bool:
    partitioning = {name.lower() for name in before.partition_columns}
    in_files = StructType(tuple(f for f in before.schema if f.name.lower() not in partitioning))
    leaves = indexed_leaves(in_files, indexing_of(before.configuration))
    wanted = lowered(path)
    return any(lowered(leaf.path)[: len(wanted)] == wanted for leaf in leaves)
