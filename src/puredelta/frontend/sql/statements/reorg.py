"""REORG TABLE ... APPLY (PURGE)."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql.types import StructType

from puredelta.commands.optimize.metrics import RESULT
from puredelta.commands.optimize.purge import Purge
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError, DeltaParseError
from puredelta.frontend.sql.lexer import without_comments
from puredelta.frontend.sql.statements.statement import Rows, Statement, target_of
from puredelta.frontend.sql.tokens import Tokens, syntax_error

_APPLY = ("APPLY", "(", "PURGE", ")")
_FORM = "the name of a table, WHERE with a condition on partition columns if need be, APPLY (PURGE)"


class ReorgStatement(Statement, frozen=True, kw_only=True, tag="reorg"):
    """REORG TABLE t [WHERE condition] APPLY (PURGE).

    Attributes:
        condition: which partitions, in SQL; None for all.
    """

    begins: ClassVar[tuple[str, ...]] = ("REORG",)
    schema: ClassVar[StructType] = RESULT
    condition: str | None = None

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement."""
        if not tokens.take("REORG", "TABLE"):
            return None
        name = tokens.name()
        if not name:
            raise _not_read(tokens, tokens.place)
        condition = _condition(tokens) if tokens.take("WHERE") else None
        begin = tokens.place
        if not tokens.take(*_APPLY) or not tokens.is_at_end():
            raise _not_read(tokens, begin)
        return cls(target=target_of(name), condition=condition)

    def run(self, context: Context) -> Rows:
        """Rewrite the files, and report what was done."""
        others = DeltaAnalysisError("DELTA_ONLY_OPERATION", operation="REORG TABLE")
        table = self.target.find_table(context, others)
        metrics = Purge(table=table, condition=self.condition).run(context)
        return [metrics.row(table.root)]


def _condition(tokens: Tokens) -> str:
    """Take the text up to the APPLY that ends the statement; a column may have that name, too."""
    begin = tokens.end_of_last
    while not tokens.is_at_end():
        if tokens.sees(*_APPLY):
            end = tokens.place
            tokens.take(*_APPLY)
            if tokens.is_at_end():
                tokens.go_to(end)
                condition = without_comments(tokens.text[begin:end])
                if condition:
                    return condition
                break
            tokens.go_to(end)
        tokens.skip()
    raise _not_read(tokens, begin)


def _not_read(tokens: Tokens, place: int) -> DeltaParseError:
    return syntax_error(tokens.text, place, statement="REORG TABLE", form=_FORM)
