"""Deletion vectors that are damaged, lie, lead elsewhere, or are small and delete billions."""

import struct
import zlib
from pathlib import Path
from typing import Any

from pyroaring import BitMap64

from puredelta.table.deletion_vectors import z85
from puredelta.table.deletion_vectors.vectors import serialize
from tests.damaged_vectors import DAMAGED
from tests.endurance.hostile.edits import link, nested, pipe, rewrite
from tests.endurance.hostile.kind import Change, Kinds

KINDS = Kinds("vectors", "vectors")
_PORTABLE = (1681511377).to_bytes(4, "little")
_NATIVE = (1681511376).to_bytes(4, "little")


def _vector(**values: Any) -> Change:
    """Change the vector that lies in a file: that of the newest add."""
    return nested("add", "deletionVector", **values)


def _inline(data: bytes, cardinality: int) -> Change:
    return _vector(
        storageType="i",
        pathOrInlineDv=z85.encode(data),
        offset=...,
        sizeInBytes=len(data),
        cardinality=cardinality,
    )


def _file(path: Path) -> Path:
    return next(path.glob("deletion_vector_*.bin"))


def _content(edit: Any) -> Change:
    def change(path: Path) -> None:
        place = _file(path)
        place.write_bytes(edit(place.read_bytes()))

    return change


def _stored(data: bytes, cardinality: int) -> Change:
    """Store these bytes as the vector, with their size and checksum."""

    def change(path: Path) -> None:
        framed = struct.pack(">i", len(data)) + data + struct.pack(">I", zlib.crc32(data))
        _file(path).write_bytes(b"\x01" + framed)
        _vector(offset=1, sizeInBytes=len(data), cardinality=cardinality)(path)

    return change


def _full(containers: int, buckets: int = 1) -> bytes:
    """Delete all rows of some containers of 65,536, which takes a few bytes for each."""
    found = struct.pack("<q", buckets)
    for key in range(buckets):
        rows = BitMap64()
        rows.add_range(0, containers * 65_536)
        rows.run_optimize()
        found += struct.pack("<I", key) + rows.serialize()[12:]
    return _PORTABLE + found


KINDS.refused(
    "vector_of_another_checksum", _content(lambda data: data[:-1] + bytes([data[-1] ^ 1]))
)
KINDS.refused("vector_of_another_byte", _content(lambda data: data[:20] + b"\xff" + data[21:]))
KINDS.refused("vector_file_cut", _content(lambda data: data[:-5]))
KINDS.refused("vector_file_of_nothing", _content(lambda _: b""))
KINDS.refused("vector_file_of_another_version", _content(lambda data: b"\x02" + data[1:]))
KINDS.refused("vector_file_gone", lambda path: _file(path).unlink())
KINDS.refused("vector_file_is_a_pipe", lambda path: pipe(_file(path).name)(path))
KINDS.refused("vector_file_is_a_device", lambda path: link(_file(path).name, "/dev/zero")(path))
KINDS.refused(
    "vector_file_is_a_folder",
    lambda path: ((found := _file(path)).unlink(), found.mkdir(), None)[2],
)
KINDS.refused("vector_at_no_place", _vector(offset=10**6))
KINDS.refused("vector_at_the_last_place", _vector(offset=2**31 - 1))
KINDS.refused("vector_at_a_place_past_32_bits", _vector(offset=2**31))
KINDS.refused("vector_at_a_negative_place", _vector(offset=-1))
KINDS.refused("vector_at_the_first_byte", _vector(offset=0))
KINDS.refused("vector_of_another_size", _vector(sizeInBytes=3))
KINDS.refused("vector_of_the_largest_size", _vector(sizeInBytes=2**31 - 1))
KINDS.refused("vector_of_a_size_past_32_bits", _vector(sizeInBytes=2**31))
KINDS.refused("vector_of_no_size", _vector(sizeInBytes=0))
KINDS.refused("vector_of_a_negative_size", _vector(sizeInBytes=-1))
KINDS.refused("vector_of_a_size_in_text", _vector(sizeInBytes="9"))
KINDS.refused("vector_of_more_rows", _vector(cardinality=2))
KINDS.refused("vector_of_the_most_rows", _vector(cardinality=2**63 - 1))
KINDS.refused("vector_of_rows_past_64_bits", _vector(cardinality=2**63))
KINDS.refused("vector_of_no_rows", _vector(cardinality=0))
KINDS.refused("vector_of_another_kind", _vector(storageType="x"))
KINDS.refused("vector_of_a_long_kind", _vector(storageType="u" * 10_000))
KINDS.refused("vector_of_no_kind", _vector(storageType=""))
KINDS.refused("vector_without_kind", _vector(storageType=...))
KINDS.refused("vector_of_no_name", _vector(pathOrInlineDv=""))
KINDS.refused("vector_of_a_short_name", _vector(pathOrInlineDv="abc"))
KINDS.refused("vector_of_other_characters", _vector(pathOrInlineDv="\N{GRINNING FACE}" * 20))
KINDS.refused("vector_of_quotes_as_name", _vector(pathOrInlineDv="'\"\\`~ " * 4))
KINDS.refused("vector_path_out", _vector(storageType="p", pathOrInlineDv="../outside/canary.txt"))
KINDS.refused("vector_path_of_passwords", _vector(storageType="p", pathOrInlineDv="/etc/passwd"))
KINDS.refused(
    "vector_path_of_a_device", _vector(storageType="p", pathOrInlineDv="file:///dev/zero")
)
KINDS.refused("vector_path_of_nothing", _vector(storageType="p", pathOrInlineDv=""))
KINDS.refused("vector_path_of_a_nul", _vector(storageType="p", pathOrInlineDv="a\0b"))
KINDS.refused(
    "vector_path_of_a_website", _vector(storageType="p", pathOrInlineDv="http://localhost:1/x")
)
KINDS.refused("vector_path_of_surrogates", _vector(storageType="p", pathOrInlineDv="\ud800"))
KINDS.refused(
    "vector_prefix_out",
    rewrite(
        "add",
        lambda add: {
            **add,
            "deletionVector": {
                **add["deletionVector"],
                "pathOrInlineDv": "../outside" + add["deletionVector"]["pathOrInlineDv"],
            },
        },
    ),
)
KINDS.refused(
    "vector_prefix_of_a_nul",
    rewrite(
        "add",
        lambda add: {
            **add,
            "deletionVector": {
                **add["deletionVector"],
                "pathOrInlineDv": "\0" + add["deletionVector"]["pathOrInlineDv"],
            },
        },
    ),
)
KINDS.refused("vector_in_the_log_of_nothing", _inline(b"", 0))
KINDS.refused("vector_in_the_log_of_garbage", _inline(b"garbage!", 1))
KINDS.refused(
    "vector_in_the_log_of_less",
    _vector(storageType="i", pathOrInlineDv=z85.encode(serialize(BitMap64([1]))), sizeInBytes=9999),
)
KINDS.refused("vector_of_the_last_row", _inline(serialize(BitMap64([2**64 - 1])), 1))
KINDS.unknown("vector_of_a_far_row", _inline(serialize(BitMap64([2**62])), 1))
KINDS.unknown("vector_of_rows_past_the_end", _inline(serialize(BitMap64(range(1, 1000))), 999))
KINDS.unknown("vector_of_all_rows", _inline(serialize(BitMap64([0, 1, 2])), 3))
KINDS.unknown("vector_of_a_million_containers", _stored(_full(65_536), 2**32))
KINDS.unknown("vector_of_two_billion_rows", _inline(_full(32_768), 2**31))
KINDS.unknown("vector_of_many_billion_rows", _stored(_full(65_536, 8), 2**35))
KINDS.refused("vector_of_many_bitmaps", _inline(_PORTABLE + struct.pack("<q", 2**62), 1))
KINDS.refused("vector_of_negative_bitmaps", _inline(_PORTABLE + struct.pack("<q", -1), 0))
KINDS.refused(
    "vector_of_old_form_of_many_bitmaps", _inline(_NATIVE + struct.pack("<i", 2**31 - 1), 1)
)
KINDS.refused(
    "vector_of_old_form_of_negative_size",
    _inline(_NATIVE + struct.pack("<ii", 1, -1) + bytes(20), 1),
)
for _name, _damaged in DAMAGED.items():
    KINDS.refused(
        f"vector_stored_{_name}".replace(" ", "_"), _stored(_damaged.data, _damaged.cardinality)
    )
    KINDS.refused(
        f"vector_inline_{_name}".replace(" ", "_"), _inline(_damaged.data, _damaged.cardinality)
    )
