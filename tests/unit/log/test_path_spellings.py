"""One file has one place in a table, however its path is spelled; and keeps its spelling."""

import json

import pytest

from puredelta.errors import ConcurrentDeleteDeleteError
from puredelta.log.files import add_files, file_url
from puredelta.log.names import commit_name
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.summaries.checkpoint_options import CheckpointForm
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from tests.unit.log.logs import add, commit, create, paths, remove
from tests.unit.txn import tables

URL = "memory:///t"

SPELLINGS = [
    ("a.parquet", "./a.parquet"),
    ("a.parquet", "%61.parquet"),
    ("d/a.parquet", "d//a.parquet"),
    ("d/a.parquet", "d/./a.parquet"),
    ("d/a.parquet", "d/e/../a.parquet"),
    ("a%2Bb.parquet", "a+b.parquet"),
    ("a%c3%a9.parquet", "a\u00e9.parquet"),
    ("../o/a.parquet", "./../o/%61.parquet"),
    ("/x/y", "memory:///x/y"),
    ("memory:/x/y", "/x/./y"),
    ("MEMORY:/x/y", "memory:///x/%79"),
    ("file:/x/y", "file://localhost/x/y"),
    ("file:/x/y", "file:///x//z/../y"),
]
BOTH_WAYS = SPELLINGS + [(right, left) for left, right in SPELLINGS]


@pytest.mark.parametrize(("added", "removed"), BOTH_WAYS)
@pytest.mark.parametrize("form", [None, CheckpointForm(), CheckpointForm(is_v2=True)])
def test_removed_under_another_spelling_is_gone(added, removed, form):
    store = MemoryStore(URL)
    create(store, add(added), add("other"))
    if form is not None:
        write_checkpoint(TableLog(store).latest(), tombstones_since=0, form=form)
    commit(store, 1, remove(removed))

    assert paths(TableLog(store).latest().files) == ["other"]
    assert file_url(added, URL) == file_url(removed, URL)


@pytest.mark.parametrize(("first", "second"), SPELLINGS)
def test_added_under_two_spellings_is_there_once(first, second):
    store = MemoryStore(URL)
    create(store, add(first))
    commit(store, 1, add(second))

    (found,) = add_files(TableLog(store).latest().files)

    assert file_url(found.path, URL) == file_url(second, URL)


@pytest.mark.parametrize("spelled", ["%61.parquet", "./a.parquet", "file:/x/a.parquet", "a%3ab"])
@pytest.mark.parametrize("form", [None, CheckpointForm(), CheckpointForm(is_v2=True)])
def test_record_of_a_file_keeps_the_spelling_of_the_log(spelled, form):
    # A reader that compares texts finds the file to be removed only so.
    store = MemoryStore(URL)
    create(store, add(spelled), add("p=a%20b/plain"))
    if form is not None:
        write_checkpoint(TableLog(store).latest(), tombstones_since=0, form=form)

    log = TableLog(store)

    assert {one.path for one in add_files(log.latest().files)} == {spelled, "p=a%20b/plain"}


def test_paths_that_differ_stay_apart():
    store = MemoryStore(URL)
    create(store, add("a..b"), add("a%252Eb"), add("a.b"), add("d/a.b"), add("..a"), add("a./b"))

    assert paths(TableLog(store).latest().files) == ["..a", "a%2Eb", "a..b", "a./b", "a.b", "d/a.b"]


def test_two_removals_of_one_file_under_two_spellings_conflict():
    log = tables.table()
    tables.commit(log, tables.add("%61"))
    base = log.latest()
    (file,) = add_files(base.files)
    assert file.path == "%61.parquet"
    late = tables.Transaction(log, base, patience=tables.NO_WAIT)
    tables.commit(log, tables.remove("./a"))
    assert json.loads(log.store.read(commit_name(2)).splitlines()[-1])["remove"]["path"]

    with pytest.raises(ConcurrentDeleteDeleteError):
        late.commit([tables.remove("%61")], tables.WRITE)
