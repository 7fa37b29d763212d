"""Partition values survive the names of folders, whoever escaped them; what is inferred holds."""

from urllib.parse import quote

from hypothesis import assume, example, given
from hypothesis import strategies as st

from puredelta.conversion.partitions.inference import InferredPartitions
from puredelta.conversion.partitions.paths import PartitionPaths
from puredelta.schema.datatypes import BINARY, STRING, StructField, StructType
from puredelta.table.partition_values import (
    NULL_FOLDER,
    partition_folder,
    text_from_value,
    value_from_text,
)
from tests.properties.table_strategies import partition_types, same_number, texts, typed_values

NUMBERS = st.one_of(
    st.integers().map(str),
    st.floats().map(repr),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.from_regex(r"[+-]?\d{1,40}(\.\d{0,5})?([eE][+-]?\d{1,3})?[dDfF]?", fullmatch=True),
)
DATES = st.one_of(
    st.dates().map(str),
    st.datetimes().map(lambda moment: str(moment).replace(":", "%3A")),
    st.from_regex(
        r"[+-]?\d{3,7}-\d{1,2}-\d{1,2}( \d\d%3A\d\d%3A\d\d(\.\d{1,3})?)?", fullmatch=True
    ),
)
FOLDER_TEXTS = st.one_of(
    NUMBERS,
    DATES,
    st.sampled_from([NULL_FOLDER, "", "true", " 1", "1 ", "0x1p3", "1e400"]),
    texts(),
).filter(lambda text: "/" not in text)


def column(kind):
    return PartitionPaths(StructType((StructField("p", kind),)), zone="Asia/Tokyo")


@given(typed_values(partition_types()))
def test_value_survives_its_folder(typed):
    kind, value = typed
    text = text_from_value(value, kind)
    assume(text is not None and text != NULL_FOLDER)
    assume(kind != BINARY or value.decode("utf-8", "replace").encode() == value)

    logged = column(kind).values(f"{partition_folder({'p': text}, ['p'])}/a.parquet")["p"]

    assert same_number(value_from_text(logged, kind), value)


@given(typed_values(partition_types()))
def test_logged_text_is_logged_as_it_is(typed):
    kind, value = typed
    text = text_from_value(value, kind)
    assume(text is not None and text != NULL_FOLDER)
    assume(kind != BINARY or value.decode("utf-8", "replace").encode() == value)
    paths = column(kind)
    once = paths.values(f"{partition_folder({'p': text}, ['p'])}/a.parquet")

    assert paths.values(f"{partition_folder(once, ['p'])}/a.parquet") == once


@given(texts())
def test_text_survives_each_way_of_escaping(text):
    assume(text not in ("", NULL_FOLDER))

    for folder in (f"p={quote(text, safe='')}", partition_folder({"p": text}, ["p"])):
        assert column(STRING).values(f"{folder}/a.parquet") == {"p": text}


@given(st.lists(FOLDER_TEXTS, min_size=1, max_size=4))
@example(["1e5", "1e400"])
@example(["9" * 39, "1"])
@example(["2024-01-02 03%3A04%3A05", "2024-01-02"])
def test_every_value_is_of_the_type_that_is_inferred(found):
    inferred = InferredPartitions()
    for text in found:
        inferred.add(f"p={text}/a.parquet")
    paths = PartitionPaths(inferred.schema)

    for text in found:
        logged = paths.values(f"p={text}/a.parquet")["p"]
        assert (logged is None) == (text in ("", NULL_FOLDER))


@given(st.lists(FOLDER_TEXTS, min_size=1, max_size=5), st.randoms())
def test_inferred_type_does_not_hang_on_the_order(found, random):
    shuffled = list(found)
    random.shuffle(shuffled)
    schemas = []
    for order in (found, shuffled):
        inferred = InferredPartitions()
        for text in order:
            inferred.add(f"p={text}/a.parquet")
        schemas.append(inferred.schema)

    assert schemas[0] == schemas[1]
