"""Which column of some data goes into which column of a table.

Errors name what does not fit by its path.
"""

from dataclasses import dataclass

from puredelta.errors import DeltaAnalysisError
from puredelta.schema.datatypes import StructType
from puredelta.table.evolution.matching_rules import (
    IN_DATA,
    IN_QUERY,
    MatchingRules,
    check_count,
    check_distinct,
    check_distinct_inside,
    check_left_out,
    places_by_name,
)
from puredelta.table.evolution.schema_merging import SchemaMerge
from puredelta.table.evolution.type_comparison import collated_type, is_same_type


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMatch:
    """The outcome: the table's schema after the write, and where each column's values come from.

    Attributes:
        schema: all columns of the table, with new ones if the rules allow them.
        sources: for each of them the position of the data's column, None where it has none.
    """

    schema: StructType
    sources: tuple[int | None, ...]

    @property
    def given(self) -> list[str]:
        """The names of the columns that the data has."""
        pairs = zip(self.schema, self.sources, strict=True)
        return [field.name for field, position in pairs if position is not None]


def match_columns(data: StructType, table: StructType, rules: MatchingRules) -> ColumnMatch:
    """Match the columns of data to a table's.

    Args:
        data: the data's schema.
        table: the table's schema.
        rules: how columns are matched.

    Raises:
        DeltaAnalysisError: DELTA_INSERT_COLUMN_ARITY_MISMATCH, DELTA_METADATA_MISMATCH,
            INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS, DELTA_INSERT_COLUMN_MISMATCH,
            DELTA_DUPLICATE_COLUMNS_FOUND.DATA and READ_SCHEMA, DELTA_FAILED_TO_MERGE_FIELDS.
        DeltaInvariantViolationError: DELTA_MISSING_NOT_NULL_COLUMN_VALUE.
    """
    merge = SchemaMerge(rules)
    if rules.by_name:
        _check_names(data, table, rules)
        sources = places_by_name(data, table)
    else:
        check_count("a row", len(data), len(table), rules)
        sources = [i if i < len(data) else None for i in range(len(table))]
    kept = [
        part if position is None else merge.merge_field(part, data.fields[position], (part.name,))
        for part, position in zip(table, sources, strict=True)
    ]
    for part, position in zip(table, sources, strict=True):
        if position is None:
            check_left_out(part, part.name, rules)
    taken = set(sources)
    extra = [i for i in range(len(data)) if i not in taken]
    new = merge.add_fields([data.fields[i] for i in extra], table.names, ())
    merge.finish()
    return ColumnMatch(schema=StructType((*kept, *new)), sources=(*sources, *extra))


def _check_names(data: StructType, table: StructType, rules: MatchingRules) -> None:
    """Refuse names that are not one column each, and columns that an INSERT has too many."""
    known = {part.name.lower() for part in table}
    # delta-spark reports duplicates against the query or against the data, by the kind of write.
    where = IN_DATA if rules.same_types or not known else IN_QUERY
    check_distinct(data.names, "", where)
    for part in data:
        # The structs of new columns are checked where they are added.
        if part.name.lower() in known:
            check_distinct_inside(part.data_type, f"{part.name}.", where)
    if rules.from_sql and not rules.evolve and len(data) > len(table) and not _begins(data, table):
        raise DeltaAnalysisError(
            "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS",
            tableName=rules.table,
            tableColumns=", ".join(f"`{name}`" for name in table.names),
            dataColumns=", ".join(f"`{name}`" for name in data.names),
        )


def _begins(data: StructType, table: StructType) -> bool:
    """Say whether data only has columns behind the table's: those are named in the error."""
    return all(
        given.name.lower() == kept.name.lower()
        and is_same_type(collated_type(given), collated_type(kept))
        for given, kept in zip(data, table, strict=False)
    )
