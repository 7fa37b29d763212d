"""`DeltaTable.append_new`: rows come whose key the table does not have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.commit_stats import CommitStats, commit_stats_of
from puredelta.commands.dml.dry_run import ChangePlan
from puredelta.commands.dml.row_change import RowCounts
from puredelta.commands.keyed.keys import all_same, key_columns
from puredelta.commands.table_ref import TableRef
from puredelta.commands.write.write import APPEND, Write
from puredelta.engine.session.context import Context
from puredelta.log.snapshot import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended(CommitStats):
    """What `append_new` did.

    Attributes:
        version: the version that was made; the newest one when no row was new.
        changed: whether a version was made.
        rows: how many rows were appended; None when neither history nor statistics say.
        files: how many files they are in.
        bytes: the size of these files, in bytes.
        removed_files: always 0, as an append removes none.
        removed_bytes: always 0.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendNew:
    """Rows to be appended unless their key is there; see `DeltaTable.append_new`.

    Attributes:
        table: the table.
        frame: the rows.
        key: the columns that identify rows.
    """

    table: TableRef
    frame: DataFrame
    key: str | Sequence[str]

    def run(self, context: Context) -> Appended:
        """Append what is new, in one version.

        Raises:
            ValueError: no column is named as the key.
            DeltaError: what an append raises.
        """
        base = self.table.log().latest()
        # One version is read and built on, so that no other writer's rows are overlooked.
        write = Write(table=self.table, frame=self._new(base), mode=APPEND, base=base)
        return commit_stats_of(base, write.run(context), Appended)

    def plan(self, context: Context) -> ChangePlan:  # noqa: ARG002  # the rows know their session
        """Count what is new; nothing is written.

        Raises:
            ValueError: no column is named as the key.
        """
        base = self.table.log().latest()
        nothing = base.files.slice(0, 0)
        return ChangePlan(
            operation="WRITE",
            before=base,
            candidates=base.files,
            touched=nothing,
            rewritten=nothing,
            rows=RowCounts(inserted=self._new(base).count()),
            uses_vectors=False,
        )

    def _new(self, base: Snapshot) -> DataFrame:
        """Return the rows whose key a version does not have."""
        names = key_columns(self.key)
        reader = self.frame.sparkSession.read.format("delta").options(**self.table.options)
        there = reader.option("versionAsOf", base.version).load(self.table.root)
        # Aliases keep the two sides apart: the frame may be a read of the same table.
        theirs = {name: f"__key_{place}_of_the_table" for place, name in enumerate(names)}
        keys = there.select([F.col(name).alias(alias) for name, alias in theirs.items()])
        same = all_same([(F.col(name), F.col(alias)) for name, alias in theirs.items()])
        return self.frame.join(keys, same, "left_anti")
