"""RESTORE TABLE ... TO VERSION AS OF and TO TIMESTAMP AS OF."""

from __future__ import annotations

import re
from typing import ClassVar

from pyspark.sql.types import StructType

from puredelta.commands.restore import RESULT, Restore
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.sql.statements.statement import NO_ROWS, Rows, Statement, target_of
from puredelta.frontend.sql.tokens import Tokens, syntax_error

_NUMBER = re.compile(r"[0-9]{1,18}(?!\w)")
_QUOTED_NUMBER = re.compile(r"\s*[0-9]{1,18}\s*")
_VERSION = ("VERSION", "SYSTEM_VERSION")
_TIME = ("TIMESTAMP", "SYSTEM_TIME")
_FORM = (
    "the name of a table, TO if you like, then VERSION AS OF and a number, "
    "or TIMESTAMP AS OF and a time in quotes"
)


class RestoreStatement(Statement, frozen=True, kw_only=True, tag="restore"):
    """RESTORE [TABLE] t [TO] [FOR] {VERSION AS OF n | TIMESTAMP AS OF 's'}.

    Attributes:
        version: the version to go back to.
        timestamp: the time to go back to, in place of a version.
    """

    begins: ClassVar[tuple[str, ...]] = ("RESTORE",)
    schema: ClassVar[StructType] = RESULT
    version: int | None = None
    timestamp: str | None = None

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement."""
        tokens.take("RESTORE")
        # A table may have the name TABLE.
        if not any(tokens.sees("TABLE", word) for word in ("TO", "FOR", *_VERSION, *_TIME)):
            tokens.take("TABLE")
        name = tokens.name()
        tokens.take("TO")
        tokens.take("FOR")
        version = timestamp = None
        if not name:
            pass
        elif any(tokens.take(word, "AS", "OF") for word in _VERSION):
            version = _version(tokens)
        elif any(tokens.take(word, "AS", "OF") for word in _TIME):
            timestamp = tokens.string()
        if (version is None and timestamp is None) or not tokens.is_at_end():
            raise syntax_error(tokens.text, tokens.place, statement="RESTORE", form=_FORM)
        return cls(target=target_of(name), version=version, timestamp=timestamp)

    def run(self, context: Context) -> Rows:
        """Restore the version; there is no row where the table is at it already."""
        others = DeltaAnalysisError("DELTA_ONLY_OPERATION", operation="RESTORE")
        table = self.target.find_table(context, others)
        restored = Restore(table=table, version=self.version, timestamp=self.timestamp).run(context)
        return NO_ROWS if restored.version is None else [restored.as_row()]


def _version(tokens: Tokens) -> int | None:
    """Read a version, as a number or as one in quotes."""
    number = tokens.match(_NUMBER)
    if number is not None:
        return int(number)
    begin = tokens.place
    quoted = tokens.string()
    if quoted is None or not _QUOTED_NUMBER.fullmatch(quoted):
        tokens.go_to(begin)
        return None
    return int(quoted)
