"""Deletion vectors: what is packed is read again, and damage is never read as rows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap64

from puredelta.errors import DeltaIllegalStateError
from puredelta.storage.memory import MemoryStore
from puredelta.table.deletion_vectors import z85
from puredelta.table.deletion_vectors.vectors import (
    VectorFile,
    deserialize,
    inline,
    read_vector,
    serialize,
)

row_numbers = st.integers(0, 200) | st.integers(0, 2**34) | st.integers(0, (2**31 - 1) * 2**32 - 1)
row_sets = st.sets(row_numbers, max_size=50) | st.builds(
    lambda start, length: set(range(start, start + length)),
    st.integers(0, 2**33),
    st.integers(0, 5000),
)


@given(st.binary(max_size=60))
def test_z85_round_trips(data):
    assert z85.decode(z85.encode(data))[: len(data)] == data


@given(st.lists(row_sets, max_size=5))
def test_vectors_round_trip(groups):
    store, file = MemoryStore(), VectorFile()
    vectors = [file.add(BitMap64(rows)) for rows in groups]
    store.put(file.path, file.content)

    assert [set(read_vector(store, store.url, vector)) for vector in vectors] == groups
    assert [set(read_vector(store, store.url, inline(BitMap64(r)))) for r in groups] == groups


@given(row_sets, st.integers(0, 10**6), st.integers(1, 255))
def test_a_changed_byte_of_a_file_is_always_noticed(rows, at, change):
    store, file = MemoryStore(), VectorFile()
    vector = file.add(BitMap64(rows))
    content = bytearray(file.content)
    content[at % len(content)] ^= change
    store.put(file.path, bytes(content))

    with pytest.raises(DeltaIllegalStateError, match=file.path):
        read_vector(store, store.url, vector)


@given(row_sets, st.data())
def test_any_bytes_are_rows_or_a_typed_error(rows, data):
    content = bytearray(serialize(BitMap64(rows)))
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))

    try:
        outcome = str(len(deserialize(bytes(content))))
    except DeltaIllegalStateError as error:
        outcome = error.condition

    assert outcome.isdecimal() or outcome == "DELTA_DELETION_VECTOR_MALFORMED"
