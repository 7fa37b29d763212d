"""The strategy of a MERGE, by what is known before a row of its target is read."""

from dataclasses import replace

import pytest

from puredelta.commands.merge.strategy import (
    ChangeStrategy,
    Insertion,
    MergeFacts,
    MergeStrategy,
    Search,
    choose_strategy,
)

UPDATE = MergeFacts(
    changes_matches=True, writes_changes=True, source_rows=10, candidate_files=2, candidate_rows=100
)
DELETE = replace(UPDATE, writes_changes=False)
UPSERT = replace(UPDATE, inserts=True)
INSERT = MergeFacts(inserts=True, source_rows=10, candidate_files=2)
SYNC = replace(UPSERT, changes_others=True)

LONG = {"source_rows": 1_001}
LARGE = {"candidate_rows": 2_000_001}
HUGE = {"candidate_rows": 50_000_001}
NO_COUNT = {"candidate_rows": None}
MARKS = {"marks": True}
KEYS = {"finds_keys": True}

ROWS, FILES, BY_KEYS, NO_SEARCH = Search.ROWS, Search.FILES, Search.KEYS, Search.NONE
NO_CHANGE, REWRITE, MARK, MARK_AND_WRITE = (
    ChangeStrategy.NONE,
    ChangeStrategy.REWRITE,
    ChangeStrategy.MARK,
    ChangeStrategy.MARK_AND_WRITE,
)
UNLISTED, UNMATCHED, ALL = Insertion.UNLISTED, Insertion.UNMATCHED, Insertion.ALL
NO_INSERT = Insertion.NONE

CASES = {
    "update": (UPDATE, ROWS, REWRITE, NO_INSERT, False),
    "update of a large target": (replace(UPDATE, **LARGE), FILES, REWRITE, NO_INSERT, False),
    "update of files without counts": (
        replace(UPDATE, **NO_COUNT),
        FILES,
        REWRITE,
        NO_INSERT,
        False,
    ),
    "update at the limit": (
        replace(UPDATE, candidate_rows=2_000_000),
        ROWS,
        REWRITE,
        NO_INSERT,
        False,
    ),
    "update by vectors": (replace(UPDATE, **MARKS), ROWS, MARK_AND_WRITE, NO_INSERT, False),
    "update of a large target by vectors": (
        replace(UPDATE, **MARKS, **LARGE),
        ROWS,
        MARK_AND_WRITE,
        NO_INSERT,
        False,
    ),
    "update of a huge target by vectors": (
        replace(UPDATE, **MARKS, **HUGE),
        FILES,
        MARK_AND_WRITE,
        NO_INSERT,
        True,
    ),
    "update of files without counts by vectors": (
        replace(UPDATE, **MARKS, **NO_COUNT),
        FILES,
        MARK_AND_WRITE,
        NO_INSERT,
        True,
    ),
    "delete": (DELETE, ROWS, REWRITE, NO_INSERT, False),
    "delete by vectors": (replace(DELETE, **MARKS), ROWS, MARK, NO_INSERT, False),
    "delete by vectors that readers of changes see": (
        replace(DELETE, **MARKS, writes_changes=True),
        ROWS,
        MARK_AND_WRITE,
        NO_INSERT,
        False,
    ),
    "upsert of few rows": (UPSERT, ROWS, REWRITE, UNLISTED, False),
    "upsert of rows at the limit": (
        replace(UPSERT, source_rows=1_000),
        ROWS,
        REWRITE,
        UNLISTED,
        False,
    ),
    "upsert of many rows": (replace(UPSERT, **LONG), ROWS, REWRITE, UNMATCHED, True),
    "upsert of few rows into a large target": (
        replace(UPSERT, **LARGE),
        FILES,
        REWRITE,
        UNLISTED,
        False,
    ),
    "upsert of many rows into a large target": (
        replace(UPSERT, **LONG, **LARGE),
        FILES,
        REWRITE,
        UNMATCHED,
        True,
    ),
    "upsert of few rows into a huge target by vectors": (
        replace(UPSERT, **MARKS, **HUGE),
        FILES,
        MARK_AND_WRITE,
        UNLISTED,
        True,
    ),
    "upsert where no file can match": (
        replace(UPSERT, candidate_files=0, candidate_rows=0),
        NO_SEARCH,
        REWRITE,
        ALL,
        False,
    ),
    "upsert of nothing": (
        replace(UPSERT, source_rows=0, candidate_files=0),
        NO_SEARCH,
        REWRITE,
        NO_INSERT,
        False,
    ),
    "insert": (INSERT, NO_SEARCH, NO_CHANGE, UNMATCHED, False),
    "insert of many rows": (replace(INSERT, **LONG), NO_SEARCH, NO_CHANGE, UNMATCHED, False),
    "insert where no file can match": (
        replace(INSERT, candidate_files=0),
        NO_SEARCH,
        NO_CHANGE,
        ALL,
        False,
    ),
    "insert by keys": (replace(INSERT, **LONG, **KEYS), BY_KEYS, NO_CHANGE, UNLISTED, False),
    "upsert by keys of many rows": (
        replace(UPSERT, **LONG, **LARGE, **KEYS),
        BY_KEYS,
        REWRITE,
        UNLISTED,
        False,
    ),
    "delete by keys and vectors": (
        replace(DELETE, **MARKS, **HUGE, **KEYS),
        BY_KEYS,
        MARK,
        NO_INSERT,
        False,
    ),
    "upsert by keys where no file can match": (
        replace(UPSERT, candidate_files=0, **KEYS),
        NO_SEARCH,
        REWRITE,
        ALL,
        False,
    ),
    "changes of rows without a match, too": (SYNC, ROWS, REWRITE, UNMATCHED, True),
    "changes of all rows for want of a source": (
        replace(SYNC, source_rows=0),
        ROWS,
        REWRITE,
        NO_INSERT,
        False,
    ),
    "changes of rows without a match alone": (
        replace(SYNC, changes_matches=False, inserts=False),
        ROWS,
        REWRITE,
        NO_INSERT,
        False,
    ),
}


@pytest.mark.parametrize(
    ("facts", "search", "change", "insertion", "caches"), CASES.values(), ids=CASES
)
def test_strategy_follows_from_facts(facts, search, change, insertion, caches):
    strategy = choose_strategy(facts)

    assert strategy == MergeStrategy(search=search, change=change, insertion=insertion)
    assert strategy.caches_matches is caches


@pytest.mark.parametrize(
    ("facts", "joins"),
    [(UPDATE, True), (INSERT, True), (replace(UPSERT, candidate_files=0), False)],
)
def test_sides_are_joined_where_a_job_needs_matches(facts, joins):
    assert choose_strategy(facts).joins is joins


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (UPDATE, "find affected rows; rewrite their files"),
        (
            replace(UPSERT, **LONG, **LARGE),
            "find affected files; rewrite their files; insert by anti-join with the matches",
        ),
        (
            replace(UPSERT, **MARKS),
            (
                "find affected rows; mark rows in deletion vectors, write what changed; "
                "insert source rows that the search does not list"
            ),
        ),
        (replace(DELETE, **MARKS), "find affected rows; mark rows in deletion vectors"),
        (replace(INSERT, candidate_files=0, **MARKS), "insert all source rows"),
        (replace(UPSERT, source_rows=0, candidate_files=0), "nothing to do"),
    ],
)
def test_strategy_is_shown_by_what_it_does(facts, text):
    assert str(choose_strategy(facts)) == text
