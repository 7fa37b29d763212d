"""Over random histories VACUUM deletes nothing that a version within the retention needs."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import AddCdcFile
from puredelta.log.cleanup import clean_log
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.table_log import TableLog
from puredelta.maintenance.restore import commit_restore, plan_restore
from tests.unit.maintenance.vacuum.lake import DAY, HOUR, Lake, vector_in
from tests.unit.txn.tables import add, remove

# A clone names its files by absolute paths. They are those of another table, or of one inside.
INSIDE, OUTSIDE = "memory:///t/", "memory:///s/"
FILES = ("a", "p=1/b", "p=2/c", "d", f"{INSIDE}inner/e", f"{OUTSIDE}f")
HOURS = st.sampled_from((0, 1, 24, 168, 400))


@dataclass
class Model:
    """What each version needs, kept beside the table.

    Attributes:
        lake: the table.
        live: the live files with the numbers of their vectors, 0 for none.
        needs: for each version when it was made, the files it needs, and its own change files.
        lives: for each version what `live` was.
        first: the first version that the log still has.
    """

    lake: Lake
    live: dict[str, int] = field(default_factory=dict)
    needs: list[tuple[int, set[str], set[str]]] = field(default_factory=list)
    vectors: int = 0
    lives: list[dict[str, int]] = field(default_factory=list)
    first: int = 0

    def made(self, changes: set[str] | None = None) -> None:
        files = {f"{_below(name)}.parquet" for name in self.live if not name.startswith(OUTSIDE)}
        files |= {vector_in(number)[1] for number in self.live.values() if number}
        self.needs.append((self.lake.now, files, changes or set()))
        self.lives.append(dict(self.live))

    def kept(self, since: int) -> set[str]:
        """The files of all versions of the log that were the latest at a time or later."""
        found: set[str] = set()
        ends = [made for made, _, _ in self.needs[1:]] + [self.lake.now + 1]
        known = list(zip(self.needs, ends, strict=True))[self.first :]
        for (made, files, changes), end in known:
            if end > since:
                found |= files
            if made > since:
                found |= changes
        return found

    # ----------------------------------------------------------------------------- what is done

    def add(self, name: str, age: int) -> None:
        if name in self.live:
            return
        is_ours = not name.startswith(OUTSIDE)
        if is_ours and self.lake.store.info(f"{_below(name)}.parquet") is None:
            self.lake.put(f"{_below(name)}.parquet")
        # A slow writer commits what it wrote long ago.
        self.lake.wait(age)
        self.lake.commit(add(name))
        self.live[name] = 0
        self.made()

    def remove(self, name: str, age: int) -> None:
        if name not in self.live:
            return
        began = self.lake.now
        self.lake.wait(age)
        number = self.live.pop(name)
        vector = vector_in(number)[0] if number else None
        self.lake.delete(name, began=began, vector=vector)
        self.made()

    def mark(self, name: str, age: int) -> None:
        if name not in self.live:
            return
        self.vectors += 1
        vector, file = vector_in(self.vectors)
        self.lake.put(file)
        began = self.lake.now
        self.lake.wait(age)

        old = vector_in(self.live[name])[0] if self.live[name] else None
        gone = replace(remove(name), deletion_timestamp=began, deletion_vector=old)
        self.lake.commit(gone, add(name, vector=vector))
        self.live[name] = self.vectors
        self.made()

    def change(self, _: str, age: int) -> None:
        name = f"_change_data/c{len(self.needs)}"
        self.lake.put(name)
        self.lake.wait(age)
        self.lake.commit(
            AddCdcFile(path=name, partition_values={"p": "1"}, size=1, data_change=False)
        )
        self.made({name})

    def stray(self, name: str, age: int) -> None:
        self.lake.put(f"stray-{name.replace('/', '-').replace(':', '')}-{age}")
        self.lake.wait(age)

    def checkpoint(self, _: str, age: int) -> None:
        self.lake.wait(age)
        since = self.lake.now - 7 * DAY
        write_checkpoint(self.lake.log.latest(), tombstones_since=since)
        self.lake.log = TableLog(self.lake.store)

    def restore(self, name: str, age: int) -> None:
        self.lake.wait(age)
        version = max(self.first, len(self.needs) - 2 - FILES.index(name))
        if not self.needs[version][1] <= set(self.lake.names()):
            return
        self.lake.now += 1
        before = self.lake.log.latest()
        plan = plan_restore("t", before, self.lake.log.at_version(version))
        commit_restore(self.lake.begin(before), plan, {"version": version})
        self.live = dict(self.lives[version])
        self.made()

    def clean(self, name: str, age: int) -> None:
        self.checkpoint(name, 0)
        self.lake.wait(age)
        cleaned = clean_log(self.lake.store, self.lake.now - 8 * DAY)
        self.first = max(self.first, cleaned.first_version or 0)
        self.lake.log = TableLog(self.lake.store)

    def vacuum(self, hours: int | None, *, lite: bool) -> None:
        work = self.lake.vacuum(retain_hours=hours, lite=lite)
        since = self.lake.now - (7 * DAY if hours is None else hours * HOUR)
        kept = self.kept(since) & set(self.lake.names())
        strays = {n for n in self.lake.names() if self.lake.store.info(n).modified_ms >= since}
        try:
            foreseen = set(work.paths())
        except DeltaIllegalStateError:
            # LITE needs the commits since the last VACUUM.
            assert lite
            assert self.first
            return
        work.run()
        left = set(self.lake.names())
        assert kept <= left
        if not lite:
            assert strays <= left
            assert not foreseen & left


def _below(name: str) -> str:
    """The name of a file below the table's folder."""
    return name.removeprefix(INSIDE)


ACTS = (
    Model.add,
    Model.remove,
    Model.mark,
    Model.change,
    Model.stray,
    Model.checkpoint,
    Model.restore,
    Model.clean,
)
STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(ACTS),
            st.sampled_from(FILES),
            st.sampled_from((0, HOUR, DAY, 3 * DAY, 9 * DAY)),
        ),
        st.tuples(st.just(None), st.one_of(st.none(), HOURS), st.booleans()),
    ),
    min_size=4,
    max_size=25,
)


def _model() -> Model:
    """A table in which every file is live."""
    # The log is cleaned by `Model.clean` alone, which knows what it deleted.
    asked = {"delta.enableDeletionVectors": "true", "delta.enableExpiredLogCleanup": "false"}
    model = Model(Lake(**asked))
    model.made()
    for name in FILES:
        model.add(name, 0)
    return model


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_vacuum_keeps_what_versions_within_the_retention_need(steps):
    model = _model()

    for act, what, how in steps:
        if act is None:
            model.vacuum(what, lite=how)
        else:
            act(model, what, how)
    model.vacuum(None, lite=False)

    needed = model.needs[-1][1]
    assert needed <= set(model.lake.names())


@settings(max_examples=60, deadline=None)
@given(STEPS, HOURS)
def test_versions_that_are_not_lost_can_be_read_afterwards(steps, hours):
    model = _model()
    for act, what, how in steps:
        if act is not None:
            act(model, what, how)

    work = model.lake.vacuum(retain_hours=hours)
    lost = set(work.preview().lost_versions)
    work.run()

    left = set(model.lake.names())
    known = range(model.first, len(model.needs))
    readable = {version for version in known if model.needs[version][1] <= left}
    assert readable == set(known) - lost
