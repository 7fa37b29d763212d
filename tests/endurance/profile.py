"""How long the endurance tests run: seconds in the gate, longer when they are asked to."""

import os

IS_LONG = os.environ.get("PUREDELTA_ENDURANCE") == "long"


def chosen(short: int, long: int) -> int:
    """Return the number of the profile that is chosen."""
    return long if IS_LONG else short
