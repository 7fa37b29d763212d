"""What the history still needs of a feature, in logs whose oldest commits were cleaned away."""

import msgspec
import pytest

from puredelta._util.clock import now_ms
from puredelta.log.actions import AddFile, DeletionVector
from puredelta.log.names import commit_name
from puredelta.log.table_log import TableLog
from puredelta.txn.feature_history import earliest_version, oldest_use
from puredelta.txn.post_commit import checkpoint_version
from tests.unit.txn.tables import add, commit, remove, table

VECTOR = DeletionVector(storage_type="i", path_or_inline_dv="x", size_in_bytes=1, cardinality=1)
GONE = msgspec.structs.replace(remove("v"), deletion_vector=VECTOR)


def has_vector(action):
    return isinstance(action, AddFile) and action.deletion_vector is not None


def cleaned(with_vector=(), without_vector=()):
    """A log of the versions 2 to 6 with a checkpoint at 4.

    Args:
        with_vector: The versions that add a file with a deletion vector.
        without_vector: The versions that remove this file.
    """
    log = table(**{"delta.enableDeletionVectors": "true"})
    for version in range(1, 7):
        actions = [add(f"f{version}")]
        actions += [add("v", vector=VECTOR)] if version in with_vector else []
        actions += [GONE] if version in without_vector else []
        commit(log, *actions)
    checkpoint_version(log.at_version(4), now_ms())
    log.store.delete([commit_name(0), commit_name(1)])
    return TableLog(log.store)


def test_earliest_version_is_that_of_the_checkpoint_that_stands_in_for_cleaned_commits():
    log = cleaned()

    assert earliest_version(log) == 4
    assert log.at_version(4).num_files == 4


def test_earliest_version_of_a_whole_log_is_the_first():
    log = table()
    commit(log, add("x"))

    assert earliest_version(log) == 0


def test_earliest_version_of_a_checkpoint_alone_is_its_own():
    log = cleaned()
    log.store.delete([commit_name(version) for version in range(2, 7)])

    assert earliest_version(log) == 4


@pytest.mark.parametrize(
    ("with_vector", "without_vector", "oldest"),
    [
        ([], [], None),
        ([1], [4], None),
        ([1], [5], 4),
        ([5], [], 5),
        # Commits that are left of versions which cannot be rebuilt count, too.
        ([3], [4], 3),
    ],
    ids=[
        "never",
        "gone with the cleaned commits",
        "in the checkpoint",
        "after the checkpoint",
        "before the checkpoint",
    ],
)
def test_oldest_use_in_a_cleaned_log(with_vector, without_vector, oldest):
    assert oldest_use(cleaned(with_vector, without_vector), has_vector) == oldest
