"""Answers the parser adapter: says which texts are ours, and runs them."""

import json
from typing import Any

from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.catalyst.double_quotes import portable
from puredelta.engine.session.context import context_of
from puredelta.engine.session.sessions import session_of, with_variables
from puredelta.engine.session.spark_objects import json_lines
from puredelta.frontend.sql.explain_clause import explain_head
from puredelta.frontend.sql.not_offered import refuse_statement
from puredelta.frontend.sql.rewrite.rewrites import rewritten_statement
from puredelta.frontend.sql.script import statements_of_script
from puredelta.frontend.sql.statements.registry import (
    decode_statement,
    encode_statement,
    read_statement,
)
from puredelta.frontend.sql.statements.statement import Statement
from puredelta.frontend.sql_text import literal


@serve("sql.parse")
def parse(text: str, _first: Any, _second: Any) -> str | None:
    """Read a statement; None when it is Spark's, or a text that Spark is to read in its place.

    Raises:
        DeltaAnalysisError: DELTA_OPERATION_NOT_ALLOWED for INSERT OVERWRITE DIRECTORY,
            PUREDELTA_GENERATED_COLUMN_IN_ALTER_TABLE, and what the statement raises.
    """
    text = portable(with_variables(text))
    script = _rewritten_script(text)
    if script is not None:
        return json.dumps({"text": script})
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


def _rewritten_script(text: str) -> str | None:
    """Return a script with other texts for what Spark cannot parse in it; None for other texts."""
    pieces, end = [], 0
    for start, stop in statements_of_script(text):
        pieces += [text[end:start], _in_script(text[start:stop])]
        end = stop
    return "".join([*pieces, text[end:]]) if pieces else None


def _in_script(text: str) -> str:
    """Return the text of a statement for a script, which Spark parses without asking us."""
    head, _ = explain_head(text)
    rest = text[len(head) :]
    if read_statement(rest) is not None:
        # It is parsed by us when its turn comes, with the tables that are there by then.
        return f"EXECUTE IMMEDIATE {literal(text)}"
    refuse_statement(rest)
    rewritten = rewritten_statement(rest)
    return text if rewritten is None else head + rewritten


@serve("sql.run")
def run(text: str, jvm_session: Any, _second: Any) -> str:
    """Run a statement; answer with its rows."""
    return json_lines(decode_statement(text).run(context_of(session_of(jvm_session))))
