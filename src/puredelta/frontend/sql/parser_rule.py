"""Answers the parser adapter: says which texts are ours, and runs them."""

import json
from typing import Any

from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.session.context import context_of
from puredelta.engine.session.sessions import session_of, with_variables
from puredelta.engine.session.spark_objects import json_lines
from puredelta.frontend.sql.explain_clause import explain_head
from puredelta.frontend.sql.not_offered import refuse_statement
from puredelta.frontend.sql.rewrite.rewrites import rewritten_statement
from puredelta.frontend.sql.statements.registry import (
    decode_statement,
    encode_statement,
    read_statement,
)
from puredelta.frontend.sql.statements.statement import Statement


@serve("sql.parse")
def parse(text: str, _first: Any, _second: Any) -> str | None:
    """Read a statement; None when it is Spark's, or a text that Spark is to read in its place.

    Raises:
        DeltaAnalysisError: DELTA_OPERATION_NOT_ALLOWED for INSERT OVERWRITE DIRECTORY,
            PUREDELTA_GENERATED_COLUMN_IN_ALTER_TABLE, and what the statement raises.
    """
    text = with_variables(text)
    head, mode = explain_head(text)
    rest = text[len(head) :]
    parsed = _parsed(rest)
    if parsed is None:
        return None
    if isinstance(parsed, str):
        return json.dumps({"text": head + parsed})
    answer = {"statement": encode_statement(parsed, rest), "schema": parsed.schema.json()}
    return json.dumps(answer if mode is None else {**answer, "explain": mode})


def _parsed(text: str) -> Statement | str | None:
    """Read a statement without EXPLAIN, or the text that Spark is to read in its place."""
    statement = read_statement(text)
    if statement is not None:
        return statement.resolve()
    refuse_statement(text)
    return rewritten_statement(text)


@serve("sql.run")
def run(text: str, jvm_session: Any, _second: Any) -> str:
    """Run a statement; answer with its rows."""
    return json_lines(decode_statement(text).run(context_of(session_of(jvm_session))))
