"""What is not offered: refused by name."""

from puredelta.errors.classes import DeltaAnalysisError
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
