"""A table as plain Python: columns that keep their identity, rows, rules, and their SQL."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

Row = dict[int, Any]


@dataclass
class Column:
    """A column, or a field of a struct.

    Attributes:
        key: Its identity, which no rename changes and no other column takes over.
        name: What it is called now.
        kind: INT, BIGINT, STRING or STRUCT.
        must_hold: Whether null is refused.
        fields: The fields of a struct.
    """

    key: int
    name: str
    kind: str
    must_hold: bool = False
    fields: list[Column] = field(default_factory=list)

    @property
    def type(self) -> str:
        """Its type as DDL."""
        if self.kind != "STRUCT":
            return self.kind
        return f"STRUCT<{', '.join(f'{quoted(f.name)}: {f.type}' for f in self.fields)}>"

    def literal(self, value: Any) -> str:
        """A value of it as a SQL expression."""
        if value is None:
            return f"CAST(NULL AS {self.type})"
        if self.kind == "STRING":
            return f"'{value}'"
        if self.kind != "STRUCT":
            return f"CAST({value} AS {self.kind})"
        parts = [f"'{f.name}', {f.literal(value.get(f.key))}" for f in self.fields]
        return f"named_struct({', '.join(parts)})"

    def shown(self, value: Any) -> Any:
        """A value of it as a reader sees it: fields in order, without what was dropped."""
        if self.kind != "STRUCT" or value is None:
            return value
        return tuple(f.shown(value.get(f.key)) for f in self.fields)


@dataclass(frozen=True)
class Rule:
    """A CHECK constraint: the column, or the field of a struct, is at least so much."""

    name: str
    path: tuple[Column, ...]
    least: int

    @property
    def text(self) -> str:
        """The expression."""
        return f"{path_text(self.path)} >= {self.least}"

    def holds(self, row: Row) -> bool:
        """Whether a row satisfies it; unknown is not enough."""
        value = value_at(row, self.path)
        return value is not None and value >= self.least


@dataclass
class Model:
    """What the table has to be."""

    columns: list[Column]
    rows: list[Row] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    keys: itertools.count[int] = field(default_factory=lambda: itertools.count(100))

    def new(self, name: str, kind: str) -> Column:
        """A column that never was; a struct starts with one field."""
        made = Column(next(self.keys), name, kind)
        if kind == "STRUCT":
            made.fields.append(Column(next(self.keys), "first", "INT"))
        return made

    def paths(self) -> list[tuple[Column, ...]]:
        """Every column and every field of a struct."""
        tops = [(column,) for column in self.columns]
        return tops + [(c, inner) for c in self.columns for inner in c.fields]

    def siblings(self, path: tuple[Column, ...]) -> list[Column]:
        """The columns, or the fields, among which the last one of the path is."""
        return self.columns if len(path) == 1 else path[0].fields

    def takes(self, row: Row) -> bool:
        """Whether the table's rules allow the row."""
        held = all(row.get(c.key) is not None for c in self.columns if c.must_hold)
        return held and all(rule.holds(row) for rule in self.rules)

    def rules_on(self, path: tuple[Column, ...]) -> list[Rule]:
        """The rules that name the column, a field of it, or what it is a field of."""
        return [r for r in self.rules if all(a is b for a, b in zip(r.path, path, strict=False))]

    def shown(self) -> tuple[list[str], list[tuple[Any, ...]]]:
        """What SELECT * gives: names, and rows in some order that is always the same."""
        rows = [tuple(c.shown(row.get(c.key)) for c in self.columns) for row in self.rows]
        return [c.name for c in self.columns], sorted(rows, key=repr)

    def values(self, row: Row) -> str:
        """A row as a list of SQL expressions, by position."""
        return f"({', '.join(c.literal(row.get(c.key)) for c in self.columns)})"


def value_at(row: Row, path: tuple[Column, ...]) -> Any:
    """The value of a column, or of a field where the struct is not null."""
    value: Any = row.get(path[0].key)
    return value if len(path) == 1 or value is None else value.get(path[1].key)


def quoted(name: str) -> str:
    """A name between backticks."""
    return f"`{name}`"


def path_text(path: tuple[Column, ...]) -> str:
    """A path as SQL writes it."""
    return ".".join(quoted(part.name) for part in path)
