"""The checker finds what is wrong, and accepts what a serial order explains."""

from collections import Counter
from dataclasses import replace

import pytest

from tests.endurance.writers.checker import History, violations
from tests.endurance.writers.operations import Operation
from tests.endurance.writers.records import FAILED, MADE, UNKNOWN, Asked, Read

FIRST = Counter({(1, 0): 1, (2, 0): 1})
APPEND = Operation("append", "a", ids=(3,))
UPDATE = Operation("update", "u", divisor=2, remainder=1)

SOUND = History(
    FIRST,
    ["a", "u"],
    [Asked(APPEND, 1, 2, MADE, 1), Asked(UPDATE, 3, 4, MADE, 2)],
    [
        Read("r", 0, 5, 0, FIRST),
        Read("r", 2.5, 5, 1, FIRST + Counter([(3, 0)])),
        Read("r", 5, 6, 2, Counter([(1, 1), (2, 0), (3, 1)])),
    ],
)


def with_asked(number, **changes):
    asked = list(SOUND.asked)
    asked[number] = replace(asked[number], **changes)
    return replace(SOUND, asked=asked)


def with_read(**changes):
    return replace(SOUND, reads=[replace(SOUND.reads[-1], **changes)])


def test_serial_history_is_sound():
    assert violations(SOUND) == []


@pytest.mark.parametrize(
    "history",
    [
        with_asked(1, outcome=UNKNOWN, end=None, version=None),
        replace(
            SOUND,
            tokens=["a"],
            asked=[SOUND.asked[0], replace(SOUND.asked[1], outcome=UNKNOWN, end=None)],
            reads=SOUND.reads[:2],
        ),
    ],
)
def test_unknown_outcome_is_a_commit_or_none(history):
    assert violations(history) == []


def test_success_that_changes_nothing_needs_no_commit():
    nothing = Operation("delete", "d", divisor=100, remainder=99)
    history = replace(SOUND, asked=[*SOUND.asked, Asked(nothing, 5, 6, MADE)])

    assert violations(history) == []


@pytest.mark.parametrize(
    ("history", "words"),
    [
        (replace(SOUND, tokens=["a", "u", "a"]), "committed 2 times"),
        (replace(SOUND, tokens=["a", "u", "x"]), "nobody asked for"),
        (replace(SOUND, tokens=["a"], reads=[]), "is no version"),
        (with_asked(1, outcome=FAILED), "and is version 2"),
        (with_asked(1, version=1), "told to be version 1"),
        (with_read(rows=SOUND.reads[1].rows), "without"),
        (with_read(version=3), "not there"),
        (with_read(version=0, rows=FIRST), "saw version 0, after version 2"),
        (with_asked(0, start=4.5, end=5), "saw version 0, after version 2"),
    ],
)
def test_history_without_a_serial_order_is_found(history, words):
    assert any(words in text for text in violations(history)), violations(history)
