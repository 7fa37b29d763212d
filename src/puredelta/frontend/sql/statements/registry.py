"""Every statement of ours: found by its text, and carried across the adapters as JSON."""

import functools
import json
import operator
from typing import Any

import msgspec

from puredelta.frontend.sql.statements.alter_column import (
    NestedTextsStatement,
    SyncIdentityStatement,
)
from puredelta.frontend.sql.statements.clone import CloneStatement
from puredelta.frontend.sql.statements.constraints import (
    AddConstraint,
    DropConstraint,
    ValidateConstraint,
)
from puredelta.frontend.sql.statements.convert import ConvertStatement
from puredelta.frontend.sql.statements.create_like import CreateLikeStatement
from puredelta.frontend.sql.statements.describe import DetailStatement, HistoryStatement
from puredelta.frontend.sql.statements.drop_feature import DropFeatureStatement
from puredelta.frontend.sql.statements.generate import GenerateStatement
from puredelta.frontend.sql.statements.method_call import MethodCallStatement
from puredelta.frontend.sql.statements.optimize import OptimizeStatement
from puredelta.frontend.sql.statements.reorg import ReorgStatement
from puredelta.frontend.sql.statements.restore import RestoreStatement
from puredelta.frontend.sql.statements.statement import Statement
from puredelta.frontend.sql.statements.vacuum import VacuumStatement
from puredelta.frontend.sql.tokens import Tokens

STATEMENTS: tuple[type[Statement], ...] = (
    AddConstraint,
    CloneStatement,
    ConvertStatement,
    CreateLikeStatement,
    DetailStatement,
    DropConstraint,
    DropFeatureStatement,
    GenerateStatement,
    HistoryStatement,
    MethodCallStatement,
    OptimizeStatement,
    NestedTextsStatement,
    ReorgStatement,
    RestoreStatement,
    SyncIdentityStatement,
    VacuumStatement,
    ValidateConstraint,
)
_BY_FIRST_WORD = {
    word: [kind for kind in STATEMENTS if word in kind.begins]
    for word in {word for kind in STATEMENTS for word in kind.begins}
}
_ANY: Any = functools.reduce(operator.or_, STATEMENTS)


def read_statement(text: str) -> Statement | None:
    """Read a statement of ours; None when the text is for Spark's parser.

    Raises:
        DeltaParseError: PARSE_SYNTAX_ERROR, DELTA_PARSING_ILLEGAL_TABLE_NAME.
    """
    tokens = Tokens(text)
    # Most texts are Spark's, and end here.
    for kind in _BY_FIRST_WORD.get(tokens.next_word, ()):
        tokens.restart()
        found = kind.read(tokens)
        if found is not None:
            return found
    return None


def encode_statement(statement: Statement, text: str) -> str:
    """Return the JSON in which a statement crosses the adapters; plans show its text."""
    values: dict[str, Any] = msgspec.to_builtins(statement)
    return json.dumps({**values, "text": " ".join(text.split())})


def decode_statement(text: str) -> Statement:
    """Read a statement that comes back from the adapters."""
    statement: Statement = msgspec.convert(json.loads(text), _ANY)
    return statement
