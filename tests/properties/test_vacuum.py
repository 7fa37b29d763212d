"""Over random histories VACUUM deletes nothing that a version within the retention needs."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from puredelta.log.actions import AddCdcFile
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.table_log import TableLog
from tests.unit.maintenance.vacuum.lake import DAY, HOUR, Lake, vector_in
from tests.unit.txn.tables import add, remove

FILES = ("a", "p=1/b", "p=2/c", "d")
HOURS = st.sampled_from((0, 1, 24, 168, 400))


@dataclass
class Model:
    """What each version needs, kept beside the table.

    Attributes:
        lake: the table.
        live: the live files with the numbers of their vectors, 0 for none.
        needs: for each version when it was made, the files it needs, and its own change files.
    """

    lake: Lake
    live: dict[str, int] = field(default_factory=dict)
    needs: list[tuple[int, set[str], set[str]]] = field(default_factory=list)
    vectors: int = 0

    def made(self, changes: set[str] | None = None) -> None:
        files = {f"{name}.parquet" for name in self.live}
        files |= {vector_in(number)[1] for number in self.live.values() if number}
        self.needs.append((self.lake.now, files, changes or set()))

    def kept(self, since: int) -> set[str]:
        """The files of all versions that were the latest at a time or later."""
        found: set[str] = set()
        ends = [made for made, _, _ in self.needs[1:]] + [self.lake.now + 1]
        for (made, files, changes), end in zip(self.needs, ends, strict=True):
            if end > since:
                found |= files
            if made > since:
                found |= changes
        return found

    # ----------------------------------------------------------------------------- what is done

    def add(self, name: str, age: int) -> None:
        if name in self.live:
            return
        if self.lake.store.info(f"{name}.parquet") is None:
            self.lake.put(f"{name}.parquet")
        # A slow writer commits what it wrote long ago.
        self.lake.wait(age)
        self.lake.write(name)
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
        self.lake.put(f"stray-{name.replace('/', '-')}-{age}")
        self.lake.wait(age)

    def checkpoint(self, _: str, age: int) -> None:
        self.lake.wait(age)
        since = self.lake.now - 7 * DAY
        write_checkpoint(self.lake.log.latest(), tombstones_since=since)
        self.lake.log = TableLog(self.lake.store)

    def vacuum(self, hours: int | None, *, lite: bool) -> None:
        work = self.lake.vacuum(retain_hours=hours, lite=lite)
        since = self.lake.now - (7 * DAY if hours is None else hours * HOUR)
        kept = self.kept(since) & set(self.lake.names())
        strays = {n for n in self.lake.names() if self.lake.store.info(n).modified_ms >= since}
        foreseen = set(work.paths())
        work.run()
        left = set(self.lake.names())
        assert kept <= left
        if not lite:
            assert strays <= left
            assert not foreseen & left


ACTS = (Model.add, Model.remove, Model.mark, Model.change, Model.stray, Model.checkpoint)
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


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_vacuum_keeps_what_versions_within_the_retention_need(steps):
    lake = Lake(**{"delta.enableDeletionVectors": "true"})
    model = Model(lake)
    model.made()

    for act, what, how in steps:
        if act is None:
            model.vacuum(what, lite=how)
        else:
            act(model, what, how)
    model.vacuum(None, lite=False)

    needed = model.needs[-1][1]
    assert needed <= set(lake.names())


@settings(max_examples=60, deadline=None)
@given(STEPS, HOURS)
def test_versions_that_are_not_lost_can_be_read_afterwards(steps, hours):
    lake = Lake(**{"delta.enableDeletionVectors": "true"})
    model = Model(lake)
    model.made()
    for act, what, how in steps:
        if act is not None:
            act(model, what, how)

    work = lake.vacuum(retain_hours=hours)
    lost = set(work.preview().lost_versions)
    work.run()

    left = set(lake.names())
    readable = {v for v, (_, files, _) in enumerate(model.needs) if files <= left}
    assert readable == set(range(len(model.needs))) - lost
