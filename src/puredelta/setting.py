"""One setting of a session: its name, its default, and how its text is read."""

import math
from dataclasses import dataclass
from typing import Any

PREFIX = "spark.databricks.delta."

# The bounds of Int and Long in the JVM, where Spark parses its own settings.
_INTEGER_BITS = 31
_LONG_BITS = 63


class MalformedSettingError(ValueError):
    """A setting has a value that is not allowed.

    Attributes:
        key: the setting.
        text: its value, as it was set.
        kind: what it should be.
    """

    def __init__(self, key: str, text: str, kind: str) -> None:
        super().__init__(f"{key} cannot be '{text}': it is a {kind}")
        self.key, self.text, self.kind = key, text, kind


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    Attributes:
        key: its full name.
        default: the value of a session that does not set it; empty for none.
        kind: `boolean`, `int`, `long`, `double` or `text`.
    """

    key: str
    default: str
    kind: str

    def read(self, text: str) -> Any:
        """Convert a string to the value; None for an empty string.

        Raises:
            MalformedSettingError: the string is no value of the kind.
        """
        stripped = text.strip()
        if not stripped:
            return None
        if self.kind == "boolean" and stripped.lower() in {"true", "false"}:
            return stripped.lower() == "true"
        if self.kind in {"int", "long"} and (number := _whole(stripped)) is not None:
            bits = _INTEGER_BITS if self.kind == "int" else _LONG_BITS
            if -(1 << bits) <= number < 1 << bits:
                return number
        if self.kind == "double" and (ratio := _decimal(stripped)) is not None:
            return ratio
        if self.kind == "text":
            return text
        raise MalformedSettingError(self.key, text, self.kind)


def _whole(text: str) -> int | None:
    # int() also accepts underscores, blanks and digits of other scripts, which Spark refuses.
    digits = text[1:] if text[0] in "+-" else text
    return int(text) if digits.isascii() and digits.isdigit() else None


def _decimal(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def flag(name: str, *, default: bool) -> Setting:
    """Return a setting of delta-spark that is on or off.

    Args:
        name: its name behind `PREFIX`.
        default: whether it is on when nobody has set it.
    """
    return Setting(PREFIX + name, "true" if default else "false", "boolean")


def check_positive(setting: Setting, number: int | None) -> None:
    """Refuse a number below 1, or none.

    Raises:
        MalformedSettingError: the setting has another value.
    """
    if number is None or number < 1:
        raise MalformedSettingError(setting.key, str(number), "number of at least 1")
