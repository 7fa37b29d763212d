"""Explains what writers were told and read by one order of commits: that of the table's versions.

The versions are replayed against the model. Every commit must be one that was asked for, every
success must be one commit, every failure none, and every read the rows of its version. An unknown
outcome may be a commit or none. Versions must also fit the times: what was told of as made before
another thing was asked comes before it, in versions and in reads.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.endurance.writers.operations import State
from tests.endurance.writers.records import FAILED, MADE, Asked, Read


@dataclass(frozen=True)
class History:
    """What happened.

    Attributes:
        first: the rows of version 0.
        tokens: of the versions from 1 on, in order: the user metadata of each commit.
        asked: all operations, by all writers.
        reads: all reads, by all readers.
    """

    first: State
    tokens: Sequence[str | None]
    asked: Sequence[Asked]
    reads: Sequence[Read]


def violations(history: History) -> list[str]:
    """Return what no serial order explains, in words; nothing for a history that is sound."""
    by_token = {one.operation.token: one for one in history.asked}
    states = replay(history, by_token)
    versions = {
        token: version for version, token in enumerate(history.tokens, 1) if token is not None
    }
    return [
        *_wrong_commits(history, by_token),
        *(text for one in history.asked for text in _wrong_outcome(one, versions, states)),
        *(text for read in history.reads for text in _wrong_read(read, states)),
        *_wrong_times(history, versions),
    ]


def replay(history: History, by_token: Mapping[str, Asked]) -> list[State]:
    """Return the rows of each version as the model has them."""
    states = [history.first]
    for token in history.tokens:
        found = by_token.get(token or "")
        states.append(states[-1] if found is None else found.operation.apply(states[-1]))
    return states


def _wrong_commits(history: History, by_token: Mapping[str, Asked]) -> Iterator[str]:
    for version, token in enumerate(history.tokens, 1):
        if token not in by_token:
            yield f"version {version} is a commit that nobody asked for: {token}"
    for token, count in Counter(history.tokens).items():
        if count > 1:
            yield f"{token} was committed {count} times"


def _wrong_outcome(
    one: Asked, versions: Mapping[str, int], states: Sequence[State]
) -> Iterator[str]:
    token = one.operation.token
    version = versions.get(token)
    if one.outcome == FAILED and version is not None:
        yield f"{token} failed ({one.error}), and is version {version}"
    if one.outcome != MADE:
        return
    if version is None:
        # An engine need not commit what changes nothing.
        if all(one.operation.apply(state) != state for state in states):
            yield f"{token} ({one.operation.kind}) was told of as made, and is no version"
    elif one.version is not None and one.version != version:
        yield f"{token} was told to be version {one.version}, and is {version}"


def _wrong_read(read: Read, states: Sequence[State]) -> Iterator[str]:
    where = f"{read.reader} read version {read.version}"
    if read.version >= len(states):
        yield f"{where}, which is not there"
    elif read.rows != states[read.version]:
        missing, more = states[read.version] - read.rows, read.rows - states[read.version]
        yield f"{where} without {_some(missing)}, and with {_some(more)} beside"


def _some(rows: State) -> str:
    first = sorted(rows.elements())[:5]
    return f"{first} ({rows.total()} rows)" if rows else "nothing"


def _wrong_times(history: History, versions: Mapping[str, int]) -> Iterator[str]:
    """Yield what was asked after a version was told of, and does not come after it."""
    made = [
        (one.end, versions[one.operation.token], one.operation.token)
        for one in history.asked
        if one.outcome == MADE and one.end is not None and one.operation.token in versions
    ]
    told = sorted(made)
    tried = [one for one in history.asked if one.operation.token in versions]
    questions = [
        *((one.start, versions[one.operation.token] - 1, one.operation.token) for one in tried),
        *((read.start, read.version, f"a read of {read.reader}") for read in history.reads),
    ]
    newest, number = 0, 0
    for start, version, what in sorted(questions):
        while number < len(told) and told[number][0] < start:
            newest = max(newest, told[number][1])
            number += 1
        if version < newest:
            yield f"{what} saw version {version}, after version {newest} was told of as made"
