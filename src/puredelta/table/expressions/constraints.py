"""CHECK constraints of a table: conditions that each of its rows must meet, stored as properties.

Protocol: CHECK Constraints. A second property, `puredelta.notValid.<name>`, marks a constraint that
old rows have not been checked against. Other engines ignore it and check new rows all the same. Its
value is the condition it was made for, so that a stale property has no effect.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from puredelta.errors.classes import DeltaAnalysisError, DeltaParseError
from puredelta.table.protocol.feature_activation import CONSTRAINT_PREFIX

NOT_VALID_PREFIX = "puredelta.notValid."
RESERVED_NAME = "__CHAR_VARCHAR_STRING_LENGTH_CHECK__"
"""What delta-spark calls the check of declared lengths among its constraints."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """A CHECK constraint.

    Attributes:
        name: Its name, in small letters.
        expression: The condition, in SQL; it must be true, null is not enough.
        is_validated: Do the rows that are older than the constraint meet it?
    """

    name: str
    expression: str
    is_validated: bool = True


def constraints_of(configuration: Mapping[str, str]) -> tuple[Constraint, ...]:
    """Return the constraints of a table, by name.

    Args:
        configuration: The table's properties.
    """
    # Other writers may store two whose names differ in case alone; both count.
    found = sorted(
        (key[len(CONSTRAINT_PREFIX) :].lower(), text)
        for key, text in configuration.items()
        if key.lower().startswith(CONSTRAINT_PREFIX)
    )
    return tuple(
        Constraint(name, text, configuration.get(NOT_VALID_PREFIX + name) != text)
        for name, text in found
    )


def find_constraint(configuration: Mapping[str, str], name: str) -> Constraint | None:
    """Find a constraint by its name, in any case of letters."""
    wanted = name.lower()
    return next(
        (constraint for constraint in constraints_of(configuration) if constraint.name == wanted),
        None,
    )


def with_constraint(
    configuration: Mapping[str, str], name: str, expression: str, *, is_validated: bool = True
) -> dict[str, str]:
    """Return properties with one more constraint.

    Raises:
        DeltaAnalysisError: DELTA_INVALID_CONSTRAINT_NAME, DELTA_CONSTRAINT_ALREADY_EXISTS.
    """
    check_name(name)
    existing = find_constraint(configuration, name)
    if existing is not None:
        raise DeltaAnalysisError(
            "DELTA_CONSTRAINT_ALREADY_EXISTS",
            constraintName=name,
            oldConstraint=existing.expression,
        )
    mark = {} if is_validated else {NOT_VALID_PREFIX + name.lower(): expression}
    # A leftover property `notValid` of an older constraint goes as well.
    return without_constraint(configuration, name) | {
        CONSTRAINT_PREFIX + name.lower(): expression,
        **mark,
    }


def free_name(taken: Collection[str], *words: str) -> str:
    """Return a name for a constraint that got none.

    Args:
        taken: the names of others, in small letters.
        *words: what it is made of.

    >>> free_name({"t_check"}, "t", "check")
    't_check2'
    """
    base = "_".join(words).lower()
    number, name = 1, base
    while name in taken:
        number += 1
        name = f"{base}{number}"
    return name


def validated(configuration: Mapping[str, str], name: str) -> dict[str, str]:
    """Return properties without the mark that the old rows are not known to meet a constraint."""
    mark = (NOT_VALID_PREFIX + name).lower()
    return {key: text for key, text in configuration.items() if key.lower() != mark}


def without_constraint(configuration: Mapping[str, str], name: str) -> dict[str, str]:
    """Return properties without a constraint, which need not exist."""
    gone = (CONSTRAINT_PREFIX + name).lower()
    kept = validated(configuration, name)
    return {key: text for key, text in kept.items() if key.lower() != gone}


def check_name(name: str) -> None:
    """Refuse the name that delta-spark reserves.

    Raises:
        DeltaAnalysisError: DELTA_INVALID_CONSTRAINT_NAME.
    """
    if name.upper() == RESERVED_NAME:
        raise DeltaAnalysisError("DELTA_INVALID_CONSTRAINT_NAME", name=name)


_REFUSED = {"NOT": "NOT ENFORCED", "RELY": "RELY"}


def check_characteristics(words: Iterable[str]) -> None:
    """Refuse what a table cannot say of a CHECK constraint; ENFORCED and NORELY go without saying.

    Args:
        words: what a statement says behind the condition, in capital letters.

    Raises:
        DeltaParseError: UNSUPPORTED_CONSTRAINT_CHARACTERISTIC.
    """
    for word in words:
        if word in _REFUSED:
            raise DeltaParseError(
                "UNSUPPORTED_CONSTRAINT_CHARACTERISTIC",
                characteristic=_REFUSED[word],
                constraintType="CHECK",
            )
