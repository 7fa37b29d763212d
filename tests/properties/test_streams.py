"""However a history is split into batches, the stream gives the rows of one batch."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from puredelta.streaming.admission import Limit
from tests.unit.streaming.histories import ID, History, add, names, remove

SIZES = st.integers(0, 40)
# A commit: sizes of the files that it adds; whether it only rewrites; whether it removes one.
COMMITS = st.lists(
    st.tuples(st.lists(SIZES, max_size=4), st.booleans(), st.sampled_from(["", "gone", "moved"])),
    max_size=6,
)
LIMITS = st.builds(
    Limit,
    st.one_of(st.none(), st.integers(1, 4)),
    st.one_of(st.none(), st.integers(1, 60)),
)


class Model:
    """What a stream has to give, in plain Python: files in the order in which it gives them."""

    def __init__(self, first, commits, options):
        self.live, self.added = [], []
        self.skips = options == "skipChangeCommits"
        self.history = History(*self.lines(first, 0))
        self.start = sorted(self.live)
        for number, commit in enumerate(commits, start=1):
            self.history.commit(*self.lines(commit, number))

    def lines(self, commit, number):
        sizes, rewrites, removal = commit
        new = [f"f{number:02}-{place}" for place in range(len(sizes))]
        lines = [
            add(name, size, time=number, data_change=not rewrites)
            for name, size in zip(new, sizes, strict=True)
        ]
        removes = bool(removal and self.live)
        if removes:
            gone = self.live.pop(0)
            lines.append(remove(gone, data_change=removal == "gone" and not rewrites))
        counts = not rewrites and not (self.skips and removes and removal == "gone")
        if counts:
            self.added.append((number, new))
        self.live += new
        return lines

    def files_from(self, version):
        return [name for number, new in self.added if number >= version for name in new]


def run(history, limits, start, restarts, **options):
    """Run a stream to its end, opened again after some batches; return the files of each batch."""
    stream = history.stream(start=start, **options)
    offset, found, number = None, [], 0
    while True:
        limit = limits[number % len(limits)]
        end = stream.latest_offset(offset, limit)
        if end == offset:
            return found
        if number in restarts:
            stream = history.stream(start=start, **options)
        assert msgspec.json.decode(end)["reservoirId"] == ID
        files = names(stream.batch(offset, end))
        # A batch that is built again after a crash has the same files.
        assert names(history.stream(start=start, **options).batch(offset, end)) == files
        found.append(files)
        offset, number = end, number + 1
        assert number < 200


@given(
    COMMITS,
    st.lists(LIMITS, min_size=1, max_size=3),
    st.sets(st.integers(0, 8)),
    st.sampled_from(["ignoreChanges", "skipChangeCommits"]),
    st.integers(0, 7),
)
def test_batches_of_commits_are_one_batch(commits, limits, restarts, option, start):
    model = Model(([5, 7], False, ""), commits, option)
    start = min(start, len(commits) + 1)

    found = run(model.history, limits, start, restarts, **{option: "true"})

    assert [name for files in found for name in files] == model.files_from(start)
    for files, limit in zip(found, limits * len(found), strict=False):
        assert limit.files is None or len(files) <= limit.files


@given(
    COMMITS,
    COMMITS,
    st.lists(LIMITS, min_size=1, max_size=3),
    st.integers(1, 8),
)
def test_table_and_later_commits_are_each_read_once(before, after, limits, pause):
    model = Model(([5, 7, 1], False, ""), before, "ignoreChanges")
    expected = list(model.live)
    first = model.history.version + 1
    stream = model.history.stream(ignoreChanges="true")
    offset, found = None, []
    for _ in range(pause):
        end = stream.latest_offset(offset, limits[0])
        if end == offset:
            break
        found += names(stream.batch(offset, end))
        offset = end
    for number, commit in enumerate(after, start=first):
        model.history.commit(*model.lines(commit, number))
    stream = model.history.stream(ignoreChanges="true")
    while (end := stream.latest_offset(offset, limits[-1])) != offset:
        found += names(stream.batch(offset, end))
        offset = end

    assert sorted(found) == sorted(expected + model.files_from(first))
