"""From an error condition and its parameters to the message, out of `conditions/*.toml`."""

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# The folder of the page that `project.urls` in pyproject.toml names as the documentation.
DOCUMENTATION = "https://github.com/puredelta/puredelta/blob/main/docs"

_PLACE = re.compile(r"\{(\w+)\}")


class UnknownConditionError(KeyError):
    """A condition or parameter that the catalogue does not contain: a fault in this package."""

    def __init__(self, condition: str, missing: Iterable[str] = ()) -> None:
        parameters = f" without {sorted(missing)}" if missing else ""
        super().__init__(f"{condition}{parameters}")


@dataclass(frozen=True, slots=True)
class ConditionText:
    """The entry of one condition in the catalogue.

    Attributes:
        sql_state: The SQLSTATE.
        message: The text, with `{named}` parameters.
    """

    sql_state: str
    message: str

    @property
    def places(self) -> frozenset[str]:
        """The names of the parameters that the message needs."""
        return frozenset(_PLACE.findall(self.message))


def lookup(condition: str) -> ConditionText:
    """Find a condition; the text of `MAIN.SUB` is that of `MAIN` followed by that of `SUB`.

    Raises:
        UnknownConditionError: The catalogue has no such condition.
    """
    try:
        return catalogue()[condition]
    except KeyError:
        raise UnknownConditionError(condition) from None


def link_to(condition: str) -> str:
    """Return the address of a condition's heading in the documentation.

    GitHub and mkdocs derive the same anchor from a heading: lower case, without dots.
    """
    return f"{DOCUMENTATION}/reference/errors.md#{condition.lower().replace('.', '')}"


def render(condition: str, parameters: Mapping[str, str]) -> str:
    """Fill the parameters into the message of a condition.

    Raises:
        UnknownConditionError: The condition is unknown, or a parameter of it is missing.
    """
    text = lookup(condition)
    if missing := text.places - parameters.keys():
        raise UnknownConditionError(condition, missing)
    # One pass, unlike str.format or repeated replacement: braces inside a value, such as a path or
    # SQL, stay as they are.
    return _PLACE.sub(lambda place: parameters[place[1]], text.message)


@cache
def catalogue() -> dict[str, ConditionText]:
    """Read all conditions; done once, when the first error is made."""
    found: dict[str, ConditionText] = {}
    for file in (files("puredelta.errors") / "conditions").iterdir():
        if file.name.endswith(".toml"):
            found.update(_conditions(tomllib.loads(file.read_text(encoding="utf-8"))))
    return found


def _conditions(document: Mapping[str, Any]) -> dict[str, ConditionText]:
    found: dict[str, ConditionText] = {}
    for name, entry in document.items():
        state, message = str(entry["sql_state"]), str(entry.get("message", ""))
        found[name] = ConditionText(state, message)
        for sub_name, sub in entry.items():
            if isinstance(sub, dict):
                text = f"{message} {sub['message']}".strip()
                found[f"{name}.{sub_name}"] = ConditionText(str(sub.get("sql_state", state)), text)
    return found
