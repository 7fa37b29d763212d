"""A table's schema after a MERGE WITH SCHEMA EVOLUTION: what it adds from the source."""

from collections.abc import Iterable

from puredelta.schema.changes import Path
from puredelta.schema.datatypes import (
    STRING,
    VOID,
    ArrayType,
    MapType,
    StructField,
    StructType,
)
from puredelta.table.evolution.matching_rules import MatchingRules
from puredelta.table.evolution.merge_errors import cannot_merge
from puredelta.table.evolution.schema_merging import SchemaMerge


def evolve_schema(
    target: StructType, source: StructType, paths: Iterable[Path | None], rules: MatchingRules
) -> StructType:
    """Return the target's columns after a MERGE that may add to them.

    Args:
        target: the target's columns.
        source: the source's.
        paths: which of them clauses assign, in order; None stands for all of the source. A path
            that the source does not have adds nothing.
        rules: how types are merged.

    Raises:
        DeltaAnalysisError: DELTA_FAILED_TO_MERGE_FIELDS, DELTA_DUPLICATE_COLUMNS_FOUND.
    """
    schema = target
    for path in paths:
        additions = source if path is None else _select(path, source)
        schema = _merge(schema, additions, rules)
    return schema


def _select(path: Path, source: StructType) -> StructType:
    """Return the part of a source on a path and nothing beside it; an empty struct for none."""
    name, *rest = path
    field = source.field(name)
    if field is None:
        return StructType()
    if not rest:
        return StructType((field,))
    if not isinstance(field.data_type, StructType):
        return StructType()
    inner = _select(tuple(rest), field.data_type)
    return StructType((StructField(field.name, inner, field.nullable),)) if inner else StructType()


def _merge(target: StructType, source: StructType, rules: MatchingRules) -> StructType:
    merge = SchemaMerge(rules)
    places = {field.name.lower(): position for position, field in enumerate(target)}
    fields, new = list(target), []
    for field in source:
        position = places.get(field.name.lower())
        if position is None:
            new.append(field)
        else:
            # MERGE casts leaves to the table's type; between kinds there is no cast.
            _refuse_other_kind(fields[position], field)
            name = target.fields[position].name
            fields[position] = merge.merge_field(fields[position], field, (name,))
    added = merge.add_fields(new, target.names, ())
    merge.finish()
    return StructType((*fields, *added))


def _refuse_other_kind(kept: StructField, given: StructField) -> None:
    """Refuse what no cast makes of the other: an array, map or struct for what is none."""
    kinds = (ArrayType, MapType, StructType)
    old, new = kept.data_type, given.data_type
    same = any(isinstance(old, kind) and isinstance(new, kind) for kind in kinds)
    # A string takes any nested value by a cast, and a void column takes any type.
    if same or not isinstance(new, kinds) or old in (VOID, STRING):
        return
    raise cannot_merge(old, new, kept.name, given.name)
