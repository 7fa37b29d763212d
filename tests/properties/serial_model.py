"""A table as partitions of rows, and transactions as functions of what they read: the plain truth.

Nothing here knows of files, versions or conflicts. A transaction reads some rows, takes those away
that it replaces, and puts new ones that tell what was read; so a read that was stale shows.
"""

from collections import Counter
from dataclasses import dataclass, field

PARTITIONS = ("1", "2", None)


@dataclass
class Table:
    """Rows by partition, the user's properties, and what applications wrote last."""

    rows: dict = field(default_factory=lambda: {p: Counter() for p in PARTITIONS})
    properties: dict = field(default_factory=dict)
    apps: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Work:
    """One transaction: `kind` over the partition `source`, with its outcome in `target`."""

    name: str
    kind: str
    source: str | None
    target: str | None

    @property
    def reads(self):
        """The partitions that are read."""
        return {
            "append": (),
            "app append": (),
            "set property": (),
            "turn on": (),
            "backfill": (),
            "overwrite": PARTITIONS,
        }.get(self.kind, (self.source,))

    @property
    def is_blind(self):
        return self.kind in ("append", "app append")

    @property
    def keeps_rows(self):
        return self.kind == "compact"

    @property
    def removes(self):
        return () if self.kind == "copy" else self.reads

    def seen(self, table):
        """What the transaction knows when it starts."""
        if self.kind in ("set property", "turn on"):
            return dict(table.properties)
        if self.kind == "app append":
            return table.apps.get("q")
        return {p: Counter(table.rows[p]) for p in self.reads}

    def made(self, seen):
        """The rows that it makes of what it saw."""
        if self.kind in ("set property", "turn on", "backfill"):
            return []
        if self.is_blind:
            return [self.name, self.name + "'"]
        rows = sorted(row for counted in seen.values() for row in counted.elements())
        return rows if self.keeps_rows else [f"{self.name}({','.join(rows)})"]

    def run(self, table, seen):
        """Do it: take what was seen and is replaced, put what was made."""
        for p in self.removes:
            table.rows[p] = table.rows[p] - seen[p]
        into = self.source if self.keeps_rows else self.target
        table.rows[into].update(self.made(seen))
        if self.kind == "set property":
            table.properties["mine"] = self.name
        if self.kind == "turn on":
            table.properties["delta.enableDeletionVectors"] = "true"
        if self.kind == "app append":
            table.apps["q"] = self.name
