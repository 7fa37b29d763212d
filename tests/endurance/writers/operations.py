"""Operations on a table of `id` and `v`, and what each makes of its rows: the model.

No engine is known here: each one loads this module, delta-spark's environment included.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

State = Counter[tuple[int, int]]
"""The rows of a version: how often each pair of `id` and `v` is there."""

KEYS = 40
"""MERGE writes ids below this number, so that several writers meet at them."""

SHARES = {"append": 35, "update": 15, "delete": 8, "merge": 20, "optimize": 7, "overwrite": 3}
"""How often each kind is asked for."""

READS = 0.4
"""How often a writer reads after an operation."""


@dataclass(frozen=True)
class Operation:
    """One statement.

    Attributes:
        kind: one of `SHARES`.
        token: a name that no other operation has; it is the commit's user metadata.
        ids: the ids that it writes, where it brings rows.
        divisor: with `remainder`: which ids an UPDATE or DELETE concerns.
        remainder: of the division.
    """

    kind: str
    token: str
    ids: tuple[int, ...] = ()
    divisor: int = 1
    remainder: int = 0

    def concerns(self, id_: int) -> bool:
        """Say whether an UPDATE or DELETE concerns rows of an id."""
        return id_ % self.divisor == self.remainder

    def apply(self, state: State) -> State:
        """Return the rows after the operation, of those before it."""
        return _EFFECTS[self.kind](self, state)


def _append(operation: Operation, state: State) -> State:
    return state + Counter((id_, 0) for id_ in operation.ids)


def _overwrite(operation: Operation, _: State) -> State:
    return Counter((id_, 0) for id_ in operation.ids)


def _update(operation: Operation, state: State) -> State:
    changed: State = Counter()
    for (id_, v), count in state.items():
        changed[id_, v + operation.concerns(id_)] += count
    return changed


def _delete(operation: Operation, state: State) -> State:
    return Counter({row: count for row, count in state.items() if not operation.concerns(row[0])})


def _merge(operation: Operation, state: State) -> State:
    merged: State = Counter()
    for (id_, v), count in state.items():
        merged[id_, v + 100 * (id_ in operation.ids)] += count
    present = {id_ for id_, _ in state}
    return merged + Counter((id_, 1) for id_ in operation.ids if id_ not in present)


def _optimize(_: Operation, state: State) -> State:
    return state


_EFFECTS: Mapping[str, Callable[[Operation, State], State]] = {
    "append": _append,
    "overwrite": _overwrite,
    "update": _update,
    "delete": _delete,
    "merge": _merge,
    "optimize": _optimize,
}


class Chooser:
    """Chooses the operations of one writer.

    Args:
        writer: its number, from 0.
        kinds: what it can do; all by default.
    """

    def __init__(self, writer: int, kinds: Sequence[str] = tuple(SHARES)) -> None:
        self._writer = writer
        self._kinds = list(kinds)
        self._chance = random.Random(writer)
        self._number = 0

    def next(self) -> Operation:
        """Return the next operation."""
        self._number += 1
        weights = [SHARES[kind] for kind in self._kinds]
        kind = self._chance.choices(self._kinds, weights)[0]
        token = f"{self._writer}-{self._number}"
        if kind in ("append", "overwrite"):
            start = 1_000_000 * (self._writer + 1) + 10 * self._number
            return Operation(kind, token, ids=tuple(range(start, start + 3)))
        if kind == "merge":
            return Operation(kind, token, ids=tuple(sorted(self._chance.sample(range(KEYS), 4))))
        if kind in ("update", "delete"):
            divisor = self._chance.choice((7, 11) if kind == "update" else (13, 17))
            return Operation(
                kind, token, divisor=divisor, remainder=self._chance.randrange(divisor)
            )
        return Operation(kind, token)

    def reads(self) -> bool:
        """Say whether to read now."""
        return self._chance.random() < READS
