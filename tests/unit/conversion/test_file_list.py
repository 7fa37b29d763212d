"""Files of a conversion: in order, as often as wanted, on disk past a bound."""

import tracemalloc
from pathlib import Path

import pytest

from puredelta.conversion.file_list import FileList
from puredelta.conversion.source_file import SourceFile

FILES = [
    (SourceFile("p=a%2Fb/x y.parquet", 10, 1_700_000_000_123), '{"numRecords":1}'),
    (SourceFile("é\n😀\u2028.parquet", 2**40, 0, {"p": None, "q": 'a"b'}), None),
    (SourceFile("z.parquet", 0, -5, {}), ""),
]


def open_files():
    return len(list(Path("/proc/self/fd").glob("*")))


@pytest.mark.parametrize("in_memory", [1, 2, 100])
def test_files_come_back_as_they_were_in_order_and_again(in_memory):
    with FileList(in_memory=in_memory) as files:
        for file, stats in FILES:
            files.add(file, stats)

        assert list(files) == FILES
        assert list(files) == FILES
        assert (len(files), files.size) == (3, 2**40 + 10)


def test_more_files_can_be_added_after_and_while_it_is_read():
    with FileList(in_memory=1) as files:
        seen = []
        files.add(*FILES[0])
        for file, _ in files:
            seen.append(file)
            files.add(*FILES[1])
            files.add(*FILES[2])

        assert seen == [FILES[0][0]]
        assert list(files) == FILES


def test_two_readers_do_not_disturb_each_other():
    with FileList(in_memory=2) as files:
        for number in range(3_000):
            files.add(SourceFile(f"{number:0100}", number, 0))

        pairs = list(zip(files, files, strict=True))

    assert all(one == other for one, other in pairs)
    assert [one.size for (one, _), _ in pairs] == list(range(3_000))


def test_empty_list_has_nothing():
    with FileList() as files:
        assert (list(files), len(files), files.size) == ([], 0, 0)


def test_close_lets_go_of_everything_and_may_come_twice(monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    before = open_files()
    files = FileList(in_memory=1)
    for one in FILES:
        files.add(*one)

    files.close()
    files.close()

    assert (list(files), len(files), files.size) == ([], 0, 0)
    assert list(tmp_path.iterdir()) == []
    assert open_files() == before


def test_memory_stays_flat():
    peaks = []
    for count in (3_000, 15_000):
        tracemalloc.start()
        with FileList(in_memory=500) as files:
            for number in range(count):
                files.add(SourceFile(f"part-{number:060}.parquet", 1, 0), '{"numRecords":1}' * 10)
            assert sum(1 for _ in files) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()

    assert peaks[1] < peaks[0] * 1.2
