"""What batches have: the table as it was, then each commit, in the limits."""

import pytest

from puredelta.errors import DeltaError
from puredelta.log.names import commit_name
from puredelta.streaming.admission import ALL, Limit
from tests.unit.streaming.histories import (
    PROTOCOL,
    History,
    add,
    info,
    metadata,
    names,
    remove,
    short,
)


def batches(stream, limit=ALL, start=None, most=50):
    """Run a stream until there is nothing new; return offsets and names of the files."""
    found = []
    while (end := stream.latest_offset(start, limit)) != start:
        found.append((short(end), names(stream.batch(start, end))))
        start = end
        assert len(found) < most
    return found


def test_new_stream_reads_table_then_commits():
    history = History(add("b", time=2), add("a", time=1))
    history.commit(add("c", time=3), info("WRITE"))
    stream = history.stream()
    history.commit(add("d", time=4))

    assert batches(stream) == [((3, -1, False), ["a", "b", "c", "d"])]


def test_one_file_per_batch():
    history = History(add("a", time=1), add("b", time=2), add("c", time=3))
    stream = history.stream()
    history.commit(add("d"), add("e"))

    assert batches(stream, Limit(files=1)) == [
        ((0, 0, True), ["a"]),
        ((0, 1, True), ["b"]),
        ((1, -1, False), ["c"]),
        ((1, 0, False), ["d"]),
        ((2, -1, False), ["e"]),
    ]


def test_changes_of_version_without_files_wait_for_next_batch():
    # As delta-spark 4.4 does: a full batch of a change feed does not even pass empty versions.
    history = History(configuration={"delta.enableChangeDataFeed": "true"})
    changed = {"cdc": {"path": "c", "partitionValues": {}, "size": 10, "dataChange": False}}
    stream = history.stream(start=1, readchangefeed="true")
    history.commit(add("a"))
    history.commit(info("SET TBLPROPERTIES"))
    history.commit(add("b"), remove("a"), changed)
    history.commit(info("SET TBLPROPERTIES"))

    assert batches(stream, Limit(files=1)) == [
        ((2, -1, False), ["a"]),
        ((3, 0, False), ["c"]),
        ((5, -1, False), []),
    ]


def test_bytes_are_exceeded_by_one_file():
    history = History()
    stream = history.stream(start=1)
    history.commit(add("a", 6), add("b", 6), add("c", 6), add("d", 30), add("e", 1))

    found = batches(stream, Limit(bytes=10))

    assert [paths for _, paths in found] == [["a", "b"], ["c", "d"], ["e"]]


def test_first_of_two_limits_counts():
    history = History(*(add(name, 4) for name in "abcdef"))

    found = batches(history.stream(), Limit(files=2, bytes=1000))

    assert [paths for _, paths in found] == [["a", "b"], ["c", "d"], ["e", "f"]]


def test_commit_without_files_moves_offset():
    history = History(add("a"))
    stream = history.stream()
    start = stream.latest_offset(None, ALL)
    assert stream.latest_offset(start, ALL) == start
    history.commit(add("b", data_change=False), remove("a", data_change=False))

    end = stream.latest_offset(start, ALL)

    assert short(end) == (2, -1, False)
    assert names(stream.batch(start, end)) == []


def test_offset_is_returned_as_it_was_written():
    stream = History(add("a")).stream()
    text = stream.latest_offset(None, ALL).replace(",", ", ")

    assert stream.latest_offset(text, ALL) == text


def test_empty_table_gives_batch_without_files():
    assert batches(History().stream()) == [((1, -1, False), [])]


def test_start_after_newest_version_waits():
    history = History(add("a"))
    stream = history.stream(start=1)

    assert stream.latest_offset(None, ALL) is None
    history.commit(add("b"))
    assert batches(stream) == [((2, -1, False), ["b"])]


def test_available_now_ends_at_what_exists():
    history = History(add("a"))
    history.commit(add("b"))
    stream = history.stream(start=0)
    stream.fix_end()

    first = stream.latest_offset(None, Limit(files=1))
    history.commit(add("c"))

    assert short(first) == (1, -1, False)
    assert batches(stream, Limit(files=1), first) == [((2, -1, False), ["b"])]


def test_excluded_files_use_up_limit():
    history = History(*(add(name) for name in ("a1", "b1", "a2", "p%20q")))

    found = batches(history.stream(excludeRegex="^a|%20"), Limit(files=1))

    assert [paths for _, paths in found] == [[], [], ["b1"], []]


def test_restart_within_initial_table_reads_same_files():
    history = History(add("b", time=2), add("a", time=1), add("c", time=2))
    first = history.stream()
    start = first.latest_offset(None, Limit(files=1))
    history.commit(add("d"))
    history.commit(add("e"), remove("a", data_change=False))

    again = history.stream()

    assert names(again.batch(None, start)) == ["a"]
    assert batches(again, start=start) == [((3, -1, False), ["b", "c", "d", "e"])]


def test_planned_first_batch_is_the_same_after_restart():
    history = History(add("a"))
    end = history.stream().latest_offset(None, ALL)
    history.commit(add("b"))

    assert names(history.stream().batch(None, end)) == ["a"]


def test_missing_versions_stop_stream():
    history = History(add("a"))
    for name in "bcd":
        history.commit(add(name))
    strict, lenient = (history.stream(start=1, failOnDataLoss=text) for text in ("true", "false"))
    history.drop(2)

    with pytest.raises(DeltaError) as raised:
        batches(strict)
    assert raised.value.condition == "DELTA_MISSING_FILES_UNEXPECTED_VERSION"
    assert raised.value.parameters["startVersion"] == "2"
    assert batches(lenient) == [((4, -1, False), ["b", "d"])]


CHANGES = {
    "delete": ([remove("a"), info("DELETE", predicate='["id > 1"]')], "DELTA_SOURCE_IGNORE_DELETE"),
    "update": ([remove("a"), add("a2"), info("UPDATE")], "DELTA_SOURCE_TABLE_IGNORE_CHANGES"),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_change_of_rows_stops_stream(kind):
    lines, condition = CHANGES[kind]
    history = History(add("a"))
    history.commit(*lines)

    with pytest.raises(DeltaError) as raised:
        batches(history.stream(start=0))

    assert raised.value.condition == condition
    assert raised.value.parameters["version"] == "1"


def test_change_says_what_changed():
    history = History(add("a"))
    history.commit(remove("a"), add("b"), info("UPDATE", predicate='["id > 1"]'))

    with pytest.raises(DeltaError) as raised:
        batches(history.stream(start=0))

    assert raised.value.parameters["changeInfo"] == 'UPDATE (Map(predicate -> ["id > 1"]))'


@pytest.mark.parametrize(
    ("kind", "option", "files"),
    [
        ("delete", "ignoreDeletes", ["a", "z"]),
        ("delete", "ignoreChanges", ["a", "z"]),
        ("delete", "skipChangeCommits", ["a", "z"]),
        ("delete", "ignoreFileDeletion", ["a", "z"]),
        ("update", "ignoreChanges", ["a", "a2", "z"]),
        ("update", "ignoreFileDeletion", ["a", "a2", "z"]),
        ("update", "skipChangeCommits", ["a", "z"]),
    ],
)
def test_option_lets_change_pass(kind, option, files):
    history = History(add("a"))
    history.commit(*CHANGES[kind][0])
    history.commit(add("z"))

    found = batches(history.stream(start=0, **{option: "true"}))

    assert [name for _, paths in found for name in paths] == files


def test_update_is_not_passed_by_ignore_deletes():
    history = History(add("a"))
    history.commit(*CHANGES["update"][0])

    with pytest.raises(DeltaError, match="skipChangeCommits"):
        batches(history.stream(start=0, ignoreDeletes="true"))


def test_idle_stream_does_not_list_the_log(monkeypatch):
    history = History(add("a"))
    stream = history.stream()
    [(_, _)] = batches(stream)
    end = stream.latest_offset(None, ALL)
    listed = []
    list_from = history.store.list_from
    monkeypatch.setattr(
        history.store, "list_from", lambda *where: listed.append(where) or list_from(*where)
    )

    assert stream.latest_offset(end, ALL) == end
    assert listed == []

    history.commit(add("b"))
    assert names(stream.batch(end, stream.latest_offset(end, ALL))) == ["b"]
    assert listed


def test_replaced_table_is_noticed():
    history = History(add("a"))
    stream = history.stream()
    start = stream.latest_offset(None, ALL)
    history.commit(metadata(identity="another"), add("b"))

    with pytest.raises(DeltaError) as raised:
        stream.latest_offset(start, ALL)
    assert raised.value.condition == "DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE"


def test_table_that_was_made_again_is_noticed():
    history = History(add("a"))
    stream = history.stream()
    start = stream.latest_offset(None, ALL)
    history.store.delete([commit_name(0)])
    history.version = -1
    history.commit(PROTOCOL, metadata(identity="another"), add("b"))
    for name in "cde":
        history.commit(add(name))

    with pytest.raises(DeltaError) as raised:
        stream.latest_offset(start, ALL)
    assert raised.value.condition == "DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE"


def test_table_that_is_gone_is_noticed():
    history = History(add("a"))
    stream = history.stream()
    start = stream.latest_offset(None, ALL)
    history.store.delete([commit_name(0)])

    with pytest.raises(DeltaError):
        stream.latest_offset(start, ALL)
