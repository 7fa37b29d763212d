"""The target's schema after a MERGE WITH SCHEMA EVOLUTION: what it takes up of the source's."""

from collections.abc import Iterable, Iterator

from pyspark.sql.types import (
    ArrayType,
    MapType,
    NullType,
    StringType,
    StructField,
    StructType,
)

from puredelta.commands.dml.column_paths import Path, new_path, target_path
from puredelta.commands.merge.clauses import Clauses, Delete
from puredelta.commands.rows.matching_rules import Rules
from puredelta.commands.rows.schema_merging import Merging
from puredelta.errors.classes import DeltaAnalysisError


def evolved_schema(
    clauses: Clauses, target: StructType, source: StructType, alias: Path, rules: Rules
) -> StructType:
    """Return the target's columns after a MERGE that may add to them.

    It takes up what clauses assign: with `*` all columns of the source, else those of its columns
    that a clause assigns to by their names. WHEN NOT MATCHED BY SOURCE sees no source, so it takes
    up nothing.

    Args:
        clauses: the clauses.
        target: the target's columns.
        source: the source's.
        alias: what the target is called.
        rules: how types are merged.

    Raises:
        DeltaAnalysisError: DELTA_FAILED_TO_MERGE_FIELDS, DELTA_DUPLICATE_COLUMNS_FOUND.
    """
    schema = target
    for wanted in _taken_up(clauses, target, source, alias):
        schema = _merged(schema, wanted, rules)
    return schema


def _taken_up(
    clauses: Clauses, target: StructType, source: StructType, alias: Path
) -> Iterator[StructType]:
    for clause in (*clauses.matched, *clauses.not_matched):
        if isinstance(clause, Delete):
            continue
        if clause.assignments is None:
            yield source
            continue
        for assignment in clause.assignments:
            path = target_path(assignment.path, alias, target) or new_path(assignment.path, alias)
            found = _along(path, source)
            if found is not None:
                yield StructType([found])


def _along(path: Path, source: StructType) -> StructField | None:
    """Return what a source has on a path, with nothing beside it; None where it has nothing."""
    name, *rest = path
    field = _named(name, source)
    if field is None or not rest:
        return field
    if not isinstance(field.dataType, StructType):
        return None
    inner = _along(tuple(rest), field.dataType)
    if inner is None:
        return None
    return StructField(field.name, StructType([inner]), field.nullable)


def _merged(target: StructType, source: StructType, rules: Rules) -> StructType:
    merging = Merging(rules)
    known = {field.name.lower(): place for place, field in enumerate(target)}
    fields, new = list(target), []
    for field in source:
        place = known.get(field.name.lower())
        if place is None:
            new.append(field)
        else:
            _refuse_other_kind(fields[place], field)
            fields[place] = merging.field(fields[place], field, target[place].name)
    grown = merging.grown(new, target.names, "")
    merging.finish()
    return StructType([*fields, *grown])


def _refuse_other_kind(kept: StructField, given: StructField) -> None:
    """Refuse what no cast makes of the other: an array, map or struct for what is none."""
    kinds = (ArrayType, MapType, StructType)
    old, new = kept.dataType, given.dataType
    same = any(isinstance(old, kind) and isinstance(new, kind) for kind in kinds)
    if same or not isinstance(new, kinds) or isinstance(old, NullType | StringType):
        return
    raise DeltaAnalysisError(
        "DELTA_FAILED_TO_MERGE_FIELDS",
        currentField=kept.name,
        updateField=given.name,
        currentDataType=old.simpleString(),
        updateDataType=new.simpleString(),
    )


def _named(name: str, fields: Iterable[StructField]) -> StructField | None:
    return next((field for field in fields if field.name.lower() == name.lower()), None)
