"""Offsets: the JSON of delta-spark, and what is refused."""

import json

import pytest

from puredelta.errors import DeltaIllegalStateError
from puredelta.streaming.offsets import (
    BASE,
    METADATA_CHANGE,
    POST_METADATA_CHANGE,
    Offset,
    check_order,
    read_offset,
)

TEXTS = [
    (
        Offset(table="t", version=3),
        '{"sourceVersion":1,"reservoirId":"t","reservoirVersion":3,"index":-1,"isStartingVersion":false}',
    ),
    (
        Offset(table="t", version=7, index=2, initial=True),
        '{"sourceVersion":1,"reservoirId":"t","reservoirVersion":7,"index":2,"isStartingVersion":true}',
    ),
    (
        Offset(table="t", version=2, index=METADATA_CHANGE),
        '{"sourceVersion":3,"reservoirId":"t","reservoirVersion":2,"index":-20,"isStartingVersion":false}',
    ),
    (
        Offset(table="t", version=2, index=POST_METADATA_CHANGE),
        '{"sourceVersion":3,"reservoirId":"t","reservoirVersion":2,"index":-19,"isStartingVersion":false}',
    ),
]


@pytest.mark.parametrize(("offset", "text"), TEXTS)
def test_offset_has_json_of_delta_spark(offset, text):
    assert offset.to_json() == text
    assert read_offset(text, "t") == offset


def text_with(**other):
    return json.dumps(json.loads(TEXTS[0][1]) | other)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("5", "DELTA_INVALID_SOURCE_OFFSET_FORMAT"),
        ("{", "DELTA_INVALID_SOURCE_OFFSET_FORMAT"),
        (text_with(index="x"), "DELTA_INVALID_SOURCE_OFFSET_FORMAT"),
        (text_with(sourceVersion=0), "DELTA_INVALID_SOURCE_VERSION"),
        (text_with(sourceVersion=2), "DELTA_INVALID_SOURCE_VERSION"),
        (text_with(sourceVersion=4), "DELTA_INVALID_FORMAT_FROM_SOURCE_VERSION"),
        (text_with(reservoirId="u"), "DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE"),
    ],
)
def test_offset_of_another_source_is_refused(text, condition):
    with pytest.raises(DeltaIllegalStateError) as raised:
        read_offset(text, "t")

    assert raised.value.condition == condition


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (Offset(table="t", version=3), Offset(table="t", version=2)),
        (Offset(table="t", version=3, index=4), Offset(table="t", version=3, index=3)),
        (Offset(table="t", version=3, index=4), Offset(table="t", version=3, index=BASE)),
        (Offset(table="t", version=3), Offset(table="t", version=4, initial=True)),
    ],
)
def test_offset_does_not_move_back(start, end):
    with pytest.raises(DeltaIllegalStateError) as raised:
        check_order(start, end)

    assert raised.value.condition == "PUREDELTA_STREAM_OFFSET_MOVED_BACK"
