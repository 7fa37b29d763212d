"""What cannot be read is not written: no commit goes upon a version whose log is damaged."""

import json

import pytest

from puredelta.errors import DeltaError, DeltaIllegalStateError
from puredelta.log import live_files
from puredelta.log.names import commit_name
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.table_log import TableLog
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import NO_WAIT, WRITE, add, commit, lines, table

VECTOR = {"storageType": "i", "pathOrInlineDv": "", "sizeInBytes": -1, "cardinality": 1}


def damage(log, version):
    """Give the first file of a version a vector of a size that cannot be."""
    actions = lines(log, version)
    found = next(one for one in actions if "add" in one)
    found["add"]["deletionVector"] = VECTOR
    data = "".join(json.dumps(one) + "\n" for one in actions).encode()
    log.store.put(commit_name(version), data)


def damaged_table(version=1):
    log = table()
    commit(log, add("a"))
    commit(log, add("b"))
    damage(log, version)
    return TableLog(log.store)


@pytest.mark.parametrize("version", [1, 2])
def test_append_to_a_table_whose_files_cannot_be_told_is_refused(version):
    log = damaged_table(version)

    for _ in range(2):
        with pytest.raises(DeltaIllegalStateError) as caught:
            commit(log, add("c"))

        assert caught.value.condition == "PUREDELTA_NOT_WRITTEN_UPON_DAMAGE"
        assert "sizeInBytes" in caught.value.message
        assert commit_name(version) in caught.value.message
    assert log.latest().version == 2


def test_append_behind_a_winner_that_is_damaged_is_refused():
    log = table()
    late = Transaction(log, log.latest(), patience=NO_WAIT)
    commit(log, add("a"))
    damage(log, 1)

    with pytest.raises(DeltaError, match="sizeInBytes"):
        late.commit([add("b")], WRITE)

    assert log.store.info(commit_name(2)) is None


def test_damage_that_a_checkpoint_stands_in_for_is_no_hindrance():
    log = table()
    commit(log, add("a"))
    write_checkpoint(log.latest(), tombstones_since=0)
    damage(log, 1)

    assert commit(TableLog(log.store), add("b")).version == 2


def test_commits_are_looked_at_once(monkeypatch):
    log = TableLog(table().store)
    commit(log, add("a"))
    seen = []
    decode = live_files.decode_file_actions

    def counted(data, name):
        seen.append(name)
        return decode(data, name)

    monkeypatch.setattr(live_files, "decode_file_actions", counted)
    for number in range(3):
        commit(log, add(f"more{number}"))

    assert len(seen) == len(set(seen))
