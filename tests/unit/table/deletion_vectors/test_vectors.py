"""Deletion vectors: their forms, their places, and what is said of damaged ones."""

import struct
import uuid
import zlib

import msgspec
import pytest
from pyroaring import BitMap, BitMap64

from puredelta.errors import DeltaFileNotFoundError, DeltaIllegalStateError
from puredelta.log.actions import DeletionVector
from puredelta.storage.local import LocalStore
from puredelta.storage.memory import MemoryStore
from puredelta.table.deletion_vectors import z85
from puredelta.table.deletion_vectors.vectors import (
    VectorFile,
    decode_inline,
    deserialize,
    inline,
    read_vector,
    serialize,
    vector_path,
)
from tests.damaged_vectors import DAMAGED, WHOLE

ROOT = "memory:///t"
NAME = uuid.UUID("5f3a1c52-97ab-4d43-a3b7-01d2f3e4a5b6")

# What delta-spark 4.3.1 reads as these rows.
SPARK_TEXT = "^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"
ROWS = [3, 4, 7, 11, 18, 29]


def descriptor(storage_type, text, **others):
    return DeletionVector(
        storage_type=storage_type,
        path_or_inline_dv=text,
        **{"size_in_bytes": 44, "cardinality": 6, **others},
    )


def stored(*groups, prefix=""):
    """Put vectors into one file of a store, and tell their descriptors."""
    file = VectorFile(prefix, NAME)
    vectors = [file.add(BitMap64(rows)) for rows in groups]
    store = MemoryStore(ROOT)
    store.put(file.path, file.content)
    return store, file.path, vectors


def refusal(store, vector):
    with pytest.raises(DeltaIllegalStateError) as caught:
        read_vector(store, ROOT, vector)
    return caught.value


def test_the_example_of_the_protocol():
    text = "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"

    assert list(read_vector(MemoryStore(), ROOT, descriptor("i", text, size_in_bytes=40))) == ROWS


def test_an_inline_vector_as_delta_spark_has_it():
    vector = descriptor("i", SPARK_TEXT)

    assert list(read_vector(MemoryStore(), ROOT, vector)) == ROWS
    assert inline(BitMap64(ROWS)) == vector
    assert vector_path(ROOT, vector) is None


@pytest.mark.parametrize("order", ["<", ">"])
def test_the_native_form(order):
    low, high = BitMap([1, 2]).serialize(), BitMap([5]).serialize()
    empty = BitMap().serialize()
    parts = [low, empty, high]
    data = struct.pack(f"{order}ii", 1681511376, 3)
    data += b"".join(struct.pack(f"{order}i", len(part)) + part for part in parts)

    assert list(deserialize(data)) == [1, 2, 2 * 2**32 + 5]


def test_no_rows_at_all():
    assert list(deserialize(serialize(BitMap64()))) == []


def test_rows_beyond_32_bits():
    rows = BitMap64([0, 2**32, 2**40 + 7])

    assert deserialize(serialize(rows)) == rows


@pytest.mark.parametrize("prefix", ["", "ab"])
def test_several_vectors_in_a_file(prefix):
    store, path, vectors = stored([1, 2, 3], range(70_000), [2**33], prefix=prefix)

    assert path == f"{prefix}/deletion_vector_{NAME}.bin".lstrip("/")
    assert vector_path(ROOT, vectors[1]) == f"{ROOT}/{path}"
    assert [vector.offset for vector in vectors] == [1, 47, vectors[1].size_in_bytes + 55]
    assert [list(read_vector(store, ROOT, vector)) for vector in vectors] == [
        [1, 2, 3],
        list(range(70_000)),
        [2**33],
    ]


def test_an_absolute_path_inside_the_table():
    store, path, (vector,) = stored([1, 2])
    absolute = msgspec.structs.replace(
        vector, storage_type="p", path_or_inline_dv=f"memory:///t/{path}"
    )

    assert list(read_vector(store, ROOT, absolute)) == [1, 2]


def test_an_absolute_path_outside_of_the_table(tmp_path):
    file = VectorFile()
    vector = file.add(BitMap64([1, 2]))
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / file.path).write_bytes(file.content)
    (tmp_path / "clone").mkdir()
    store = LocalStore(f"{tmp_path}/clone")

    for path in (f"file:{tmp_path}/a%20b/{file.path}", f"{tmp_path}/a%20b/{file.path}"):
        absolute = msgspec.structs.replace(vector, storage_type="p", path_or_inline_dv=path)
        assert vector_path(store.url, absolute) == f"file://{tmp_path}/a b/{file.path}"
        assert list(read_vector(store, store.url, absolute)) == [1, 2]


def test_a_missing_file_is_named():
    store, path, (vector,) = stored([1, 2])
    store.delete([path])

    with pytest.raises(DeltaFileNotFoundError, match=path):
        read_vector(store, ROOT, vector)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_wrong_size_in_the_log(at):
    store, path, vectors = stored([1], [2, 3], [4])
    wrong = msgspec.structs.replace(vectors[at], size_in_bytes=vectors[at].size_in_bytes + 1)

    error = refusal(store, wrong)

    assert error.condition == "DELTA_DELETION_VECTOR_SIZE_MISMATCH"
    assert error.parameters["path"] == f"{ROOT}/{path}"
    assert int(error.parameters["expected"]) == int(error.parameters["found"]) + 1


@pytest.mark.parametrize("at", [5, 20, -1])
def test_a_changed_byte(at):
    store, path, (vector,) = stored([1, 5, 9])
    content = bytearray(store.read(path))
    content[at] ^= 1
    store.put(path, bytes(content))

    error = refusal(store, vector)

    assert error.condition == "DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH"
    assert error.parameters == {"path": f"{ROOT}/{path}", "owner": "", "offset": "1"}


@pytest.mark.parametrize("length", range(0, 43, 3))
def test_a_file_cut_short(length):
    store, path, (vector,) = stored([1, 5, 9])
    store.put(path, store.read(path)[:length])

    error = refusal(store, vector)

    assert error.condition in {
        "DELTA_DELETION_VECTOR_SIZE_MISMATCH",
        "DELTA_DELETION_VECTOR_MALFORMED",
    }
    assert error.parameters["path"] == f"{ROOT}/{path}"


def test_an_unknown_magic_number():
    data = b"\x01\x02\x03\x04" + BitMap64([1]).serialize()
    store, path, (vector,) = stored([1])
    store.put(
        path,
        b"\x01" + struct.pack(">i", len(data)) + data + struct.pack(">I", zlib.crc32(data)),
    )

    error = refusal(store, msgspec.structs.replace(vector, size_in_bytes=len(data)))

    assert error.condition == "DELTA_DELETION_VECTOR_MALFORMED"
    assert error.parameters["path"] == f"{ROOT}/{path}"
    assert "01020304" in error.message


def test_an_unknown_version_of_the_file():
    store, path, (vector,) = stored([1])
    store.put(path, b"\x02" + store.read(path)[1:])

    error = refusal(store, vector)

    assert error.condition == "DELTA_DELETION_VECTOR_MALFORMED"
    assert "version 2" in error.message


def test_another_number_of_rows_than_promised():
    store, path, (vector,) = stored([1, 5, 9])

    error = refusal(store, msgspec.structs.replace(vector, cardinality=4))

    assert error.condition == "DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH"
    found = {"owner": "", "expected": "4", "found": "3"}
    assert error.parameters == {"path": f"{ROOT}/{path}", **found}


@pytest.mark.parametrize("damaged", DAMAGED.values(), ids=DAMAGED)
@pytest.mark.parametrize("place", ["inline", "file"])
def test_a_damaged_vector_is_refused_and_named(damaged, place):
    data, store = damaged.data, MemoryStore(ROOT)
    if place == "inline":
        text, kind = z85.encode(data), "i"
    else:
        text, kind = z85.encode(NAME.bytes), "u"
        framed = struct.pack(">i", len(data)) + data + struct.pack(">I", zlib.crc32(data))
        store.put(f"deletion_vector_{NAME}.bin", b"\x01" + framed)
    vector = descriptor(
        kind, text, size_in_bytes=len(data), cardinality=damaged.cardinality, offset=None
    )

    with pytest.raises(DeltaIllegalStateError) as caught:
        read_vector(store, ROOT, vector, file="a.parquet")

    assert caught.value.condition == damaged.condition
    assert f"of the data file a.parquet in {ROOT}" in caught.value.message


def test_the_vector_of_which_the_damaged_ones_are_made():
    assert list(deserialize(WHOLE.data)) == [0, 2]


@pytest.mark.parametrize(
    ("vector", "reason"),
    [
        (descriptor("i", "no z85"), "multiple of 5"),
        (descriptor("i", "0" * 55), "00000000"),
        (descriptor("i", SPARK_TEXT, size_in_bytes=20), "cannot be decoded"),
        (descriptor("u", "too short"), "names no file"),
        (descriptor("x", "what"), "storage type 'x'"),
    ],
)
def test_what_is_no_vector(vector, reason):
    error = refusal(MemoryStore(ROOT), vector)

    assert error.condition == "DELTA_DELETION_VECTOR_MALFORMED"
    assert reason in error.message


def test_an_inline_vector_shorter_than_promised():
    with pytest.raises(DeltaIllegalStateError) as caught:
        decode_inline(SPARK_TEXT, 45)

    assert caught.value.condition == "DELTA_DELETION_VECTOR_SIZE_MISMATCH"
    assert caught.value.parameters["found"] == "44"


@pytest.mark.parametrize("tail", [struct.pack("<i", 2**30), struct.pack("<ii", 1, -9), b"", b"12"])
def test_a_damaged_native_form(tail):
    with pytest.raises(DeltaIllegalStateError, match="DELTA_DELETION_VECTOR_MALFORMED"):
        deserialize(struct.pack("<i", 1681511376) + tail)


def test_the_name_of_a_file_is_in_its_descriptor():
    vector = VectorFile("pre", NAME).add(BitMap64([1]))

    assert vector.path_or_inline_dv == "pre" + z85.encode(NAME.bytes)
    assert vector.unique_id == f"u{vector.path_or_inline_dv}@1"


@pytest.mark.parametrize("prefix", ["..", "../outside", "a/../../outside", "."])
def test_prefix_that_leads_out_of_the_table_is_refused(prefix):
    store, _, (vector,) = stored([3])
    moved = msgspec.structs.replace(vector, path_or_inline_dv=prefix + vector.path_or_inline_dv)

    error = refusal(store, moved)

    assert error.condition == "DELTA_DELETION_VECTOR_MALFORMED"
    assert f"the folder '{prefix}' would be outside of the table" in str(error)


def test_vector_of_more_rows_than_a_file_has_is_refused():
    rows = BitMap64()
    rows.add_range(0, 2**32 + 1)

    with pytest.raises(DeltaIllegalStateError, match="it deletes 4294967297 rows") as caught:
        deserialize(serialize(rows))
    assert caught.value.condition == "DELTA_DELETION_VECTOR_MALFORMED"
