"""The strategy of a MERGE: how it finds rows, changes them and inserts others; chosen from facts.

Pure: facts in, a value out. `explain()` shows the value, and the rest of the MERGE follows it.
"""

from dataclasses import dataclass
from enum import Enum

from puredelta.table.deletion_vectors.bitmaps import MOST_LISTED_ROWS

# The driver takes the numbers of so many rows of the source, instead of a second join.
_LISTED_SOURCE_ROWS = 1_000

# Up to so many rows of candidates, the driver takes affected rows, not files: one job less.
_FEW_CANDIDATE_ROWS = 2_000_000

# Deletion vectors need the rows anyway.
_LISTED_CANDIDATE_ROWS = MOST_LISTED_ROWS


class Search(Enum):
    """What the first job looks for among the rows of the target that match."""

    NONE = ""
    """Nothing: no file can have a match, or no clause changes a row that the target has."""

    ROWS = "find affected rows"
    """The affected rows, 64 to a number. The driver gets each, and which files they are in."""

    KEYS = "find matches by key in the driver"
    """The rows that match, read and compared by Arrow: no job reads the target."""

    FILES = "find affected files"
    """The files with affected rows alone, for targets whose rows would not fit the driver."""


class ChangeStrategy(Enum):
    """How affected rows get out of their files, and their new values into others."""

    NONE = ""
    """Not at all: no clause changes a row that the target has."""

    REWRITE = "rewrite their files"
    """All rows of an affected file go to a new file, changed or copied; the old file goes."""

    MARK_AND_WRITE = "mark rows in deletion vectors, write what changed"
    """Deletion vectors take affected rows out; only updated rows and change data are written."""

    MARK = "mark rows in deletion vectors"
    """As before, where rows are deleted and nobody reads changes: no row is written for it."""

    @property
    def marks(self) -> bool:
        """Whether deletion vectors take affected rows out of their files."""
        return self in (ChangeStrategy.MARK_AND_WRITE, ChangeStrategy.MARK)


class Insertion(Enum):
    """Which rows of the source are inserted, and how they are separated from those with a match."""

    NONE = ""
    """No row: no clause inserts, or the source is empty."""

    ALL = "insert all source rows"
    """Every row: no file of the target can have a match."""

    UNLISTED = "insert source rows that the search does not list"
    """The search lists the few source rows with a match; all others are inserted."""

    UNMATCHED = "insert by anti-join with the matches"
    """The source is joined with the matches once more, for the rows that have none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeFacts:
    """What the choice of a strategy depends on.

    Attributes:
        changes_matches: some clause is for rows that match.
        changes_others: some clause is for rows of the target that do not match.
        inserts: some clause inserts rows of the source.
        writes_changes: some clause updates rows, or the table has a change data feed.
        marks: rows go by deletion vectors.
        source_rows: how many rows the source has.
        candidate_files: how many files of the target may have affected rows.
        candidate_rows: how many rows these files have; None where statistics do not say.
        finds_keys: the driver can read and compare the keys of both sides.
    """

    changes_matches: bool = False
    changes_others: bool = False
    inserts: bool = False
    writes_changes: bool = False
    marks: bool = False
    source_rows: int
    candidate_files: int
    candidate_rows: int | None = None
    finds_keys: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeStrategy:
    """How a MERGE does what it has to do.

    Attributes:
        search: what its first job looks for.
        change: how affected rows are changed.
        insertion: how rows to insert are found.
    """

    search: Search
    change: ChangeStrategy
    insertion: Insertion

    @property
    def joins(self) -> bool:
        """Whether the target is joined with the source to find matches."""
        return self.search is not Search.NONE or self.insertion is Insertion.UNMATCHED

    @property
    def caches_matches(self) -> bool:
        """Whether matches are cached, because a second job needs them: a join costs more."""
        if self.search is Search.NONE:
            return False
        # Deletion vectors need row indexes, which a search for files does not return.
        finds_rows_later = self.search is Search.FILES and self.change.marks
        return finds_rows_later or self.insertion is Insertion.UNMATCHED

    @property
    def lists_source_rows(self) -> bool:
        """Whether the search lists the rows of the source that match."""
        return self.insertion is Insertion.UNLISTED

    def __str__(self) -> str:
        change = "" if self.search is Search.NONE else self.change.value
        parts = [self.search.value, change, self.insertion.value]
        return "; ".join(filter(None, parts)) or "nothing to do"


def choose_strategy(facts: MergeFacts) -> MergeStrategy:
    """Choose the strategy with the fewest jobs whose results fit the driver.

    Args:
        facts: what is known once candidates are chosen, before a row of the target is read.
    """
    return MergeStrategy(search=_search(facts), change=_change(facts), insertion=_insertion(facts))


def _search(facts: MergeFacts) -> Search:
    changes = facts.changes_matches or facts.changes_others
    # Also for inserts alone: the rows of the source that have a match are left out then.
    if facts.finds_keys and facts.candidate_files:
        return Search.KEYS
    if not (changes and facts.candidate_files):
        return Search.NONE
    most = _LISTED_CANDIDATE_ROWS if facts.marks else _FEW_CANDIDATE_ROWS
    # Statistics bound the result before the job runs; without them it might not fit the driver.
    is_listed = facts.candidate_rows is not None and facts.candidate_rows <= most
    return Search.ROWS if is_listed else Search.FILES


def _change(facts: MergeFacts) -> ChangeStrategy:
    if not (facts.changes_matches or facts.changes_others):
        return ChangeStrategy.NONE
    if not facts.marks:
        return ChangeStrategy.REWRITE
    return ChangeStrategy.MARK_AND_WRITE if facts.writes_changes else ChangeStrategy.MARK


def _insertion(facts: MergeFacts) -> Insertion:
    if not (facts.inserts and facts.source_rows):
        return Insertion.NONE
    # Without a file that can have a match, every source row is unmatched: no join is needed.
    if not facts.candidate_files:
        return Insertion.ALL
    if facts.finds_keys:
        return Insertion.UNLISTED
    # A search for rows without a match is a left join, which lists no rows of the source.
    is_listed = facts.changes_matches and not facts.changes_others
    is_short = facts.source_rows <= _LISTED_SOURCE_ROWS
    return Insertion.UNLISTED if is_listed and is_short else Insertion.UNMATCHED
