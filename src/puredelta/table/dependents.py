"""What of a table depends on a column: it follows when the column is renamed, or protects it.

Followed are the partition columns and the columns that get statistics; clustering columns are kept
by their physical names, and need not follow. CHECK constraints, invariants and generation
expressions are texts in SQL, which nobody rewrites: they protect the columns that they name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from puredelta.errors import DeltaAnalysisError
from puredelta.log.actions import DomainMetadata, Metadata
from puredelta.schema.changes import alike
from puredelta.schema.column_path import quote_name, quote_path
from puredelta.schema.datatypes import (
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    simple_string,
)
from puredelta.table.clustering import logical_columns
from puredelta.table.generated_columns import generation_of
from puredelta.table.indexing import parse_column_list
from puredelta.table.kept_expressions import (
    ColumnsOf,
    Path,
    condition_texts,
    generation_texts,
    is_at_or_below,
    lowered,
    naming,
)
from puredelta.table.properties import SKIPPING_COLUMNS
from puredelta.table.protocol import schema_of


def check_unused(path: Path, metadata: Metadata, columns_of: ColumnsOf) -> None:
    """Refuse to rename, drop or retype a column that an expression of the table names.

    What lies above and below a column counts as the column.

    Args:
        path: The column, in any case of letters.
        metadata: The table's, before the change.
        columns_of: Reads expressions.

    Raises:
        DeltaAnalysisError: DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE,
            DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE.
    """
    schema = schema_of(metadata)
    conditions = condition_texts(metadata.configuration, schema)
    constraints = naming(conditions, path, schema, columns_of)
    if constraints:
        raise DeltaAnalysisError(
            "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
            columnName=_told(path, schema),
            constraints=constraints,
        )
    generated = naming(generation_texts(schema), path, schema, columns_of)
    if generated:
        raise DeltaAnalysisError(
            "DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE",
            columnName=_told(path, schema),
            generatedColumns=generated,
        )


def check_droppable(
    paths: Iterable[Path],
    metadata: Metadata,
    domains: Iterable[DomainMetadata],
    columns_of: ColumnsOf,
) -> None:
    """Refuse to drop columns that something of the table depends on.

    Args:
        paths: The columns, in any case of letters.
        metadata: The table's, before the change.
        domains: The table's, one of which names the clustering columns.
        columns_of: Reads expressions.

    Raises:
        DeltaAnalysisError: DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN,
            DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN, and what `check_unused` raises.
    """
    gone = list(paths)
    partitioning = [(name,) for name in metadata.partition_columns]
    _refuse_drop("DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN", partitioning, gone)
    clustering = logical_columns(domains, schema_of(metadata))
    _refuse_drop("DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN", clustering, gone)
    for path in gone:
        check_unused(path, metadata, columns_of)


def renamed(metadata: Metadata, path: Path, name: str) -> Metadata:
    """Let what follows a column follow it to its new name.

    Args:
        metadata: The table's; its schema may be the old one or the new one.
        path: The column, with its old name last.
        name: Its new name.
    """
    old, new = lowered(path), (*path[:-1], name)
    partitioning = [
        name if (column.lower(),) == old else column for column in metadata.partition_columns
    ]
    return msgspec.structs.replace(
        metadata,
        partition_columns=partitioning,
        configuration=_with_statistics(
            metadata.configuration,
            lambda one: (*new, *one[len(new) :]) if is_at_or_below(one, old) else one,
        ),
    )


def dropped(metadata: Metadata, paths: Iterable[Path]) -> Metadata:
    """Take columns that are dropped from those that get statistics."""
    gone = [lowered(path) for path in paths]
    configuration = _with_statistics(
        metadata.configuration,
        lambda one: None if any(is_at_or_below(one, path) for path in gone) else one,
    )
    return msgspec.structs.replace(metadata, configuration=configuration)


def check_evolved(
    before: StructType,
    after: StructType,
    configuration: Mapping[str, str],
    columns_of: ColumnsOf,
) -> None:
    """Refuse that a write retypes a generated column, or one which an expression names.

    Args:
        before: The table's schema.
        after: Its schema after the write, which may have more columns.
        configuration: The table's properties.
        columns_of: Reads expressions.

    Raises:
        DeltaAnalysisError: DELTA_GENERATED_COLUMNS_DATA_TYPE_MISMATCH,
            DELTA_CONSTRAINT_DATA_TYPE_MISMATCH, DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH.
    """
    for path, old, new in retyped(before, after):
        told = {
            "columnName": quote_path(path),
            "columnType": simple_string(old).upper(),
            "dataType": simple_string(new).upper(),
        }
        generated = naming(generation_texts(before), path, before, columns_of)
        if generated:
            raise DeltaAnalysisError(
                "DELTA_GENERATED_COLUMNS_DATA_TYPE_MISMATCH", **told, generatedColumns=generated
            )
        conditions = condition_texts(configuration, before)
        constraints = naming(conditions, path, before, columns_of)
        if constraints:
            raise DeltaAnalysisError(
                "DELTA_CONSTRAINT_DATA_TYPE_MISMATCH", **told, constraints=constraints
            )
    for field in before:
        now = after.field(field.name)
        if now is not None:
            check_generated_type(field, now.data_type)


def check_generated_type(before: StructField, after: DataType) -> None:
    """Refuse another type for a generated column than what its expression gives.

    Args:
        before: The column.
        after: The type that it is to have.

    Raises:
        DeltaAnalysisError: DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH.
    """
    generation = generation_of(before.metadata)
    if generation is not None and not alike(before.data_type, after):
        raise DeltaAnalysisError(
            "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH",
            columnName=quote_name(before.name),
            columnType=simple_string(after).upper(),
            expressionType=simple_string(before.data_type).upper(),
            generation=generation,
        )


def retyped(
    before: DataType, after: DataType, above: Path = ()
) -> Iterable[tuple[Path, DataType, DataType]]:
    """Yield each column whose type another schema changes, by its path, with both types."""
    match before, after:
        case StructType(), StructType():
            for field in before:
                now = after.field(field.name)
                if now is not None:
                    yield from retyped(field.data_type, now.data_type, (*above, field.name))
        case ArrayType(old), ArrayType(new):
            yield from retyped(old, new, (*above, "element"))
        case MapType(old_key, old_value), MapType(new_key, new_value):
            yield from retyped(old_key, new_key, (*above, "key"))
            yield from retyped(old_value, new_value, (*above, "value"))
        case _ if before != after:
            yield above, before, after


def _refuse_drop(condition: str, kept: Sequence[Path], gone: Sequence[Path]) -> None:
    there = [one for one in kept if any(is_at_or_below(one, lowered(path)) for path in gone)]
    if there:
        raise DeltaAnalysisError(condition, columnList=", ".join(map(quote_path, there)))


def _with_statistics(
    configuration: Mapping[str, str], follow: Callable[[Path], Path | None]
) -> dict[str, str]:
    """Return properties in which the columns that get statistics are others, or fewer."""
    text = SKIPPING_COLUMNS.of(configuration)
    if text is None:
        return dict(configuration)
    columns = parse_column_list(text)
    left = [after for one in columns if (after := follow(one)) is not None]
    if left == columns:
        return dict(configuration)
    told = ",".join(map(quote_path, left))
    return {**configuration, SKIPPING_COLUMNS.key: told}


def _told(path: Path, schema: StructType) -> str:
    """Return a path as the schema spells it, as far as structs lead."""
    spelled: list[str] = []
    inside: DataType = schema
    for part in path:
        field = inside.field(part) if isinstance(inside, StructType) else None
        spelled.append(part if field is None else field.name)
        inside = inside if field is None else field.data_type
    return quote_path(spelled)
