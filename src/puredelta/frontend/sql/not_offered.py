"""What is not offered, or not in this session: refused by name."""

import re
from typing import Any

from puredelta.engine.bridge.failures import translate_with
from puredelta.errors.classes import DeltaAnalysisError, DeltaError
from puredelta.frontend.sql.tokens import Tokens

_DIRECTORY = "INSERT OVERWRITE DIRECTORY"


def refuse_statement(text: str) -> None:
    """Refuse INSERT OVERWRITE DIRECTORY in the format of Delta, which delta-spark refuses, too.

    Args:
        text: any SQL.

    Raises:
        DeltaAnalysisError: DELTA_OPERATION_NOT_ALLOWED.
    """
    tokens = Tokens(text)
    if tokens.take("INSERT", "OVERWRITE") and _is_directory(tokens):
        raise DeltaAnalysisError("DELTA_OPERATION_NOT_ALLOWED", operation=_DIRECTORY)


def _is_directory(tokens: Tokens) -> bool:
    """Say whether rows are to be written into a directory in the format of Delta."""
    tokens.take("LOCAL")
    if not tokens.take("DIRECTORY"):
        return False
    tokens.string()
    return tokens.take("USING") and (tokens.word() or "").lower() == "delta"


# How Spark says that it found nothing of ours for what it was asked.
_OF_SPARK = (
    re.compile(r"UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY.*: delta\b"),
    re.compile(r"Table `delta` does not support batch scan"),
    re.compile(r"provider 'delta' does not support external metadata"),
)
_WHOLE_PATH = re.compile(r"\s*delta\s*\.\s*`(/|\w+:)", re.IGNORECASE)


def unsupported_error(message: str) -> DeltaError | None:
    """Return our error for one of Spark's that says less; None for all others.

    Args:
        message: Spark's.
    """
    if any(pattern.search(message) for pattern in _OF_SPARK):
        return DeltaAnalysisError("PUREDELTA_OTHER_SESSION")
    return None


def _translated(java_error: Any) -> DeltaError | None:
    message = str(java_error.toString())
    if "UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY" in message and not _names_a_path(java_error):
        return None
    return unsupported_error(message)


def _names_a_path(java_error: Any) -> bool:
    """Say whether a statement failed at a path: delta.`relative` is a name in every session."""
    return any(
        _WHOLE_PATH.match(str(context.fragment())) for context in java_error.getQueryContext()
    )


translate_with(_translated)
