"""What filters on base columns imply for the partition columns that are generated from them.

A row that the filters hold for is in a partition that all derived conditions are true for. The
other direction does not hold: bounds are widened where a time zone may have shifted a value, and
partitions whose value is null stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from puredelta.schema.column_path import lowered
from puredelta.schema.datatypes import TIMESTAMP, StructField, StructType
from puredelta.table.generated_filters.calendar import (
    DAY,
    FARTHEST_ZONE,
    civil,
    hour_of,
)
from puredelta.table.generated_filters.column_ranges import column_ranges
from puredelta.table.generated_filters.expressions import Reader
from puredelta.table.generated_filters.monotonicity import (
    ImpliedRange,
    implied_range,
    wall_clock_range,
)
from puredelta.table.generated_filters.partition_columns import (
    DateParts,
    GeneratedPartition,
    date_parts,
    generated_partitions,
)
from puredelta.table.generated_filters.ranges import Range, joined, moved
from puredelta.table.generated_filters.sql_text import (
    all_of,
    any_of,
    equal,
    from_on,
    in_points,
    in_range,
    is_null,
    other_width,
    part_text,
    up_to,
    within_reach,
)
from puredelta.table.skipping.predicate import (
    NEGATED,
    And,
    Comparison,
    Condition,
    IsTrue,
    Not,
    Or,
)

# More ranges than these are joined to the range that spans them: every range becomes SQL.
_MOST_RANGES = 100

# In a disjunction: more would cost more to evaluate than they save.
_MOST_TEXTS = 200


@dataclass(frozen=True, slots=True)
class Derivation:
    """Derives conditions on the partition columns of one table.

    Attributes:
        schema: Of the table.
        columns: The partition columns that are generated from others.
        groups: Those of them that together state a point in time.
    """

    schema: StructType
    columns: Sequence[GeneratedPartition]
    groups: Sequence[DateParts]

    @classmethod
    def over(
        cls, schema: StructType, fields: Iterable[tuple[StructField, str]], read: Reader
    ) -> Derivation:
        """Find out what partition columns mean.

        Args:
            schema: Of the table.
            fields: The partition columns that are generated, with their expressions in SQL.
            read: Reads those.
        """
        read_fields = [(field, read(text, schema)) for field, text in fields]
        found = [
            generated_partitions(field, expression, schema)
            for field, expression in read_fields
            if expression is not None
        ]
        columns = [column for column in found if column is not None]
        return cls(schema, columns, date_parts(columns))

    def derived(self, condition: Condition) -> list[str]:
        """Return conditions, in SQL, that all hold where a condition does; [] if none is known."""
        match condition:
            case And(parts):
                return list(dict.fromkeys(text for part in parts for text in self.derived(part)))
            case Or(parts):
                return self._any(parts)
            case IsTrue(of):
                return self.derived(of)
            case Not(of):
                opposite = _opposite(of)
                return [] if opposite is None else self.derived(opposite)
            case _:
                return self._of_column(condition)

    def _any(self, parts: Iterable[Condition]) -> list[str]:
        sides = [self.derived(part) for part in parts]
        if sum(map(len, sides)) > _MOST_TEXTS:
            return []
        # A side without derived conditions can be true in any partition, and so can the
        # disjunction.
        return [any_of(all_of(side) for side in sides)] if sides and all(sides) else []

    def _of_column(self, condition: Condition) -> list[str]:
        found = column_ranges(condition, self.schema)
        if found is None:
            return []
        base = lowered(found.path)
        columns = [column for column in self.columns if column.base == base]
        if found.ranges is None:
            return [is_null(column.name) for column in columns]
        groups = [group for group in self.groups if group.base == base]
        # The conditions of a group cover its first column already.
        named = {group.names[0] for group in groups}
        alone = [column for column in columns if column.name not in named]
        texts = [
            *(_column_text(column, found.ranges) for column in alone),
            *(_group_text(group, found.ranges) for group in groups),
        ]
        return [text for text in texts if text is not None]


def _opposite(condition: Condition) -> Condition | None:
    """Return a condition that holds where another one is false; None where none is known."""
    match condition:
        case Comparison(operator, left, right) if operator in NEGATED:
            return Comparison(NEGATED[operator], left, right)
        case Not(of):
            return of
        case Or(parts):
            return And(tuple(Not(part) for part in parts))
        case And(parts):
            return Or(tuple(Not(part) for part in parts))
        case _:
            return None


def _column_text(column: GeneratedPartition, ranges: Iterable[Range]) -> str | None:
    found = [implied_range(column.expression, column.base_type, each) for each in ranges]
    meant = [each for each in found if each is not None]
    if not meant or len(meant) < len(found):
        return None
    first = meant[0]
    places = _places(column.name, first, [_stored(each) for each in meant])
    if places is None:
        return None
    # A value is null too where its expression failed, such as an overflow or a string that is no
    # date; ranges do not cover these.
    others = [is_null(column.name)]
    if first.width is not None:
        # Strings of another width are those of years outside 0 to 9999, which sort elsewhere.
        others.append(other_width(column.name, first.width))
    return any_of([*others, *places])


def _stored(meant: ImpliedRange) -> Range:
    """Return where values lie once they are read from the log.

    Older writers recorded points in time by their wall clock, and readers interpret these in their
    own zone.
    """
    if meant.data_type != TIMESTAMP:
        return meant.values
    return moved(meant.values, FARTHEST_ZONE, FARTHEST_ZONE)


def _places(name: str, meant: ImpliedRange, ranges: list[Range]) -> list[str] | None:
    """Write where values lie, a condition for each range; None when they may lie anywhere."""
    # Points fit into one IN, which replaces a disjunction of equalities.
    if all(interval.is_point for interval in ranges):
        points = [point.lower for point in joined(ranges, len(ranges))]
        if 1 < len(points) <= _MOST_RANGES:
            return [in_points(name, points, meant.data_type)]
    if all(interval.lower is not None and interval.upper is not None for interval in ranges):
        ranges = joined(ranges, _MOST_RANGES) if len(ranges) > 1 else ranges
    texts = [in_range(name, interval, meant.data_type) for interval in ranges]
    known = [text for text in texts if text is not None]
    return known if len(known) == len(texts) else None


def _group_text(group: DateParts, ranges: Iterable[Range]) -> str | None:
    found = [wall_clock_range(group.time, group.base_type, each) for each in ranges]
    # Literals in SQL end at the years 1 and 9999; what lies beyond loses its bound.
    known = [within_reach(each, TIMESTAMP) for each in found if each is not None]
    if len(known) < len(found):
        return None
    if all(each.lower is not None and each.upper is not None for each in known):
        known = joined(known, _MOST_RANGES) if len(known) > 1 else known
    sides = [_group_side(group, each) for each in known]
    if not all(sides):
        return None
    nulls = [is_null(name) for name in group.names]
    return any_of([*nulls, *(all_of(side) for side in _unequal(sides))])


def _unequal(sides: list[list[str]]) -> list[list[str]]:
    return list(map(list, dict.fromkeys(map(tuple, sides))))


def _group_side(group: DateParts, wall: Range) -> list[str]:
    lower = None if wall.lower is None else _parts(group, wall.lower)
    upper = None if wall.upper is None else _parts(group, wall.upper)
    # Both ends in the same unit, such as the same month, need an equality only.
    if lower is not None and lower == upper:
        return [equal(group.names, lower)]
    texts = []
    if lower is not None:
        texts.append(from_on(group.names, lower))
    if upper is not None:
        texts.append(up_to(group.names, upper))
    return texts


def _parts(group: DateParts, micros: int) -> list[str]:
    return [_PARTS[part](micros) for part in group.parts]


def _of_date(place: int) -> Callable[[int], str]:
    return lambda micros: part_text(civil(micros // DAY)[place], is_date=False)


_PARTS: Mapping[str, Callable[[int], str]] = {
    "year": _of_date(0),
    "month": _of_date(1),
    "day": _of_date(2),
    "hour": lambda micros: part_text(hour_of(micros), is_date=False),
    "date": lambda micros: part_text(micros // DAY, is_date=True),
}
