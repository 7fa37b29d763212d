"""Statements that mark rows of the same files at once give what some serial order gives."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from puredelta.errors import ConcurrentAppendError, ConcurrentDeleteReadError
from puredelta.log.files import add_files
from puredelta.log.table_log import TableLog
from tests.properties.vector_driver import Driver, Work

KEYS = range(8)
KINDS = ("delete", "delete", "update", "shift", "rewrite", "append", "restore")
LEVELS = ("Serializable", "WriteSerializable", "SnapshotIsolation")


@st.composite
def tables(draw):
    """The rows of some files: each key once, in any file."""
    order = draw(st.permutations(KEYS))
    cut = draw(st.integers(1, len(KEYS) - 1))
    return [[(key, key) for key in part] for part in (order[:cut], order[cut:])]


@st.composite
def schedules(draw):
    """Some statements, and the order in which they begin and commit."""
    some_keys = st.frozensets(st.sampled_from(KEYS), min_size=1, max_size=3)
    works = [
        Work(f"work {number}", draw(st.sampled_from(KINDS)), draw(some_keys))
        for number in range(draw(st.integers(2, 5)))
    ]
    return draw(st.permutations([*works, *works]))


def played(files, schedule, isolation="Serializable", *, tells_bounds=True):
    driver = Driver(files, isolation, tells_bounds=tells_bounds)
    begun = set()
    for work in schedule:
        if work in begun:
            driver.commit(work)
        else:
            driver.begin(work)
            begun.add(work)
    return driver


@given(tables(), schedules(), st.booleans())
def test_what_landed_gives_the_same_rows_one_after_the_other(files, schedule, tells_bounds):
    driver = played(files, schedule, tells_bounds=tells_bounds)

    first = Counter(row for file in files for row in file)
    model = first.copy()
    for version, work in sorted(driver.landed, key=lambda pair: pair[0]):
        before = model.copy()
        work.run(model, first)
        if version == int(version):
            assert +model == driver.rows(version), (work, before)
        else:
            assert model == before


@given(tables(), schedules(), st.sampled_from(LEVELS))
def test_no_level_loses_or_doubles_rows(files, schedule, isolation):
    schedule = [work for work in schedule if work.kind != "restore"]
    driver = played(files, schedule, isolation)

    expected = sum(len(file) for file in files)
    deleting = set()
    for _, work in driver.landed:
        if work.kind == "append":
            expected += len(work.keys)
        elif work.kind in ("delete", "rewrite"):
            deleting |= set(work.keys)
    found = driver.rows()
    if not deleting:
        assert found.total() == expected
    assert found.total() <= expected
    for file in add_files(TableLog(driver.store).latest().files):
        vector = file.deletion_vector
        assert vector is None or vector.storage_type == "u"


@given(tables(), schedules())
def test_a_row_has_one_place_in_all_vectors(files, schedule):
    """Vectors of a file only grow, whoever wrote them."""
    schedule = [work for work in schedule if work.kind != "restore"]
    driver = played(files, schedule)

    log = TableLog(driver.store)
    seen = {}
    for version in range(log.latest().version + 1):
        for file in add_files(log.at_version(version).files):
            vector = file.deletion_vector
            taken = 0 if vector is None else vector.cardinality
            assert taken >= seen.get(file.path, 0)
            seen[file.path] = taken


ROWS = [(key, key) for key in range(4)]


@pytest.mark.parametrize(
    ("first", "second", "landed"),
    [
        (("delete", {0}), ("delete", {1}), 2),
        (("delete", {0}), ("delete", {0}), 1),
        (("delete", {0}), ("delete", {0, 1}), 1),
        (("update", {0}), ("delete", {1}), 2),
        (("update", {0}), ("update", {2}), 2),
        (("update", {0}), ("update", {0}), 1),
        (("rewrite", {0}), ("delete", {1}), 1),
        (("delete", {0}), ("rewrite", {1}), 1),
        (("shift", {0}), ("delete", {1}), 1),
        (("shift", {0}), ("delete", {2}), 2),
        (("append", {9}), ("delete", {1}), 2),
        (("append", {1}), ("delete", {1}), 1),
        (("delete", {0, 1}), ("delete", {2, 3}), 2),
    ],
)
def test_statements_on_one_file(first, second, landed):
    """The properties above would hold as well if nothing ever met, or nothing ever landed."""
    works = [Work(f"work {n}", k, frozenset(keys)) for n, (k, keys) in enumerate((first, second))]

    driver = played([ROWS], [*works, *works])

    assert len(driver.landed) == landed


def test_rows_that_came_back_are_not_overlooked():
    """The one deletes what it saw, and the other brings a row back that would match, too."""
    gone, back, late = (
        Work(f"work {n}", kind, frozenset({0, n}))
        for n, kind in enumerate(("delete", "restore", "delete"))
    )

    driver = played([ROWS], [gone, gone, back, late, back, late])

    assert [work.name for work, _ in driver.refused] == ["work 2"]


def test_file_of_which_two_take_all_rows_goes():
    works = [
        Work("work 0", "delete", frozenset({0, 1})),
        Work("work 1", "delete", frozenset({2, 3})),
    ]

    driver = played([ROWS, [(9, 9)]], [*works, *works])

    assert driver.rows() == Counter({(9, 9): 1})
    assert TableLog(driver.store).latest().num_files == 1


def test_new_rows_that_could_match_are_a_conflict_that_names_them():
    works = [Work("work 0", "shift", frozenset({0})), Work("work 1", "delete", frozenset({1}))]

    driver = played([ROWS], [*works, *works])

    assert isinstance(driver.refused[0][1], ConcurrentAppendError)


def test_same_row_is_a_conflict_that_names_the_file():
    works = [Work(f"work {n}", "delete", frozenset({0})) for n in range(2)]

    driver = played([ROWS], [*works, *works])

    (_, conflict), = driver.refused  # fmt: skip
    assert isinstance(conflict, (ConcurrentAppendError, ConcurrentDeleteReadError))


def test_three_at_once_all_land():
    works = [Work(f"work {n}", "update", frozenset({n})) for n in range(3)]

    driver = played([ROWS], [*works, *works])

    assert len(driver.landed) == 3
    assert driver.rows() == Counter([(0, 0), (1, 11), (2, 22), (3, 3)])
