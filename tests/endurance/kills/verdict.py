"""What must hold of a table after a process was killed in the middle of a statement."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from puredelta import check_table, open_table, write_table
from puredelta.log.names import SIDECAR_FOLDER
from puredelta.log.table_log import clear_cache, open_log
from puredelta.table.check import Severity
from tests.endurance.kills.leftovers import left_over
from tests.endurance.kills.places import Place
from tests.endurance.kills.plain_cases import Rows, arrow_rows, vacuum

NEXT: Rows = ((-2, "a"), (-1, "b"))
"""The rows that the next writer appends."""


@dataclass(frozen=True)
class Verdict:
    """What was found after a kill.

    Attributes:
        is_done: whether the statement had happened.
        leftovers: how many files nothing names, before VACUUM.
        kept: those of them that VACUUM left.
    """

    is_done: bool
    leftovers: int
    kept: tuple[str, ...]


def rows_in(place: Place) -> Rows | None:
    """Return the rows of a table, in order; None where there is no table."""
    clear_cache()
    if not open_log(place.url, place.options).exists():
        return None
    table = open_table(place.url, storage_options=dict(place.options)).to_arrow()
    return tuple(sorted(zip(table["id"].to_pylist(), table["p"].to_pylist(), strict=True)))


def judge(
    place: Place,
    before: Rows | None,
    after: Rows,
    *,
    told: bool,
    again: Callable[[], object],
    repeats: bool = False,
) -> Verdict:
    """Look at a table whose writer was killed, and go on with it.

    Args:
        place: the table.
        before: its rows before the statement; None where there was no table.
        after: its rows after it.
        told: whether the writer told of success before it died.
        again: runs the statement once more, where there is no table yet.
        repeats: whether to run it once more in any case, which must leave the rows after it.
    """
    found = rows_in(place)
    assert found in ((after,) if told else (before, after)), (before, after, found)
    is_done = found == after
    if found is None or repeats:
        again()
        assert rows_in(place) == after
        found = after
    assert_sound(place)
    write_table(place.url, arrow_rows(NEXT), storage_options=dict(place.options))
    assert rows_in(place) == tuple(sorted((*found, *NEXT)))
    assert_sound(place)
    leftovers = left_over(place)
    # Whole sidecars of a checkpoint that was not made go when the log is cleaned up.
    cleanup = {
        name for name in leftovers if name.startswith(f"{SIDECAR_FOLDER}/") and name[-4:] != ".tmp"
    }
    # A time in milliseconds must pass, for what is older than now goes.
    time.sleep(0.003)
    vacuum(place.url, place.options)
    assert rows_in(place) == tuple(sorted((*found, *NEXT)))
    assert_sound(place)
    return Verdict(is_done, len(leftovers), tuple(sorted(left_over(place) - cleanup)))


def assert_sound(place: Place) -> None:
    """Look whether `check` finds nothing but harmless leftovers."""
    clear_cache()
    report = check_table(place.url, storage_options=dict(place.options))
    assert [one for one in report.findings if one.severity is not Severity.INFO] == []
