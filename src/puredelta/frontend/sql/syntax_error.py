"""The error for a statement of ours that begins as it should and goes on in another way."""

from puredelta.errors.classes import DeltaParseError

_SHOWN = 40


def syntax_error(text: str, place: int, *, statement: str, form: str) -> DeltaParseError:
    """Say from where on a statement cannot be read.

    Args:
        text: all of it.
        place: where that is.
        statement: the words that it begins with.
        form: what may stand behind them.
    """
    rest = text[place:]
    place += len(rest) - len(rest.lstrip())
    before = text[:place]
    return DeltaParseError(
        "PARSE_SYNTAX_ERROR",
        statement=statement,
        line=before.count("\n") + 1,
        column=place - before.rfind("\n"),
        context=text[place : place + _SHOWN].rstrip() or "(the end)",
        form=form,
    )
