"""What a stream would do next: its batches, and what would stop it."""

from puredelta.streaming.admission import Limit
from puredelta.streaming.explain import explain_stream
from tests.html_tables import texts_of
from tests.unit.streaming.histories import History, add, info, remove


def explained(history, limit=Limit(), start=None, most=10, **options):  # noqa: B008  # frozen
    return explain_stream(history.stream(start=0, **options), "t", limit, start, most)


def test_batches_are_planned():
    history = History(add("a", 2048), add("b", 1024))
    history.commit(add("c", 512))
    history.commit(info("VACUUM END"))

    found = explained(history, Limit(files=2))

    assert str(found) == (
        "t: 2 batches, 3 files; 0 stops\n"
        "  batch 0: version 0: 2 files, 3.0 KiB\n"
        "  batch 1: version 1: 1 file, 512 B"
    )
    assert found.is_complete


def test_plan_goes_on_from_offset():
    history = History(add("a"))
    history.commit(add("b"))
    first = explained(history, Limit(files=1), most=1)

    later = explained(history, start=first.batches[-1].end)

    assert not first.is_complete
    assert [batch.versions for batch in later.batches] == ["version 1"]


def test_all_stops_are_listed_with_their_options():
    history = History(add("a"), add("b"))
    history.commit(remove("a"), info("DELETE"))
    history.commit(remove("b"), add("c"), info("UPDATE"))

    found = explained(history)

    assert found.batches == ()
    assert [(stop.version, stop.condition) for stop in found.stops] == [
        (1, "DELTA_SOURCE_IGNORE_DELETE"),
        (2, "DELTA_SOURCE_TABLE_IGNORE_CHANGES"),
    ]
    assert "    goes on with skipChangeCommits=true" in str(found)
    assert explained(history, skipChangeCommits="true").stops == ()


def test_missing_version_is_a_stop():
    history = History(add("a"))
    history.commit(add("b"))
    history.commit(add("c"))
    stream = history.stream(start=0)
    history.drop(1)

    found = explain_stream(stream, "t", Limit(), None, 10)

    assert [stop.options for stop in found.stops] == [("failOnDataLoss=false",)]


def test_notebook_shows_it():
    shown = explained(History(add("a")))._repr_html_()

    assert "<strong>t: 1 batch, 1 files" in shown
    assert texts_of(shown)[0] == ["Batch", "Reads"]
    assert texts_of(shown)[1][0] == "0"
