"""Files from which two commits take rows: which are shared, and what both leave of them."""

from dataclasses import replace

import pytest
from pyroaring import BitMap64

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import AddFile, RemoveFile
from puredelta.table.deletion_vectors.vectors import decode_inline, deserialize, inline
from puredelta.txn.pending_commit import PendingCommit
from puredelta.txn.read_set import ReadSet
from puredelta.txn.rebase import rebase
from puredelta.txn.shared_vectors import NOTHING_SHARED, SharedVectors, find_shared_vectors
from puredelta.txn.winning_commit import WinningCommit

ALONE = ReadSet(rows=lambda files: files)
FILE = '{"numRecords":10}'


def vector(*rows):
    return inline(BitMap64(rows)) if rows else None


def read(one):
    return deserialize(decode_inline(one.path_or_inline_dv, one.size_in_bytes))


def marked(before, after, path="a"):
    """A file of ten rows, removed with one vector and added again with another."""
    told = {"path": path, "partition_values": {}, "size": 1, "data_change": True}
    return (
        RemoveFile(**told, deletion_vector=vector(*before)),
        AddFile(**told, modification_time=1, stats=FILE, deletion_vector=vector(*after)),
    )


def draft(*actions, reads=ALONE):
    return PendingCommit(
        table="t", operation="DELETE", reads=reads, actions=actions, base_metadata=None,
        base_protocol=None,
    )  # fmt: skip


def winner(*actions):
    return WinningCommit(1, actions)


def test_rows_of_both_are_united():
    found = find_shared_vectors(draft(*marked([1], [1, 2])), winner(*marked([1], [1, 3])), read)

    assert found == SharedVectors(frozenset({"a"}), {"a": BitMap64([1, 2, 3])})


def test_file_of_which_only_the_winner_takes_rows_is_shared_as_it_is():
    ours = draft(*marked([], [2], path="b"))

    found = find_shared_vectors(ours, winner(*marked([], [3])), read)

    assert found == SharedVectors(frozenset({"a"}), {})


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (marked([], [2, 3]), marked([], [3])),
        (marked([], [2]), marked([3], [4])),
        (marked([1], [1, 2]), marked([1, 5], [5])),
        (marked([], [2])[:1], marked([], [3])),
        (marked([], [2]), marked([], [3])[:1]),
    ],
    ids=["same row", "another vector", "a row comes back", "we remove it", "they remove it"],
)
def test_other_changes_of_a_file_are_not_shared(ours, theirs):
    assert find_shared_vectors(draft(*ours), winner(*theirs), read) == NOTHING_SHARED


@pytest.mark.parametrize("reads", [ReadSet(), replace(ALONE, whole_table=True)])
def test_who_depends_on_other_rows_shares_nothing(reads):
    ours = draft(*marked([], [2]), reads=reads)

    assert find_shared_vectors(ours, winner(*marked([], [3])), read) == NOTHING_SHARED


def test_vector_that_cannot_be_read_proves_nothing():
    def damaged(_):
        raise DeltaIllegalStateError(
            "DELTA_DELETION_VECTOR_MALFORMED", path="v", owner="", reason="damaged"
        )

    ours = draft(*marked([], [2]))

    assert find_shared_vectors(ours, winner(*marked([], [3])), damaged) == NOTHING_SHARED


def test_rebased_draft_takes_the_place_of_the_winner():
    ours, theirs = draft(*marked([], [2])), winner(*marked([], [3]))

    removed, added = rebase(ours, theirs, {"a": BitMap64([2, 3])}).actions

    assert removed.deletion_vector == vector(3)
    assert read(added.deletion_vector) == BitMap64([2, 3])


def test_file_without_any_row_left_only_goes():
    first, second = range(5), range(5, 10)
    ours, theirs = draft(*marked([], first)), winner(*marked([], second))

    (removed,) = rebase(ours, theirs, {"a": BitMap64(range(10))}).actions

    assert removed.deletion_vector == vector(*second)
