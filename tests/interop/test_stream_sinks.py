"""A query that delta-spark began goes on here, and ours goes on there, each batch once."""

import json
from pathlib import Path

import pytest

from tests.interop.oracle import NoOracleError, run_delta_spark
from tests.spark.streams import Feed, finish, history, rows

# Each test runs delta-spark, which takes long.
pytestmark = [pytest.mark.timeout(1200), pytest.mark.rest]
SCRIPT = Path(__file__).with_name("stream_on_delta_spark.py")


@pytest.fixture
def feed(spark, tmp_path):
    return Feed(spark, tmp_path, "id BIGINT, v STRING")


def go_on_there(feed, path, tmp_path):
    """Run the query on delta-spark; return its id."""
    parts = [str(feed.files), path, str(feed.checkpoint)]
    try:
        return json.loads(run_delta_spark(tmp_path, parts, SCRIPT).read_text())["query"]
    except NoOracleError as reason:
        pytest.skip(str(reason))


def go_on_here(feed, path):
    return str(finish(feed.writer().start(path)).id)


@pytest.mark.parametrize("begins", ["there", "here"])
def test_query_goes_on_with_the_other(spark, feed, tmp_path, begins):
    path = str(tmp_path / "t")
    feed.add({"id": 1, "v": "a"}).add({"id": 2, "v": "b"})
    sides = [
        lambda: go_on_there(feed, path, tmp_path),
        lambda: go_on_here(feed, path),
    ]
    first, second = sides if begins == "there" else sides[::-1]

    query = first()
    # The last batch is in the table, and the checkpoint does not know: it is repeated.
    feed.forget_last_batch()
    feed.add({"id": 3, "v": "c"})

    assert second() == query
    assert rows(spark, path) == [(1, "a"), (2, "b"), (3, "c")]
    assert [
        (shown["operation"], shown["operationParameters"]["epochId"])
        for shown in history(spark, path)
    ] == [("STREAMING UPDATE", str(number)) for number in range(3)]
