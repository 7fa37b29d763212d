"""OPTIMIZE."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql.types import StructType

from puredelta.commands.optimize.metrics import RESULT
from puredelta.commands.optimize.optimize import Optimize
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError, DeltaParseError
from puredelta.frontend.sql.lexer import without_comments
from puredelta.frontend.sql.statements.statement import Rows, Statement, Target, target_of
from puredelta.frontend.sql.tokens import Tokens, syntax_error
from puredelta.schema.column_path import quote_path

_FORM = (
    "the name of a table, delta.`/path` or '/path'; behind it may stand FULL, WHERE with a"
    " condition on partition columns, ZORDER BY (column, ...), in this order"
)


class OptimizeStatement(Statement, frozen=True, kw_only=True, tag="optimize"):
    """OPTIMIZE t [FULL] [WHERE condition] [ZORDER BY (column, ...)].

    Attributes:
        is_full: rows that are clustered by other columns are clustered anew.
        condition: which partitions, in SQL; None for all.
        z_order: the columns of ZORDER BY.
    """

    begins: ClassVar[tuple[str, ...]] = ("OPTIMIZE",)
    schema: ClassVar[StructType] = RESULT
    is_full: bool = False
    condition: str | None = None
    z_order: tuple[str, ...] = ()

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement."""
        if not tokens.take("OPTIMIZE"):
            return None
        target = _target(tokens)
        is_full = tokens.take("FULL")
        condition = _condition(tokens) if tokens.take("WHERE") else None
        z_order = _columns(tokens) if tokens.take("ZORDER", "BY") else ()
        if not tokens.is_at_end():
            raise _not_read(tokens, tokens.place)
        return cls(target=target, is_full=is_full, condition=condition, z_order=z_order)

    def run(self, context: Context) -> Rows:
        """Rewrite files, and report what was done."""
        others = DeltaAnalysisError("DELTA_ONLY_OPERATION", operation="OPTIMIZE")
        table = self.target.find_table(context, others)
        command = Optimize(
            table=table,
            conditions=() if self.condition is None else (self.condition,),
            z_order=self.z_order,
            is_full=self.is_full,
        )
        return [command.run(context).row(table.root)]


def _target(tokens: Tokens) -> Target:
    path = tokens.string()
    if path is not None:
        return Target(path=path)
    name = tokens.name()
    if not name:
        raise _not_read(tokens, tokens.place)
    return target_of(name)


def _condition(tokens: Tokens) -> str:
    """Take the text up to ZORDER BY or the end; a column may be called ZORDER, too."""
    begin = tokens.end_of_last
    while not tokens.is_at_end() and not tokens.sees("ZORDER", "BY"):
        tokens.skip()
    condition = without_comments(tokens.text[begin : tokens.place]).rstrip(";").rstrip()
    if not condition:
        raise _not_read(tokens, begin)
    return condition


def _columns(tokens: Tokens) -> tuple[str, ...]:
    """Take the names of columns, between parentheses or without them."""
    opened = tokens.take("(")
    columns = []
    while True:
        name = tokens.name()
        if not name:
            raise _not_read(tokens, tokens.place)
        columns.append(quote_path(name))
        if not tokens.take(","):
            break
    if opened and not tokens.take(")"):
        raise _not_read(tokens, tokens.place)
    return tuple(columns)


def _not_read(tokens: Tokens, place: int) -> DeltaParseError:
    return syntax_error(tokens.text, place, statement="OPTIMIZE", form=_FORM)
