"""Streams that track their columns go on through other columns, where a user allows it."""

import json

import pytest

from puredelta.errors import DeltaRuntimeError
from tests.parts import rest
from tests.spark.streams import Streams

EVOLVED = "DELTA_STREAMING_METADATA_EVOLUTION"
BLOCKED = "DELTA_STREAMING_CANNOT_CONTINUE_PROCESSING_POST_SCHEMA_EVOLUTION"
RENAME = "RENAME COLUMN v TO w"
DROP = "DROP COLUMN gone"
WIDEN = "ALTER COLUMN n TYPE BIGINT"
PROPERTIES = "'delta.columnMapping.mode' = 'name', 'delta.enableTypeWidening' = 'true'"
BIG = 5_000_000_000


@pytest.fixture
def streams(spark, tmp_path, path):
    made = Streams(spark, tmp_path, path)
    made.made("id LONG, n INT, v STRING, gone STRING", PROPERTIES)
    made.sql("INSERT INTO T! VALUES (1, 1, 'a', 'x')")
    return made


def tracked(streams):
    return {"schemaTrackingLocation": str(streams.checkpoint() / "columns")}


def condition_of(streams, **options):
    with pytest.raises(DeltaRuntimeError) as caught:
        streams.run(**options)
    return caught.value.getCondition()


@pytest.mark.parametrize(
    ("changes", "allowed"),
    [
        rest([DROP], ["Drop"]),
        rest([WIDEN], ["TypeChange"]),
        rest([RENAME, DROP], ["Rename", "Drop"]),
        rest([RENAME, DROP, WIDEN], ["Rename", "Drop", "TypeChange"]),
    ],
    ids=["drop", "widen", "rename and drop", "all"],
)
def test_stream_goes_on_when_each_kind_of_change_is_allowed(streams, changes, allowed):
    options = tracked(streams)
    streams.run(**options)
    for change in changes:
        streams.sql(f"ALTER TABLE T! {change}")
    wide, gone = (BIG if WIDEN in changes else 2), ("" if DROP in changes else ", 'y'")
    streams.sql(f"INSERT INTO T! VALUES (2, {wide}, 'b'{gone})")

    assert condition_of(streams, **options) == EVOLVED
    for left_out in allowed:
        some = {f"allowSourceColumn{one}": "always" for one in allowed if one != left_out}
        assert condition_of(streams, **options, **some) == BLOCKED
    streams.run(**options, **{f"allowSourceColumn{one}": "always" for one in allowed})

    first = {"id": 1, "n": 1, "v": "a", "gone": "x"}
    second = {"id": 2, "n": wide, "w" if RENAME in changes else "v": "b"}
    if gone:
        second["gone"] = "y"
    assert streams.rows() == sorted([first, second], key=json.dumps)


def run_both(streams, **options):
    """Run a query over two sources of the table, with their logs of columns in one folder."""
    sources = [
        streams.read(**tracked(streams), streamingSourceTrackingId=name, **options)
        for name in ("left", "right")
    ]
    both = sources[0].unionByName(sources[1], allowMissingColumns=True)
    writer = both.writeStream.format("json").trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(streams.checkpoint()))
    writer.start(str(streams.folder / "out_q")).awaitTermination()


def meets_other_columns(streams, **options):
    """Run it, and return whether a source met columns that it did not know."""
    try:
        run_both(streams, **options)
    except DeltaRuntimeError as error:
        if error.getCondition() != EVOLVED:
            raise
        return True
    return False


@pytest.mark.rest
def test_two_sources_of_a_table_keep_their_columns_apart(streams):
    run_both(streams)
    streams.sql(f"ALTER TABLE T! {RENAME}")
    streams.sql("INSERT INTO T! VALUES (2, 2, 'b', 'y')")

    # Each source meets them, in one run or in two.
    met = [meets_other_columns(streams, allowSourceColumnRename="always") for _ in range(3)]

    assert met in ([True, False, False], [True, True, False])
    logs = sorted((streams.checkpoint() / "columns").iterdir())
    assert [log.name.rsplit("_", 1)[1] for log in logs] == ["left", "right"]
    for log in logs:
        entries = sorted(int(file.name) for file in log.iterdir() if file.name.isdigit())
        assert entries == [0, 1]
    before = {"id": 1, "n": 1, "v": "a", "gone": "x"}
    after = {"id": 2, "n": 2, "w": "b", "gone": "y"}
    assert streams.rows() == sorted([before, before, after, after], key=json.dumps)
