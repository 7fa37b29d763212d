"""Which rows of two tables are the same, in any order, where floats need only be close."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, TypeAlias

import pyarrow as pa

Freezer: TypeAlias = Callable[[Any, list[float]], Hashable]
"""Returns a value in a form that can be compared, and moves its floats to a list."""

_FLOAT = "<float>"
_NAN = "<NaN>"


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far two floats may be apart, as `math.isclose` and `numpy.isclose` have it.

    Attributes:
        relative: a share of the expected number.
        absolute: a distance.
    """

    relative: float
    absolute: float

    def includes(self, found: Sequence[float], expected: Sequence[float]) -> bool:
        """Return whether all floats of a row are close to those of another.

        >>> Tolerance(0.0, 0.5).includes([1.0, 2.0], [1.5, 1.6])
        True
        """
        return all(
            one == other or abs(one - other) <= self.absolute + self.relative * abs(other)
            for one, other in zip(found, expected, strict=True)
        )


@dataclass(frozen=True, slots=True)
class FrozenRow:
    """A row in a form that can be compared.

    Attributes:
        cells: for each column its value, and its floats apart.
    """

    cells: tuple[tuple[Hashable, tuple[float, ...]], ...]

    @property
    def key(self) -> tuple[Hashable, ...]:
        """What has to be equal."""
        return tuple(value for value, _ in self.cells)

    @property
    def floats(self) -> tuple[float, ...]:
        """What has to be close."""
        return tuple(number for _, floats in self.cells for number in floats)

    def equal_cells(self, other: FrozenRow, tolerance: Tolerance) -> list[bool]:
        """Return for each column whether another row has the same value.

        Args:
            other: the expected row.
            tolerance: how close floats have to be.
        """
        return [
            mine[0] == theirs[0] and tolerance.includes(mine[1], theirs[1])
            for mine, theirs in zip(self.cells, other.cells, strict=True)
        ]


def freeze_rows(table: pa.Table) -> list[FrozenRow]:
    """Return the rows of a table in a form that can be compared."""
    columns = [_frozen_column(column) for column in table.columns]
    if not columns:
        return [FrozenRow(()) for _ in range(table.num_rows)]
    return [FrozenRow(cells) for cells in zip(*columns, strict=True)]


def unmatched(
    found: Sequence[FrozenRow], expected: Sequence[FrozenRow], tolerance: Tolerance
) -> tuple[list[int], list[int]]:
    """Pair as many rows as possible, each at most once, in any order.

    Args:
        found: the rows of one table.
        expected: those of the other.
        tolerance: how close floats have to be.

    Returns:
        The positions of the rows that have no partner, in `found` and in `expected`.
    """
    groups: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, rows in enumerate((found, expected)):
        for position, row in enumerate(rows):
            groups[row.key][side].append(position)
    extra: list[int] = []
    missing: list[int] = []
    for ours, theirs in groups.values():
        left = _unmatched_floats(
            [found[position].floats for position in ours],
            [expected[position].floats for position in theirs],
            tolerance,
        )
        extra += [ours[position] for position in left[0]]
        missing += [theirs[position] for position in left[1]]
    return sorted(extra), sorted(missing)


def _unmatched_floats(
    found: Sequence[tuple[float, ...]],
    expected: Sequence[tuple[float, ...]],
    tolerance: Tolerance,
) -> tuple[list[int], list[int]]:
    """Return the positions without a partner among rows that differ in their floats alone."""
    # Most rows have an equal one, and are paired without a search.
    ours, theirs = _without_equal(found, expected)
    by_first = sorted(theirs, key=lambda position: expected[position])
    ordered = [expected[position] for position in by_first]
    pairs = _Pairs()
    for position in sorted(ours, key=lambda position: found[position]):
        near = _near(found[position], ordered, tolerance)
        pairs.choices[position] = [by_first[other] for other in near]
        pairs.add(position)
    return (
        [position for position in ours if position not in pairs.of_found],
        [position for position in theirs if position not in pairs.of_expected],
    )


def _without_equal(
    found: Sequence[tuple[float, ...]], expected: Sequence[tuple[float, ...]]
) -> tuple[list[int], list[int]]:
    equal: dict[tuple[float, ...], list[int]] = defaultdict(list)
    for position in reversed(range(len(expected))):
        equal[expected[position]].append(position)
    ours, paired = [], set()
    for position, floats in enumerate(found):
        if equal[floats]:
            paired.add(equal[floats].pop())
        else:
            ours.append(position)
    return ours, [position for position in range(len(expected)) if position not in paired]


def _near(
    floats: tuple[float, ...], ordered: Sequence[tuple[float, ...]], tolerance: Tolerance
) -> list[int]:
    """Return the positions of the rows that are close, in rows ordered by their floats."""
    if not floats:
        return list(range(len(ordered)))
    distance = math.inf
    if tolerance.relative < 1:
        # Relative to the expected number, whose distance is what is looked for.
        distance = tolerance.absolute + tolerance.relative * abs(floats[0])
        distance /= 1 - tolerance.relative
    start = bisect_left(ordered, floats[0] - distance, key=itemgetter(0))
    end = bisect_right(ordered, floats[0] + distance, key=itemgetter(0))
    return [other for other in range(start, end) if tolerance.includes(floats, ordered[other])]


class _Pairs:
    """As many pairs as possible; a row gives up its partner where it has another choice."""

    def __init__(self) -> None:
        self.choices: dict[int, list[int]] = {}
        self.of_found: dict[int, int] = {}
        self.of_expected: dict[int, int] = {}

    def add(self, start: int) -> None:
        """Find a partner for a row of the table found, by an augmenting path."""
        came_from: dict[int, int] = {}
        waiting = [start]
        while waiting:
            row = waiting.pop()
            for choice in self.choices[row]:
                if choice in came_from:
                    continue
                came_from[choice] = row
                if choice not in self.of_expected:
                    self._shift(start, choice, came_from)
                    return
                waiting.append(self.of_expected[choice])

    def _shift(self, start: int, free: int, came_from: dict[int, int]) -> None:
        while True:
            row = came_from[free]
            given_up = self.of_found.get(row)
            self.of_found[row], self.of_expected[free] = free, row
            if row == start or given_up is None:
                return
            free = given_up


# ------------------------------------------------------------------------------------------- values


def _frozen_column(column: pa.ChunkedArray) -> Iterator[tuple[Hashable, tuple[float, ...]]]:
    freeze = _freezer(column.type)
    for value in column.to_pylist():
        floats: list[float] = []
        yield freeze(value, floats), tuple(floats)


def _freezer(kind: pa.DataType) -> Freezer:
    if pa.types.is_floating(kind):
        return _or_null(_freeze_float)
    if pa.types.is_map(kind):
        return _or_null(_freeze_map(_freezer(kind.key_type), _freezer(kind.item_type)))
    if pa.types.is_struct(kind):
        return _or_null(_freeze_struct({field.name: _freezer(field.type) for field in kind}))
    if pa.types.is_list(kind):
        return _or_null(_freeze_list(_freezer(kind.value_type)))
    return lambda value, _: value


def _or_null(freeze: Freezer) -> Freezer:
    return lambda value, floats: None if value is None else freeze(value, floats)


def _freeze_float(value: float, floats: list[float]) -> Hashable:
    if math.isnan(value):
        return _NAN
    # Nothing is close to infinity.
    if math.isinf(value):
        return value
    floats.append(value)
    return _FLOAT


def _freeze_list(freeze: Freezer) -> Freezer:
    return lambda value, floats: tuple(freeze(item, floats) for item in value)


def _freeze_struct(fields: dict[str, Freezer]) -> Freezer:
    return lambda value, floats: tuple(
        freeze(value[name], floats) for name, freeze in fields.items()
    )


def _freeze_map(key: Freezer, item: Freezer) -> Freezer:
    # The order of a map's entries means nothing.
    return lambda value, floats: tuple(
        (key(one, floats), item(other, floats)) for one, other in sorted(value, key=repr)
    )
