"""The scan handle goes to the adapters and comes back as the same value."""

import json

import msgspec
import pytest
from msgspec.structs import replace

from puredelta.engine.scan.handle import ChangeFeed, FeedPart, ScanHandle, ScanQuestion, to_json

FULL = ScanHandle(
    root="file:/tmp/t",
    name="spark_catalog.default.t",
    version=3,
    fingerprint="0a1b",
    options=1,
    staged=2,
    number=4,
    only_files=5,
    only_partitions={"p": "1", "q": None},
    planned=6,
    row_ids='{"type":"struct","fields":[]}',
    change_feed=ChangeFeed(start=1),
    changes=FeedPart(start=1, end=2, part="recorded"),
    limit=7,
    pinned=True,
    mapped=True,
    vectors=True,
    derives=True,
)


def test_sample_sets_every_field():
    defaults = ScanHandle(root="")

    assert [
        f for f in ScanHandle.__struct_fields__ if getattr(FULL, f) == getattr(defaults, f)
    ] == []


@pytest.mark.parametrize("handle", [ScanHandle(root="s3a://b/t"), FULL], ids=["least", "full"])
def test_handle_comes_back_as_it_went(handle):
    assert ScanHandle.from_json(handle.to_json()) == handle


def test_defaults_do_not_cross_over():
    assert json.loads(ScanHandle(root="file:/t").to_json()) == {"root": "file:/t"}


def test_what_a_pinned_scan_found_out_crosses_over_when_it_is_false():
    pinned = ScanHandle(root="file:/t", pinned=True, mapped=False)

    assert json.loads(pinned.to_json()) == {"root": "file:/t", "pinned": True, "mapped": False}


def test_copy_with_a_limit_differs_in_nothing_else():
    limited = replace(FULL, limit=10)

    assert replace(limited, limit=7) == FULL
    assert limited != FULL


@pytest.mark.parametrize(
    "text",
    [
        '{"root": "file:/t", "onlyFile": 1}',
        '{"root": "file:/t", "row_ids": ""}',
        '{"root": "file:/t", "changes": {"start": 1, "part": "recorded", "stop": 2}}',
    ],
)
def test_key_of_no_field_is_refused(text):
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        ScanHandle.from_json(text)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"root": "file:/t", "version": "3"}',
        '{"root": "file:/t", "changes": {"start": 1, "part": "both"}}',
    ],
)
def test_value_of_another_type_is_refused(text):
    with pytest.raises(msgspec.ValidationError):
        ScanHandle.from_json(text)


def test_question_brings_its_handle():
    question = ScanQuestion.from_json(to_json({"skips": "true", "handle": FULL, "keep": [0, 2]}))

    assert question == ScanQuestion(handle=FULL, skips="true", keep=[0, 2])


def test_question_has_no_partitions_before_spark_chose_them():
    text = '{"skips": "false", "handle": {"root": "file:/t"}}'

    assert ScanQuestion.from_json(text).keep == []


def test_label_is_the_name_or_else_the_path():
    assert FULL.label == "spark_catalog.default.t"
    assert ScanHandle(root="file:/tmp/t").label == "delta.`file:/tmp/t`"
