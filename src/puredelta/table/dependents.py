"""What of a table depends on a column: it follows when the column is renamed, or protects it.

The lists of partition columns and of columns with statistics follow. Clustering columns are stored
by physical name and need not follow. CHECK constraints, invariants and generation expressions are
SQL strings that are never rewritten: they protect the columns that they name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from puredelta.errors import DeltaAnalysisError
from puredelta.log.actions import DomainMetadata, Metadata
from puredelta.schema.column_path import lowered, quote_path
from puredelta.schema.datatypes import (
    DataType,
    StructType,
)
from puredelta.table.clustering import logical_columns
from puredelta.table.expressions.stored_expressions import (
    ColumnsOf,
    Path,
    condition_texts,
    generation_texts,
    is_at_or_below,
    naming,
)
from puredelta.table.protocol.properties import SKIPPING_COLUMNS
from puredelta.table.protocol.protocol import schema_of
from puredelta.table.statistics.indexed_columns import parse_column_list


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
            columnName=_shown(path, schema),
            constraints=constraints,
        )
    texts = generation_texts(schema)
    # A field of a generated struct is not named by any expression, and is computed all the same.
    generated = naming(texts, path, schema, columns_of) or _part_of(texts, path)
    if generated:
        raise DeltaAnalysisError(
            "DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE",
            columnName=_shown(path, schema),
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
    # Partition and clustering columns have errors of their own, so expressions come last.
    for path in gone:
        check_unused(path, metadata, columns_of)


def renamed(metadata: Metadata, path: Path, name: str) -> Metadata:
    """Return metadata in which partition columns and columns with statistics have the new name.

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
            lambda column: (
                # A listed field of a renamed struct keeps the rest of its path.
                (*new, *column[len(new) :]) if is_at_or_below(column, old) else column
            ),
        ),
    )


def dropped(metadata: Metadata, paths: Iterable[Path]) -> Metadata:
    """Return metadata in which dropped columns are not listed for statistics."""
    gone = [lowered(path) for path in paths]
    configuration = _with_statistics(
        metadata.configuration,
        lambda column: None if any(is_at_or_below(column, path) for path in gone) else column,
    )
    return msgspec.structs.replace(metadata, configuration=configuration)


def _part_of(texts: Mapping[str, str], path: Path) -> str:
    """Return the generated column that a field is a part of; '' where there is none."""
    if len(path) == 1:
        return ""
    found = (f"{name} -> {text}" for name, text in texts.items() if name.lower() == path[0].lower())
    return next(found, "")


def _refuse_drop(condition: str, kept: Sequence[Path], gone: Sequence[Path]) -> None:
    dropped_anyway = [
        column for column in kept if any(is_at_or_below(column, lowered(path)) for path in gone)
    ]
    if dropped_anyway:
        raise DeltaAnalysisError(condition, columnList=", ".join(map(quote_path, dropped_anyway)))


def _with_statistics(
    configuration: Mapping[str, str], follow: Callable[[Path], Path | None]
) -> dict[str, str]:
    """Return properties whose list of columns with statistics follows a change of columns."""
    text = SKIPPING_COLUMNS.of(configuration)
    if text is None:
        return dict(configuration)
    columns = parse_column_list(text)
    left = [after for column in columns if (after := follow(column)) is not None]
    if left == columns:
        # The user's own spelling of the list stays where no name in it changes.
        return dict(configuration)
    names = ",".join(map(quote_path, left))
    return {**configuration, SKIPPING_COLUMNS.key: names}


def _shown(path: Path, schema: StructType) -> str:
    """Return a path as the schema spells it, as far as structs lead."""
    spelled: list[str] = []
    inside: DataType = schema
    for part in path:
        field = inside.field(part) if isinstance(inside, StructType) else None
        spelled.append(part if field is None else field.name)
        inside = inside if field is None else field.data_type
    return quote_path(spelled)
