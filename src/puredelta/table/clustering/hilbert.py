"""The Hilbert curve in any number of dimensions, as a state machine and as tables of its steps.

Each step reads a bit of every column, from the most significant one down. A state turns the cube of
these bits (`dy`) and mirrors it (`x2`), so that a step begins where the one before it ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

# A step of several bits needs a table of states * 2 ** (columns * bits) entries, which goes to
# every task: this keeps it below the size of a small data file.
_MAX_ENTRIES = 32_768


class CurveState(NamedTuple):
    """How the curve lies in a cube: mirrored in the columns of `x2`, turned by `dy` columns."""

    x2: int
    dy: int


START = CurveState(0, 0)


class _Row(NamedTuple):
    """What the curve does in one corner of a cube: which corner it is, and the state there."""

    x1: int
    state: CurveState


@dataclass(frozen=True, slots=True)
class Step:
    """Several bits of every column at once, as a table.

    Attributes:
        bits: How many bits of each column.
        table: At `state << columns * bits | interleaved bits`: the number of the next state, in the
            same form, plus the bits of the key.
    """

    bits: int
    table: tuple[int, ...]


def hilbert_key(ids: Sequence[int], bits: int) -> int:
    """Return the position on the curve of a point.

    >>> [hilbert_key(point, 10) for point in [(0, 0), (1, 0), (1, 1), (0, 1)]]
    [0, 1, 2, 3]

    Args:
        ids: The coordinates of the point, one for each column.
        bits: How many bits each has.
    """
    columns, state, key = len(ids), START, 0
    for bit in range(bits - 1, -1, -1):
        corner = 0
        for number in ids:
            corner = corner << 1 | (number >> bit & 1)
        digit, state = _move(columns, state, corner)
        key = key << columns | digit
    return key


def states(columns: int) -> list[CurveState]:
    """Return all states that the curve reaches, the first one first."""
    found = [START]
    known = {START}
    for state in found:  # it grows while it is read: a breadth-first search
        for corner in range(1 << columns):
            after = _move(columns, state, corner)[1]
            if after not in known:
                known.add(after)
                found.append(after)
    return found


@lru_cache(maxsize=16)
def hilbert_steps(columns: int, bits: int) -> tuple[Step, ...] | None:
    """Return the tables that turn interleaved ids into keys; None where they would be too large.

    Args:
        columns: How many columns there are.
        bits: How many bits their ids have.
    """
    known = states(columns)
    width = bits
    while width and len(known) << columns * width > _MAX_ENTRIES:
        width -= 1
    if not width:
        return None
    # As many steps as that needs, but no wider than they have to be: small tables stay in caches.
    width = -(-bits // -(-bits // width))
    first, whole = bits % width, bits // width
    # The curve depends on how many bits there are before: the shorter step comes first, where no
    # table has been in use yet.
    steps = [Step(first, _table(columns, first, known))] if first else []
    return (*steps, *[Step(width, _table(columns, width, known))] * whole)


def _table(columns: int, width: int, known: Sequence[CurveState]) -> tuple[int, ...]:
    numbers = {state: number for number, state in enumerate(known)}
    size = columns * width
    table = []
    for start in known:
        for corners in range(1 << size):
            state, key = start, 0
            for shift in range(size - columns, -1, -columns):
                digit, state = _move(columns, state, corners >> shift & ((1 << columns) - 1))
                key = key << columns | digit
            table.append(numbers[state] << size | key)
    return tuple(table)


def _move(columns: int, state: CurveState, corner: int) -> tuple[int, CurveState]:
    """Return when the curve passes a corner of a cube, and its state there."""
    x1 = _rotate_left(corner ^ state.x2, state.dy, columns)
    digit = _inverse(columns)[x1]
    row = _rows(columns)[digit]
    x2 = _rotate_left(row.state.x2, columns - state.dy, columns) ^ state.x2
    return digit, CurveState(x2, (row.state.dy + state.dy) % columns)


def _rotate_left(value: int, by: int, width: int) -> int:
    by %= width
    return (value << by | value >> (width - by)) & ((1 << width) - 1)


@lru_cache(maxsize=16)
def _rows(columns: int) -> tuple[_Row, ...]:
    """Return the corners of a cube in the order of the curve from `START` on."""
    sequence = _x2_sequence(columns)
    rows = []
    for digit in range(1 << columns):
        x2, after = sequence[2 * digit : 2 * digit + 2]
        turned = x2 ^ after
        trailing_zeros = (turned & -turned).bit_length() - 1
        rows.append(_Row(digit ^ digit >> 1, CurveState(x2, columns - 1 - trailing_zeros)))
    return tuple(rows)


@lru_cache(maxsize=16)
def _inverse(columns: int) -> dict[int, int]:
    return {row.x1: digit for digit, row in enumerate(_rows(columns))}


def _x2_sequence(columns: int) -> list[int]:
    """Return where the curve enters and leaves each corner: two entries a corner."""
    sequence = [0, 1, 0, 1]
    for dimension in range(1, columns):
        high = 1 << dimension
        sequence[-1] = sequence[-2] + high
        sequence += [entry ^ high for entry in reversed(sequence)]
    return sequence
