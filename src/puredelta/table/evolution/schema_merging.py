"""A table's schema after a write: what it adds from the schema of the data, at any depth.

Fields of structs are matched as columns are, by name or by position.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from puredelta.errors import DeltaAnalysisError
from puredelta.schema.changes import Path
from puredelta.schema.datatypes import VOID, DataType, StructField, StructType
from puredelta.table.columns.schema_check import COLLATIONS
from puredelta.table.columns.type_widening import widens
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
from puredelta.table.evolution.merge_errors import cannot_merge, incompatible_types, type_text
from puredelta.table.evolution.new_columns import drop_definitions, make_column, make_nullable
from puredelta.table.evolution.type_comparison import collated_type, is_same_type
from puredelta.table.evolution.type_merging import merge_types, wider_small_integer


@dataclass(slots=True)
class SchemaMerge:
    """One run over two schemas, which collects the differences that are not allowed.

    Attributes:
        rules: how columns are merged.
        differences: what only a change of the table's schema would accept.
    """

    rules: MatchingRules
    differences: list[str] = field(default_factory=list)

    def finish(self) -> None:
        """Raise the collected differences, if any, as a single error."""
        if self.differences:
            raise DeltaAnalysisError(
                "DELTA_METADATA_MISMATCH",
                table=self.rules.table,
                difference="; ".join(self.differences),
            )

    def merge_field(self, kept: StructField, given: StructField, path: Path) -> StructField:
        """Return a field of the table after the write."""
        # Collations are stored beside the type; types that differ in them alone would look equal.
        is_alike = kept.metadata.get(COLLATIONS) == given.metadata.get(COLLATIONS)
        given_type = given.data_type if is_alike else collated_type(given)
        return replace(kept, data_type=merge_types(kept.data_type, given_type, path, self))

    def add_fields(
        self, given: Sequence[StructField], names: Iterable[str], above: Path
    ) -> list[StructField]:
        """Return the fields that are added to the table, or record that none may be."""
        prefix = "".join(f"{name}." for name in above)
        if given and self.rules.evolve:
            where = IN_QUERY if above else IN_DATA
            check_distinct([*names, *(part.name for part in given)], prefix, where)
            for part in given:
                check_distinct_inside(part.data_type, f"{prefix}{part.name}.", IN_DATA)
            return [
                make_column(drop_definitions(part, defaults=self.rules.defaults)) for part in given
            ]
        for part in given:
            self.differences.append(
                f"the data has `{prefix}{part.name}` {type_text(collated_type(part))}, "
                "the table does not"
            )
        return []

    def merge_structs(self, left: StructType, right: StructType, path: Path) -> StructType:
        """Return a struct of the table after the write."""
        rules, dotted = self.rules, ".".join(path)
        if rules.by_name:
            sources = places_by_name(right, left)
            # A missing field of a struct is refused in an INSERT, where a missing column is null.
            if rules.from_sql and not rules.evolve and len(right) < len(left):
                check_count(f"the struct `{dotted}`", len(right), len(left), rules)
        else:
            check_count(f"the struct `{dotted}`", len(right), len(left), rules)
            sources = list(range(len(left)))
        fields = []
        for part, position in zip(left, sources, strict=True):
            below = (*path, part.name)
            if position is None:
                check_left_out(part, ".".join(below), rules, nested=True)
                fields.append(part)
            else:
                fields.append(self.merge_field(part, right.fields[position], below))
        taken = set(sources)
        extra = [given for position, given in enumerate(right) if position not in taken]
        return StructType((*fields, *self.add_fields(extra, left.names, path)))

    def merge_leaves(self, left: DataType, right: DataType, path: Path) -> DataType:
        """Return the table's type, the data's where the table may take it, or refuse it."""
        # A void column of the data has nulls alone, which any type has.
        if right == VOID or is_same_type(left, right):
            return left
        # A void column has no values yet, so any type may take its place.
        if left == VOID:
            return self._change(left, make_nullable(right), path)
        # Widening comes before casts: a cast to the narrower type could lose values.
        if self._may_change(path) and widens(left, right, self.rules.widening):
            return right
        # Other writes cast the data to the table's type.
        return self._merge_stored(left, right, path) if self.rules.same_types else left

    def merge_nullability(self, left: bool, right: bool) -> bool:  # noqa: ARG002, FBT001
        """Keep the table's: rows are checked against it."""
        return left

    def _merge_stored(self, kept: DataType, given: DataType, path: Path) -> DataType:
        """Return the type that two different ones have in common, where no value is cast."""
        wider = wider_small_integer(kept, given)
        if wider is None:
            raise cannot_merge(kept, given, ".".join(path)) from incompatible_types(kept, given)
        return kept if wider == kept else self._change(kept, given, path)

    def _may_change(self, path: Path) -> bool:
        return self.rules.evolve and ".".join(path) not in self.rules.fixed

    def _change(self, kept: DataType, given: DataType, path: Path) -> DataType:
        if self._may_change(path):
            return given
        self.differences.append(
            f"`{'.'.join(path)}` is {type_text(given)} in the data and {type_text(kept)} "
            "in the table"
        )
        return kept
