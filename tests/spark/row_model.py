"""Rows of a table in plain Python, and random statements that change them, in SQL and in Python."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

COLUMNS = "u INT, id INT, p STRING, n INT, s STRUCT<a: INT, b: STRING>"
PARTITIONS = ("x", "y z", None)
SOURCE_ROWS = 12
IDS = 30


@dataclass(frozen=True)
class Row:
    """A row.

    Attributes:
        u: Tells it from all others, and never changes.
        id: What MERGE joins by: may be null, and there may be several of a kind.
        p: What a table may be partitioned by.
        n: A number.
        s: A struct.
    """

    u: int
    id: int | None
    p: str | None = None
    n: int | None = None
    s: tuple[int | None, str | None] | None = None

    @property
    def a(self) -> int | None:
        """The first field of the struct."""
        return None if self.s is None else self.s[0]

    @property
    def sql(self) -> str:
        """The row as SQL values."""
        fields = ("NULL", "NULL") if self.s is None else tuple(map(in_sql, self.s))
        struct = "named_struct('a', {}, 'b', {})".format(*fields)
        plain = ", ".join(map(in_sql, (self.u, self.id, self.p, self.n)))
        return f"({plain}, {struct if self.s is not None else 'NULL'})"

    @property
    def shown(self) -> tuple[Any, ...]:
        """The row as a reader sees it."""
        return (self.u, self.id, self.p, self.n, self.s)


def in_sql(value: Any) -> str:
    """Return a value as a literal."""
    return "NULL" if value is None else repr(value)


@dataclass
class Outcome:
    """What a statement makes of rows.

    Attributes:
        rows: What is there afterwards.
        told: What the change data feed tells: values and kind of change.
        changed: The labels of rows that were updated or are new.
        counts: How many rows were updated, deleted, inserted.
    """

    rows: list[Row] = field(default_factory=list)
    told: Counter[tuple[Any, ...]] = field(default_factory=Counter)
    changed: set[int] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)

    def keep(self, row: Row) -> None:
        """Let a row be."""
        self.rows.append(row)

    def delete(self, row: Row) -> None:
        """Let a row go."""
        self.counts["delete"] += 1
        self.told[(*row.shown, "delete")] += 1

    def update(self, row: Row, new: Row) -> None:
        """Give other values to a row."""
        self.rows.append(new)
        self.changed.add(row.u)
        self.counts["update"] += 1
        self.told[(*row.shown, "update_preimage")] += 1
        self.told[(*new.shown, "update_postimage")] += 1

    def insert(self, row: Row) -> None:
        """Add a row."""
        self.rows.append(row)
        self.changed.add(row.u)
        self.counts["insert"] += 1
        self.told[(*row.shown, "insert")] += 1


@dataclass(frozen=True)
class Statement:
    """A statement.

    Attributes:
        sql: Its text, with `{table}` for the table.
        apply: What it makes of rows.
        answer: What it answers, out of what was counted.
    """

    sql: str
    apply: Callable[[Sequence[Row]], Outcome]
    answer: Callable[[Counter[str]], tuple[int, ...]]


Meaning = tuple[str, "Callable[[Row], bool]"]


def conditions(random: Random) -> list[Meaning]:
    """Make up conditions on rows of the table; null counts as false."""
    few = sorted(random.sample(range(IDS), 3))
    least, kind = random.randrange(IDS), random.choice(PARTITIONS[:2])
    listed = ", ".join(map(str, few))
    return [
        (f"id IN ({listed})", lambda row: row.id in few),
        (f"u >= {least}", lambda row: row.u >= least),
        (f"p = '{kind}'", lambda row: row.p == kind),
        ("p IS NULL", lambda row: row.p is None),
        (
            f"p <> '{kind}' AND n < {least}",
            lambda row: None not in (row.p, row.n) and row.p != kind and row.n < least,
        ),
        (f"s.a % 3 = {least % 3}", lambda row: row.a is not None and row.a % 3 == least % 3),
        (
            f"id IN (SELECT id FROM range({least}) WHERE id % 7 = 0)",
            lambda row: row.id is not None and row.id < least and row.id % 7 == 0,
        ),
        ("true", lambda _row: True),
    ]


def new_values(random: Random) -> list[tuple[str, Callable[[Row], Row]]]:
    """Make up what an UPDATE sets."""
    number, kind = random.randrange(90), random.choice(PARTITIONS)
    return [
        (f"p = {in_sql(kind)}, n = u", lambda row: replace(row, p=kind, n=row.u)),
        (
            f"n = n + {number}",
            lambda row: replace(row, n=None if row.n is None else row.n + number),
        ),
        (
            f"s.b = 'b{number}', s.a = n",
            lambda row: replace(row, s=(row.n, f"b{number}")),
        ),
    ]


def a_delete(random: Random) -> Statement:
    """Make up a DELETE."""
    asked, holds = random.choice(conditions(random)[:-1])

    def apply(rows: Sequence[Row]) -> Outcome:
        outcome = Outcome()
        for row in rows:
            (outcome.delete if holds(row) else outcome.keep)(row)
        return outcome

    return Statement(f"DELETE FROM {{table}} WHERE {asked}", apply, lambda n: (n["delete"],))


def an_update(random: Random) -> Statement:
    """Make up an UPDATE."""
    asked, holds = random.choice(conditions(random))
    given, changed = random.choice(new_values(random))

    def apply(rows: Sequence[Row]) -> Outcome:
        outcome = Outcome()
        for row in rows:
            if holds(row):
                outcome.update(row, changed(row))
            else:
                outcome.keep(row)
        return outcome

    sql = f"UPDATE {{table}} SET {given} WHERE {asked}"
    return Statement(sql, apply, lambda n: (n["update"],))


def an_insert(random: Random, labels: Iterator[int]) -> Statement:
    """Make up an INSERT."""
    added = some_rows(random, labels, 5)

    def apply(rows: Sequence[Row]) -> Outcome:
        outcome = Outcome(rows=list(rows))
        for row in added:
            outcome.insert(row)
        return outcome

    values = ", ".join(row.sql for row in added)
    return Statement(f"INSERT INTO {{table}} VALUES {values}", apply, lambda _n: ())


def some_rows(random: Random, labels: Iterator[int], count: int) -> list[Row]:
    """Make up rows."""
    return [
        Row(
            u,
            random.choice([None, *range(IDS)]),
            random.choice(PARTITIONS),
            random.choice([None, u % 40]),
            random.choice([None, (u % 5, f"b{u}"), (None, "b")]),
        )
        for u in itertools.islice(labels, count)
    ]


# ----------------------------------------------------------------------------------------- MERGE


def _less(ours: int | None, theirs: int | None) -> bool:
    return ours is not None and theirs is not None and ours < theirs


ON = [
    ("t.id = src.id", lambda t, o: t.id is not None and t.id == o.id),
    ("t.id <=> src.id", lambda t, o: t.id == o.id),
    (
        "t.id = src.id AND t.p = src.p",
        lambda t, o: None not in (t.id, t.p) and (t.id, t.p) == (o.id, o.p),
    ),
    (
        "src.id = t.id AND t.n < 20",
        lambda t, o: t.id is not None and t.id == o.id and _less(t.n, 20),
    ),
]
MATCHED_IF = [
    ("t.n < src.n", lambda t, o: _less(t.n, o.n)),
    ("t.p = 'x'", lambda t, _o: t.p == "x"),
    ("src.n % 2 = 0", lambda _t, o: o.n is not None and o.n % 2 == 0),
]
BY_SOURCE_IF = [
    ("t.n < 15", lambda t, _o: _less(t.n, 15)),
    ("t.p IS NULL", lambda t, _o: t.p is None),
]
NOT_MATCHED_IF = [("src.n > 10", lambda _t, o: _less(10, o.n))]
MATCHED_SET = [
    ("n = src.n", lambda t, o: replace(t, n=o.n)),
    ("p = src.p, id = t.u", lambda t, o: replace(t, p=o.p, id=t.u)),
    (
        "s.a = src.n, n = t.id",
        lambda t, o: replace(t, s=(o.n, None if t.s is None else t.s[1]), n=t.id),
    ),
]
BY_SOURCE_SET = [
    ("n = t.u", lambda t, _o: replace(t, n=t.u)),
    ("p = 'y z'", lambda t, _o: replace(t, p="y z")),
]
INSERTED = [
    (
        "(u, id, p, n, s) VALUES (src.u, src.id, src.p, src.n, named_struct('a', 7, 'b', src.p))",
        lambda o: replace(o, s=(7, o.p)),
    ),
    ("(id, u) VALUES (src.id, src.u)", lambda o: Row(o.u, o.id)),
]


@dataclass(frozen=True)
class Clause:
    """A clause of MERGE: when it acts, in SQL and in Python, and what it makes of a row."""

    sql: str
    holds: Callable[[Any, Any], bool]
    new: Callable[..., Row] | None


def clauses(
    random: Random,
    when: str,
    asked: Sequence[tuple[str, Any]],
    does: Sequence[tuple[str, Any]],
    least: int,
) -> list[Clause]:
    """Make up clauses of one kind; none behind one without a condition."""
    made = []
    for _ in range(random.randint(least, 2)):
        told, holds = random.choice(asked)
        if random.random() < 0.4:
            told, holds = "", lambda _t, _o: True
        action, new = random.choice(does)
        made.append(Clause(f"{when}{told and ' AND '}{told} THEN {action}", holds, new))
        if not told:
            break
    return made


def a_merge(random: Random, labels: Iterator[int]) -> Statement:
    """Make up a MERGE whose source has no key twice."""
    ids = random.sample([None, *range(IDS + 10)], random.choice([1, 4, SOURCE_ROWS]))
    source = [
        replace(row, id=key, s=None)
        for row, key in zip(some_rows(random, labels, len(ids)), ids, strict=True)
    ]
    on, matches = random.choice(ON)
    deletes = [("DELETE", None)]
    matched = clauses(random, "WHEN MATCHED", MATCHED_IF, [*_sets(MATCHED_SET), *deletes], 0)
    adding = clauses(
        random,
        "WHEN NOT MATCHED",
        NOT_MATCHED_IF,
        [(f"INSERT {text}", new) for text, new in INSERTED],
        0 if matched else 1,
    )
    alone: list[Clause] = []
    if random.random() < 0.3:
        when, does = "WHEN NOT MATCHED BY SOURCE", [*_sets(BY_SOURCE_SET), *deletes]
        alone = clauses(random, when, BY_SOURCE_IF, does, 1)

    def apply(rows: Sequence[Row]) -> Outcome:
        outcome = Outcome()
        for row in rows:
            partner = next((one for one in source if matches(row, one)), None)
            _change(outcome, row, partner, alone if partner is None else matched)
        for one in source:
            if not any(matches(row, one) for row in rows):
                acting = next((c for c in adding if c.holds(None, one)), None)
                if acting is not None and acting.new is not None:
                    outcome.insert(acting.new(one))
        return outcome

    values = ", ".join(f"({', '.join(map(in_sql, one.shown[:4]))})" for one in source)
    parts = " ".join(one.sql for one in (*matched, *adding, *alone))
    sql = (
        "MERGE INTO {table} t USING (SELECT u, CAST(id AS INT) id, CAST(p AS STRING) p,"
        f" CAST(n AS INT) n FROM VALUES {values} v(u, id, p, n)) src ON {on} {parts}"
    )
    return Statement(sql, apply, lambda n: (sum(n.values()), n["update"], n["delete"], n["insert"]))


def _sets(changes: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    return [(f"UPDATE SET {text}", new) for text, new in changes]


def _change(outcome: Outcome, row: Row, partner: Row | None, offered: Sequence[Clause]) -> None:
    acting = next((one for one in offered if one.holds(row, partner)), None)
    if acting is None:
        outcome.keep(row)
    elif acting.new is None:
        outcome.delete(row)
    else:
        outcome.update(row, acting.new(row, partner))


def a_change(random: Random, labels: Iterator[int]) -> Statement:
    """Make up a statement that changes rows."""
    kind = random.choice(["delete", "update", "merge", "merge"])
    if kind == "merge":
        return a_merge(random, labels)
    return a_delete(random) if kind == "delete" else an_update(random)
