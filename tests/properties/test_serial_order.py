"""Whatever commits, some serial order gives the same table: that of the versions.

Transactions overlap as hypothesis likes. Those that land are then run by a model, one after the
other, and must have read what they would have read there.
"""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from puredelta.txn.commit_info import SERIALIZABLE, SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from tests.properties.race_driver import Driver
from tests.properties.serial_model import PARTITIONS, Table, Work

KINDS = (
    "append", "app append", "copy", "replace", "overwrite", "compact", "set property", "turn on",
)  # fmt: skip


@st.composite
def schedules(draw, kinds=KINDS):
    """Some transactions, and the order in which they begin and commit."""
    count = draw(st.integers(2, 6))
    partitions = st.sampled_from(PARTITIONS)
    kind = st.sampled_from(kinds)
    works = [
        Work(f"work {number}", draw(kind), draw(partitions), draw(partitions))
        for number in range(count)
    ]
    return draw(st.permutations([*works, *works]))


@st.composite
def clocks(draw):
    """A clock that may stand, jump and go back."""
    ticks = iter(draw(st.lists(st.integers(0, 1000), min_size=200, max_size=200)))
    return lambda: next(ticks, 0)


def played(schedule, isolation=SERIALIZABLE, clock=lambda: 5, *, late_ids=False):
    driver = Driver(isolation, clock, late_ids=late_ids)
    begun = set()
    for work in schedule:
        if work in begun:
            driver.commit(work)
        else:
            driver.begin(work)
            begun.add(work)
    return driver


def same(table, other):
    rows = [{p: +counted for p, counted in one.rows.items()} for one in (table, other)]
    return rows[0] == rows[1] and (table.properties, table.apps) == (other.properties, other.apps)


@given(schedules())
def test_what_landed_gives_the_same_table_one_after_the_other(schedule):
    driver = played(schedule)

    model = driver.state(0)
    for version, work, seen, _ in driver.landed:
        # Who only moves rows may overlook what came in between: it changes none.
        assert work.keeps_rows or work.seen(model) == seen
        work.run(model, seen)
        assert same(model, driver.state(version))


@given(schedules())
def test_write_serializable_overlooks_blind_appends_and_nothing_else(schedule):
    driver = played(schedule, WRITE_SERIALIZABLE)

    history = [(0, None, None, None), *driver.landed]
    model = driver.state(0)
    for version, work, seen, read_version in driver.landed:
        overlooked = Counter()
        for other_version, other, _, _ in history[1:]:
            if read_version < other_version < version and other.is_blind:
                overlooked.update(other.made(None))
        if not work.keeps_rows:
            assert without(work.seen(model), overlooked) == seen
        work.run(model, seen)
        assert same(model, driver.state(version))


def without(seen, overlooked):
    """Take rows out of what was seen, where rows are what is seen."""
    if not isinstance(seen, dict) or not all(isinstance(one, Counter) for one in seen.values()):
        return seen
    return {
        p: Counter({row: n for row, n in rows.items() if row not in overlooked})
        for p, rows in seen.items()
    }


@given(schedules(), st.sampled_from([SERIALIZABLE, WRITE_SERIALIZABLE, SNAPSHOT_ISOLATION]))
def test_no_level_loses_or_doubles_what_others_wrote(schedule, isolation):
    driver = played(schedule, isolation)

    model = driver.state(0)
    for version, work, seen, _ in driver.landed:
        work.run(model, seen)
        assert same(model, driver.state(version))


@given(schedules())
def test_who_is_refused_leaves_nothing(schedule):
    driver = played(schedule)

    names = {work.name for work, _ in driver.refused}
    shown = {row for rows in driver.state().rows.values() for row in rows}

    assert not {row for row in shown if row.split("(")[0].rstrip("'") in names}
    assert len(driver.landed) + len(driver.refused) == len(set(schedule))


@given(schedules(), clocks())
def test_times_inside_commits_increase_whatever_the_clocks_say(schedule, clock):
    driver = played(schedule, clock=clock)

    versions = range(len(driver.landed) + 1)
    times = [driver.lines(v)[0]["commitInfo"]["inCommitTimestamp"] for v in versions]

    assert all(early < late for early, late in pairwise(times))


@given(schedules())
def test_row_ids_never_overlap_and_lie_below_the_mark(schedule):
    driver = played(schedule)

    given_ids = set()
    for version in range(len(driver.landed) + 1):
        lines = driver.lines(version)
        for add in (line["add"] for line in lines if "add" in line):
            rows = len(driver.contents[add["path"]])
            ids = set(range(add["baseRowId"], add["baseRowId"] + rows))
            assert not ids & given_ids
            assert add["defaultRowCommitVersion"] == version
            given_ids |= ids
        marks = [line["domainMetadata"] for line in lines if "domainMetadata" in line]
        for one in marks:
            assert f'"rowIdHighWaterMark":{max(given_ids)},' in one["configuration"]
    assert given_ids == set(range(len(given_ids)))


@given(schedules(("append", "copy", "replace", "compact", "backfill")))
def test_backfill_and_others_pass_each_other_and_no_id_is_given_twice(schedule):
    driver = played(schedule, late_ids=True)

    model = driver.state(1)
    ids = {}
    for version, work, seen, _ in driver.landed:
        work.run(model, seen)
        assert same(model, driver.state(version))
        for add in (line["add"] for line in driver.lines(version) if "add" in line):
            assert ids.setdefault(add["path"], add["baseRowId"]) == add["baseRowId"]
    taken = [
        number
        for path, first in ids.items()
        for number in range(first, first + len(driver.contents[path]))
    ]
    assert len(taken) == len(set(taken))
    if any(work.kind == "backfill" for _, work, _, _ in driver.landed):
        assert None not in driver.row_ids().values()
    assert not any(work.kind == "backfill" for work, _ in driver.refused)


@pytest.mark.parametrize(
    ("kinds", "landed"),
    [
        (("append", "append"), 2),
        (("append", "compact"), 2),
        (("turn on", "append"), 2),
        (("append", "replace"), 1),
        (("replace", "replace"), 1),
        (("overwrite", "copy"), 1),
        (("set property", "append"), 1),
        (("app append", "app append"), 1),
    ],
)
def test_schedules_do_meet(kinds, landed):
    """The properties above would hold as well if nothing ever met, or nothing ever landed."""
    first, second = (Work(f"work {n}", kind, "1", "1") for n, kind in enumerate(kinds))

    driver = played([first, second, first, second])

    assert len(driver.landed) == landed


def test_model_sees_a_stale_read():
    """A table that let a lost update through would be found."""
    table, stale = Table(), Table()
    first, second = Work("work 0", "append", "1", "1"), Work("work 1", "replace", "1", "1")
    seen = second.seen(stale)

    first.run(table, None)

    assert second.seen(table) != seen
