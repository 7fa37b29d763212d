"""ALTER TABLE ... DROP FEATURE."""

from __future__ import annotations

from typing import ClassVar

from puredelta.commands.alter.drop_feature import DropFeature
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.sql.statements.statement import (
    NO_ROWS,
    Rows,
    Statement,
    altered_table,
    target_of,
)
from puredelta.frontend.sql.tokens import Tokens, syntax_error

_FORM = "the name of a table feature; behind it may stand TRUNCATE HISTORY"


class DropFeatureStatement(Statement, frozen=True, kw_only=True, tag="dropFeature"):
    """ALTER TABLE t DROP FEATURE f [TRUNCATE HISTORY].

    Attributes:
        feature: the name of the table feature.
        truncates_history: the versions that have traces of the feature go.
    """

    begins: ClassVar[tuple[str, ...]] = ("ALTER",)
    feature: str
    truncates_history: bool = False

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement."""
        table = altered_table(tokens)
        if not table or not tokens.take("DROP", "FEATURE"):
            return None
        feature = tokens.word() or tokens.string()
        truncates = tokens.take("TRUNCATE", "HISTORY")
        if feature is None or not tokens.is_at_end():
            raise syntax_error(tokens.text, tokens.place, statement="DROP FEATURE", form=_FORM)
        return cls(target=target_of(table), feature=feature, truncates_history=truncates)

    def run(self, context: Context) -> Rows:
        """Drop the feature."""
        others = DeltaAnalysisError(
            "DELTA_ONLY_OPERATION", operation="ALTER TABLE ... DROP FEATURE"
        )
        table = self.target.find_table(context, others)
        DropFeature(
            table=table, feature=self.feature, truncates_history=self.truncates_history
        ).run(context)
        return NO_ROWS
