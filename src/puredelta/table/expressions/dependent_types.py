"""Types that columns must not get, since expressions of the table depend on the present ones.

Generated columns have the type that their expression gives; an expression that reads a column would
give another one, or mean something else, if the column were retyped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from puredelta.errors import DeltaAnalysisError
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
from puredelta.table.expressions.generated_columns import generation_of
from puredelta.table.expressions.stored_expressions import (
    ColumnsOf,
    Path,
    condition_texts,
    generation_texts,
    naming,
)


def check_evolved(
    before: StructType,
    after: StructType,
    configuration: Mapping[str, str],
    columns_of: ColumnsOf,
) -> None:
    """Refuse a write that retypes a generated column, or a column that an expression names.

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
        parameters = {
            "columnName": quote_path(path),
            "columnType": simple_string(old).upper(),
            "dataType": simple_string(new).upper(),
        }
        generated = naming(generation_texts(before), path, before, columns_of)
        if generated:
            raise DeltaAnalysisError(
                "DELTA_GENERATED_COLUMNS_DATA_TYPE_MISMATCH",
                **parameters,
                generatedColumns=generated,
            )
        conditions = condition_texts(configuration, before)
        constraints = naming(conditions, path, before, columns_of)
        if constraints:
            raise DeltaAnalysisError(
                "DELTA_CONSTRAINT_DATA_TYPE_MISMATCH", **parameters, constraints=constraints
            )
    for path, old, new in _grown(before, after):
        generated = _generated_from_whole(path, before, columns_of)
        if generated:
            raise DeltaAnalysisError(
                "DELTA_GENERATED_COLUMNS_DATA_TYPE_MISMATCH",
                columnName=quote_path(path),
                columnType=simple_string(old).upper(),
                dataType=simple_string(new).upper(),
                generatedColumns=generated,
            )
    _check_generated_types(before, after)


def check_added(before: StructType, after: StructType, columns_of: ColumnsOf) -> None:
    """Refuse fields that would change the type of a generated column.

    Args:
        before: The table's schema.
        after: Its schema with the new columns and fields.
        columns_of: Reads expressions.

    Raises:
        DeltaAnalysisError: DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE,
            DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH.
    """
    _check_generated_types(before, after)
    for path, _, _ in _grown(before, after):
        generated = _generated_from_whole(path, before, columns_of)
        if generated:
            raise DeltaAnalysisError(
                "DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE",
                columnName=quote_path(path),
                generatedColumns=generated,
            )


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


def _check_generated_types(before: StructType, after: StructType) -> None:
    for field in before:
        now = after.field(field.name)
        if now is not None:
            check_generated_type(field, now.data_type)


def _generated_from_whole(path: Path, schema: StructType, columns_of: ColumnsOf) -> str:
    """Return the generated columns that may hold a struct whole, or what it lies in."""
    texts = {
        name: text
        for name, text in generation_texts(schema).items()
        # Only a generated column with a struct in it can contain another struct whole.
        if (found := schema.field(name)) and "struct<" in simple_string(found.data_type)
    }
    return naming(texts, path, schema, columns_of, whole=True)


def _grown(
    before: DataType, after: DataType, above: Path = ()
) -> Iterator[tuple[Path, DataType, DataType]]:
    """Yield each struct below the top that another schema has more fields of, with both types."""
    match before, after:
        case StructType(), StructType():
            if above and len(after) > len(before):
                yield above, before, after
            for field in before:
                now = after.field(field.name)
                if now is not None:
                    yield from _grown(field.data_type, now.data_type, (*above, field.name))
        case ArrayType(old), ArrayType(new):
            yield from _grown(old, new, above)
        case MapType(old_key, old_value), MapType(new_key, new_value):
            yield from _grown(old_key, new_key, above)
            yield from _grown(old_value, new_value, above)
