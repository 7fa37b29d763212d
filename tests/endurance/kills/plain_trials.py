"""Trials without Spark: a copy of a table, a child that is killed, and the verdict."""

import os
import signal

from tests.endurance.kills.interposer import Call, Interposer, KillAt, first_of_commit
from tests.endurance.kills.places import LocalPlace, Place
from tests.endurance.kills.plain_cases import CASES
from tests.endurance.kills.plain_children import Children, Outcome
from tests.endurance.kills.trials import Tally, chosen
from tests.endurance.kills.verdict import judge

_NOWHERE = f"{os.devnull}/nothing"
"""A folder in which nothing happens, where only calls on sockets are to count."""


def try_case(
    interposer: Interposer, processes: Children, name: str, table: Place, kills: int
) -> Tally:
    """Kill the statement of a case at many of its calls; judge each time."""
    case, tally = CASES[name], Tally()
    case.make(table)
    alive = table.copy("alive")
    outcome, calls = _run(interposer, processes, name, alive, KillAt())
    assert outcome.is_success, outcome.told
    alive.remove()
    for number, kill_at in enumerate(chosen(calls, kills, seed=1)):
        place = table.copy(f"trial-{number}")
        outcome, made = _run(interposer, processes, name, place, kill_at)
        # Threads do not make their calls in the same order each time, nor as many.
        if os.WIFSIGNALED(outcome.status):
            assert os.WTERMSIG(outcome.status) == signal.SIGKILL
        else:
            assert outcome.is_success, outcome.told
        verdict = judge(
            place,
            case.before,
            case.after,
            told=outcome.is_success,
            again=lambda place=place: case.run(place.url, place.options),
        )
        inside = len(made) > first_of_commit(made)
        tally.add(verdict, inside=inside, told=outcome.is_success)
        place.remove()
    return tally


def _run(
    interposer: Interposer, processes: Children, name: str, place: Place, kill_at: KillAt
) -> tuple[Outcome, list[Call]]:
    """Let a child run the statement of a case; return how it ended, and what it called."""
    folder = place.folder if isinstance(place, LocalPlace) else None
    interposer.arm(folder or _NOWHERE, kill_at, sockets=folder is None)
    outcome = processes.run(name, place.url, place.options)
    return outcome, interposer.disarm()
