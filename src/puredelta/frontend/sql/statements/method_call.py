"""CALL puredelta.method(...): a method of `DeltaTable` that a client of Spark Connect calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from pyspark.sql import SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from puredelta.engine.session.context import Context
from puredelta.frontend.sql.statements.statement import Rows, Statement, Target
from puredelta.frontend.sql.tokens import Tokens, syntax_error

HEAD = "CALL puredelta.method"
"""How the statement begins; parentheses with one string follow."""

AnswerCalls = Callable[[SparkSession, str], str]

_answers: list[AnswerCalls] = []


def answer_calls_with(answer: AnswerCalls) -> None:
    """Have a function answer the calls.

    Args:
        answer: gets the session of the client and what it sent, and returns what it gets back.
    """
    _answers[:] = [answer]


class MethodCallStatement(Statement, frozen=True, kw_only=True, tag="method_call"):
    """CALL puredelta.method('...').

    Attributes:
        calls: what the client sent.
    """

    begins: ClassVar[tuple[str, ...]] = ("CALL",)
    schema: ClassVar[StructType] = StructType([StructField("answer", StringType())])
    target: Target = Target()
    calls: str

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement."""
        if not (_answers and tokens.take("CALL", "PUREDELTA", ".", "METHOD", "(")):
            return None
        calls = tokens.string()
        if calls is None or not tokens.take(")") or not tokens.is_at_end():
            form = "a string in parentheses, which a client of Spark Connect makes"
            raise syntax_error(tokens.text, tokens.place, statement=HEAD, form=form)
        return cls(calls=calls)

    def run(self, context: Context) -> Rows:
        """Call the method."""
        return [{"answer": _answers[0](context.session, self.calls)}]
