"""A new list of columns for a table: the old column of each, and the changes that files forbid.

Columns are identified by name, in any case of letters. A column keeps its spelling, its default and
its metadata in the log; the new list gives it position, comment, type and nullability.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from puredelta.errors import DeltaAnalysisError
from puredelta.schema.column_path import quote_path
from puredelta.schema.datatypes import (
    DECLARED_TYPE_KEY,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    simple_string,
)
from puredelta.table.columns.type_change_rules import may_become

Path = tuple[str, ...]

_OF_THE_LIST = ("comment", DECLARED_TYPE_KEY)


@dataclass(slots=True)
class Differences:
    """What another list of columns would do to the existing ones.

    Attributes:
        dropped: columns that would be gone.
        retyped: columns that would have another type, which files can follow.
        refused: why a column cannot become what the list says, the first one.
        ambiguous: the first struct that would lose columns and get others, so that one may be
            meant to be renamed.
    """

    dropped: list[Path] = field(default_factory=list)
    retyped: list[Path] = field(default_factory=list)
    refused: DeltaAnalysisError | None = None
    ambiguous: DeltaAnalysisError | None = None


def merged_columns(
    existing: StructType, wanted: StructType, *, widening: bool
) -> tuple[StructType, Differences]:
    """Return the wanted columns, existing ones with their metadata, and the differences.

    Args:
        existing: The table's columns.
        wanted: Those that it is to have.
        widening: Does the table have `delta.enableTypeWidening`?
    """
    merging = _Merging(widening=widening)
    return merging.struct(existing, wanted, ()), merging.found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Merging:
    """One comparison of two lists of columns, which records the differences on the way."""

    widening: bool
    found: Differences = field(default_factory=Differences)

    def struct(self, existing: StructType, wanted: StructType, path: Path) -> StructType:
        kept = [existing.field(field.name) for field in wanted]
        names = {field.name for field in kept if field is not None}
        gone = [(*path, field.name) for field in existing if field.name not in names]
        self.found.dropped += gone
        # A column that goes while another comes may be a rename in disguise, which would lose its
        # values.
        if gone and None in kept and self.found.ambiguous is None:
            self.found.ambiguous = DeltaAnalysisError(
                "DELTA_AMBIGUOUS_DATA_TYPE_CHANGE",
                column=quote_path(path) or "the table",
                **{"from": simple_string(existing), "to": simple_string(wanted)},
            )
        pairs = zip(kept, wanted, strict=True)
        fields = (new if old is None else self.column(old, new, path) for old, new in pairs)
        return StructType(tuple(fields))

    def column(self, existing: StructField, wanted: StructField, above: Path) -> StructField:
        path = (*above, existing.name)
        self._check_nulls(existing.nullable, wanted.nullable, path)
        # The declared length belongs to the type, which the new list gives.
        kept = {key: value for key, value in existing.metadata.items() if key != DECLARED_TYPE_KEY}
        given = {key: wanted.metadata[key] for key in _OF_THE_LIST if key in wanted.metadata}
        # Ids, physical names and definitions are in the metadata: without them files would lose the
        # column.
        new = replace(wanted, name=existing.name, metadata={**kept, **given})
        return replace(new, data_type=self._type(existing, new, path))

    def _type(self, existing: StructField, wanted: StructField, path: Path) -> DataType:
        match existing.data_type, wanted.data_type:
            case StructType() as old, StructType() as new:
                return self.struct(old, new, path)
            case ArrayType(old_element), ArrayType(element) as new:
                below = (*path, "element")
                self._check_nulls(existing.data_type.contains_null, new.contains_null, below)
                return replace(new, element_type=self._part(old_element, element, below))
            case MapType(old_key, old_value), MapType(key, value) as new:
                keys = self._part(old_key, key, (*path, "key"))
                below = (*path, "value")
                nulls = existing.data_type.value_contains_null
                self._check_nulls(nulls, new.value_contains_null, below)
                values = self._part(old_value, value, below)
                return replace(new, key_type=keys, value_type=values)
            case old, new if may_become(existing, wanted, widening=self.widening):
                self.found.retyped += [path] if old != new else []
            case _:
                self._refuse(path)
        return wanted.data_type

    def _part(self, existing: DataType, wanted: DataType, path: Path) -> DataType:
        old, new = StructField(path[-1], existing), StructField(path[-1], wanted)
        return self._type(old, new, path)

    def _check_nulls(self, existing: bool, wanted: bool, path: Path) -> None:  # noqa: FBT001
        """Refuse NOT NULL for a column that may have nulls: files with nulls would be misread."""
        if existing and not wanted:
            self._refuse(path)

    def _refuse(self, path: Path) -> None:
        if self.found.refused is None:
            self.found.refused = DeltaAnalysisError(
                "DELTA_CANNOT_CHANGE_DATA_TYPE", dataType=quote_path(path)
            )
