"""Random tables with generated, identity, default and constrained columns, as plain Python."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from random import Random

Row = dict[str, Any]

_UTC = dt.timezone.utc
MOMENTS = [
    None,
    dt.datetime(1969, 12, 31, 23, 30, tzinfo=_UTC),
    dt.datetime(1970, 1, 1, tzinfo=_UTC),
    dt.datetime(2019, 12, 31, 18, 29, 59, 999_999, tzinfo=_UTC),
    dt.datetime(2020, 2, 29, 23, 59, 59, 999_999, tzinfo=_UTC),
    # Around the hours that summer time takes away and gives back in New York.
    dt.datetime(2020, 3, 8, 6, 59, 59, tzinfo=_UTC),
    dt.datetime(2020, 3, 8, 7, tzinfo=_UTC),
    dt.datetime(2020, 11, 1, 5, 30, tzinfo=_UTC),
    dt.datetime(2020, 11, 1, 6, 30, tzinfo=_UTC),
]
NUMBERS = [None, -4, -1, 0, 3, 7, 9]
TEXTS = [None, "x", "tea", "zoë", "a b"]
ZONES = ("UTC", "America/New_York", "Asia/Kolkata")

# What is always there; `tag` tells the rows apart.
BASES = {"tag": "INT", "id": "INT", "at": "TIMESTAMP", "s": "STRING", "st": "STRUCT<x: INT>"}
DEFAULTS = {"note": ("STRING", "'none'", "none"), "n": ("INT", "40 + 2", 42)}


@dataclass(frozen=True)
class Generated:
    """A generated column: its type, its expression, and the same in Python."""

    type: str
    text: str
    value: Callable[[Row, ZoneInfo], Any]


def _local(row: Row, zone: ZoneInfo) -> dt.datetime | None:
    return row["at"] and row["at"].astimezone(zone)


def _day(row: Row, zone: ZoneInfo) -> Any:
    at = _local(row, zone)
    return at and at.date()


def _hour(row: Row, zone: ZoneInfo) -> Any:
    at = _local(row, zone)
    return at and at.replace(minute=0, second=0, microsecond=0).astimezone(_UTC)


def _part(name: str) -> Callable[[Row, ZoneInfo], Any]:
    def value(row: Row, zone: ZoneInfo) -> Any:
        at = _local(row, zone)
        return at and getattr(at, name)

    return value


def _deep(row: Row, zone: ZoneInfo) -> Any:
    inner = row["st"]
    return None if inner is None or inner["x"] is None else inner["x"] + 1


GENERATED = {
    "day": Generated("DATE", "CAST(at AS DATE)", _day),
    "year": Generated("INT", "YEAR(at)", _part("year")),
    "month": Generated("INT", "MONTH(at)", _part("month")),
    "hour": Generated("TIMESTAMP", "DATE_TRUNC('HOUR', at)", _hour),
    "twice": Generated(
        "BIGINT", "CAST(id AS BIGINT) * 2", lambda row, _: row["id"] and row["id"] * 2
    ),
    "head": Generated("STRING", "SUBSTRING(s, 1, 2)", lambda row, _: row["s"] and row["s"][:2]),
    "deep": Generated("INT", "st.x + 1", _deep),
}


@dataclass(frozen=True)
class Check:
    """A rule of the table: its expression, and the same in Python."""

    text: str
    holds: Callable[[Row], bool]


CHECKS = {
    "id": Check("id > -4 OR id IS NULL", lambda row: row["id"] != -4),
    "year": Check("year >= 1970 OR year IS NULL", lambda row: (row["year"] or 1970) >= 1970),
    # Unknown counts as violated.
    "n": Check("n < 50", lambda row: row["n"] is not None and row["n"] < 50),
}


@dataclass(frozen=True)
class Identity:
    """An identity column `key`, which may take values that are given, or never does."""

    start: int
    step: int
    takes_values: bool

    @property
    def text(self) -> str:
        """Its clause."""
        when = "BY DEFAULT" if self.takes_values else "ALWAYS"
        counts = f"(START WITH {self.start} INCREMENT BY {self.step})"
        return f"BIGINT GENERATED {when} AS IDENTITY {counts}"


@dataclass(frozen=True)
class Definition:
    """A table: which columns it has besides the bases, and what holds for them."""

    zone: ZoneInfo
    generated: tuple[str, ...]
    defaults: tuple[str, ...]
    checks: tuple[str, ...]
    identity: Identity | None
    id_must_hold: bool
    partitions: tuple[str, ...]
    mapping: str

    @property
    def types(self) -> dict[str, str]:
        """The columns in their order."""
        return {
            **BASES,
            **{name: GENERATED[name].type for name in self.generated},
            **{name: DEFAULTS[name][0] for name in self.defaults},
            **({"key": "BIGINT"} if self.identity else {}),
        }

    def statements(self, table: str) -> list[str]:
        """What makes the table."""
        clauses = {
            **{
                n: f"{GENERATED[n].type} GENERATED ALWAYS AS ({GENERATED[n].text})"
                for n in self.generated
            },
            **{n: f"{DEFAULTS[n][0]} DEFAULT {DEFAULTS[n][1]}" for n in self.defaults},
            **({"key": self.identity.text} if self.identity else {}),
            **({"id": "INT NOT NULL"} if self.id_must_hold else {}),
        }
        columns = ", ".join(
            f"{name} {clauses.get(name, kind)}" for name, kind in self.types.items()
        )
        by = f" PARTITIONED BY ({', '.join(self.partitions)})" if self.partitions else ""
        create = (
            f"CREATE TABLE {table} ({columns}) USING delta{by} TBLPROPERTIES"
            " ('delta.feature.allowColumnDefaults' = 'supported',"
            f" 'delta.columnMapping.mode' = '{self.mapping}')"
        )
        return [create] + [
            f"ALTER TABLE {table} ADD CONSTRAINT of_{name} CHECK ({CHECKS[name].text})"
            for name in self.checks
        ]

    def complete(self, given: Row) -> Row:
        """A row as the table has to keep it; `key` is left out where the table counts."""
        row = {name: given.get(name) for name in BASES}
        row |= {name: given.get(name, DEFAULTS[name][2]) for name in self.defaults}
        row |= {
            name: given[name] if name in given else GENERATED[name].value(row, self.zone)
            for name in self.generated
        }
        return row | ({"key": given["key"]} if "key" in given else {})

    def takes(self, row: Row) -> bool:
        """Whether a row that is complete meets every definition."""
        computed = all(row[n] == GENERATED[n].value(row, self.zone) for n in self.generated)
        held = row["id"] is not None or not self.id_must_hold
        return computed and held and all(CHECKS[name].holds(row) for name in self.checks)

    @property
    def broken(self) -> str:
        """A condition on rows that break a definition."""
        own = self.identity
        rules = [
            *(f"({name} <=> {GENERATED[name].text})" for name in self.generated),
            *(f"coalesce({CHECKS[name].text}, false)" for name in self.checks),
            *(["id IS NOT NULL"] if self.id_must_hold else []),
            *([f"(key - {own.start}) % {own.step} = 0"] if own and not own.takes_values else []),
        ]
        return f"NOT ({' AND '.join(rules) or 'true'})"


def a_definition(some: Random, zone: str | None = None) -> Definition:
    """A random table."""
    generated = tuple(name for name in GENERATED if some.random() < 0.6)
    defaults = tuple(name for name in DEFAULTS if some.random() < 0.6)
    checks = [name for name in CHECKS if name == "id" or name in generated + defaults]
    parts = [("year", "month"), ("day",), ("head",), ("twice", "day"), ("hour",), ("id",), ()]
    there = {*BASES, *generated}
    starts = {-7, 1, 10}
    identity = Identity(some.choice(sorted(starts)), some.choice([-3, 1, 5]), some.random() < 0.5)
    return Definition(
        zone=ZoneInfo(zone or some.choice(ZONES)),
        generated=generated,
        defaults=defaults,
        checks=tuple(name for name in checks if some.random() < 0.5),
        identity=identity if some.random() < 0.6 else None,
        id_must_hold=some.random() < 0.3,
        partitions=some.choice([names for names in parts if there.issuperset(names)]),
        mapping=some.choice(["none", "none", "name", "id"]),
    )
