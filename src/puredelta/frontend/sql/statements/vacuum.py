"""VACUUM."""

from __future__ import annotations

import re
import sys
from typing import Any, ClassVar

from pyspark.sql import DataFrame
from pyspark.sql.types import StringType, StructField, StructType

from puredelta.commands.table_ref import TableRef
from puredelta.commands.vacuum import VacuumTableCommand
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError, DeltaParseError, DeltaTableNotFoundError
from puredelta.frontend.sql.statements.statement import Rows, Statement, Target, target_of
from puredelta.frontend.sql.tokens import Tokens, syntax_error

OPERATION = "VACUUM"
_RESULT = StructType([StructField("path", StringType())])
_HOURS = re.compile(r"-?\s*(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?(?!\w)", re.ASCII)
_FORM = (
    "the name or path of a table, then in any order FULL or LITE, USING INVENTORY with a table or"
    " a query in parentheses, RETAIN n HOURS, DRY RUN"
)


class VacuumStatement(Statement, frozen=True, kw_only=True, tag="vacuum"):
    """VACUUM {t | 'path'} [FULL | LITE] [USING INVENTORY {t | (query)}] [RETAIN n HOURS] [DRY RUN].

    Attributes:
        lite: LITE or FULL; None where it is neither.
        inventory_table: the table that lists files; empty for none.
        inventory_query: the query that does; None for none.
        retain_hours: the retention; None for the table's own.
        dry_run: only say what would be deleted.
    """

    begins: ClassVar[tuple[str, ...]] = ("VACUUM",)
    schema: ClassVar[StructType] = _RESULT
    lite: bool | None = None
    inventory_table: tuple[str, ...] = ()
    inventory_query: str | None = None
    retain_hours: float | None = None
    dry_run: bool = False

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement."""
        if not tokens.take("VACUUM"):
            return None
        name = tokens.name()
        # Spark reads two strings in a row as one.
        pieces = [] if name else list(iter(tokens.string, None))
        if not name and not pieces:
            raise _not_read(tokens)
        target = target_of(name) if name else Target(path="".join(pieces))
        clauses: dict[str, Any] = {}
        while not tokens.is_at_end():
            for field, value in _clause(tokens).items():
                if field in clauses:
                    raise DeltaParseError("DUPLICATE_CLAUSES", clauseName=_CLAUSES[field])
                clauses[field] = value
        if clauses.get("lite") and clauses.keys() & {"inventory_table", "inventory_query"}:
            raise DeltaParseError("PUREDELTA_VACUUM_LITE_WITH_INVENTORY")
        return cls(target=target, **clauses)

    def run(self, context: Context) -> Rows:
        """Delete files, or return what would be deleted.

        Raises:
            DeltaAnalysisError: EXPECT_TABLE_NOT_VIEW, DELTA_ONLY_OPERATION,
                DELTA_MISSING_DELTA_TABLE, DELTA_TABLE_ONLY_OPERATION for a path that is no table
                or that of a partition, DELTA_INVALID_INVENTORY_SCHEMA.
            DeltaError: what `maintenance.vacuum.run.Vacuum.run` raises.
        """
        command = VacuumTableCommand(
            table=self._table(context),
            lite=self.lite,
            retain_hours=self.retain_hours,
            inventory=self._inventory(context),
        )
        if self.dry_run:
            return [{"path": path} for path in command.paths(context)]
        done = command.run(context)
        sys.stdout.write(f"{done}\n")
        return [{"path": command.table.root}]

    def _table(self, context: Context) -> TableRef:
        found = self.target.find(context)
        if found.is_view:
            raise DeltaAnalysisError("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", viewName=found.name)
        if found.provider is not None:
            raise DeltaAnalysisError("DELTA_ONLY_OPERATION", operation=OPERATION)
        if found.table is None and self.target.path is None:
            raise DeltaTableNotFoundError("DELTA_MISSING_DELTA_TABLE", tableName=found.name)
        # A partition has no versions of its own, by which its files could be judged.
        if found.table is None or found.read_path not in {None, found.table.root}:
            raise DeltaAnalysisError(
                "DELTA_TABLE_ONLY_OPERATION", tableName=found.name, operation=OPERATION
            )
        return found.table

    def _inventory(self, context: Context) -> DataFrame | None:
        if self.inventory_query is not None:
            return context.session.sql(self.inventory_query)
        if self.inventory_table:
            return context.session.table(".".join(map(_quoted, self.inventory_table)))
        return None


_CLAUSES = {
    "lite": "LITE/FULL",
    "inventory_table": "INVENTORY",
    "inventory_query": "INVENTORY",
    "retain_hours": "RETAIN",
    "dry_run": "DRY RUN",
}
"""What each field is called in messages about clauses."""


def _clause(tokens: Tokens) -> dict[str, Any]:
    """Take the next clause.

    Raises:
        DeltaParseError: PARSE_SYNTAX_ERROR.
    """
    if tokens.take("FULL"):
        return {"lite": False}
    if tokens.take("LITE"):
        return {"lite": True}
    if tokens.take("DRY", "RUN"):
        return {"dry_run": True}
    if tokens.take("USING", "INVENTORY"):
        query = tokens.parenthesised()
        table = tokens.name() if query is None else ()
        if query is not None or table:
            # Both are fields of their own, and there is one clause for them.
            return {"inventory_table": table, "inventory_query": query}
    elif tokens.take("RETAIN"):
        hours = tokens.match(_HOURS)
        if hours is not None and tokens.take("HOURS"):
            return {"retain_hours": float("".join(hours.split()))}
    raise _not_read(tokens)


def _quoted(part: str) -> str:
    return "`" + part.replace("`", "``") + "`"


def _not_read(tokens: Tokens) -> DeltaParseError:
    return syntax_error(tokens.text, tokens.place, statement=OPERATION, form=_FORM)
