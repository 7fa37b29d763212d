"""Names that are like a name that does not exist, for errors."""

from collections.abc import Iterable
from difflib import get_close_matches

_MOST_NAMES = 3
_LEAST_LIKENESS = 0.6


def similar_names(
    name: str, known: Iterable[str], least_likeness: float = _LEAST_LIKENESS
) -> list[str]:
    """Return the known names that are most like a name, the most similar first.

    Args:
        name: the name that does not exist; capitals do not count.
        known: the names that exist.
        least_likeness: how like it a name must be, from 0 to 1 for the same.

    >>> similar_names("AMUONT", ["id", "amount", "ordered"])
    ['amount']
    """
    # Reversed, so that of names that differ in case alone the first one is suggested.
    by_lower = {each.lower(): each for each in reversed(list(known))}
    like = get_close_matches(name.lower(), by_lower, n=_MOST_NAMES, cutoff=least_likeness)
    return [by_lower[each] for each in like]


def like_it(name: str, known: Iterable[str]) -> str:
    """Return the similar names in parentheses, to stand behind a name in a message.

    >>> like_it("amuont", ["id", "amount"]), like_it("zzz", ["id", "amount"])
    (' (like it: amount)', '')
    """
    like = similar_names(name, known)
    return f" (like it: {', '.join(like)})" if like else ""
