"""GENERATE symlink_format_manifest FOR TABLE."""

from __future__ import annotations

from typing import ClassVar

from puredelta.commands.generate import Generate
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.sql.statements.statement import NO_ROWS, Rows, Statement, target_of
from puredelta.frontend.sql.tokens import Tokens, syntax_error

_FORM = "symlink_format_manifest, FOR TABLE and the name of a table"


class GenerateStatement(Statement, frozen=True, kw_only=True, tag="generate"):
    """GENERATE mode FOR TABLE t.

    Attributes:
        mode: what is generated.
    """

    begins: ClassVar[tuple[str, ...]] = ("GENERATE",)
    mode: str

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement."""
        tokens.take("GENERATE")
        mode = tokens.word()
        name = tokens.name() if mode and tokens.take("FOR", "TABLE") else ()
        if not mode or not name or not tokens.is_at_end():
            raise syntax_error(tokens.text, tokens.place, statement="GENERATE", form=_FORM)
        return cls(target=target_of(name), mode=mode)

    def run(self, context: Context) -> Rows:
        """Write the manifests."""
        others = DeltaAnalysisError("DELTA_ONLY_OPERATION", operation="GENERATE")
        Generate(table=self.target.find_table(context, others), mode=self.mode).run(context)
        return NO_ROWS
