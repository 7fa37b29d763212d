"""Deletion vectors: the numbers of the rows that are deleted from a file, and how they are stored.

Protocol: Deletion Vectors, and its appendix Deletion Vector Format.
"""

import struct
import uuid
import zlib
from collections.abc import Callable

from pyroaring import BitMap, BitMap64

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import DeletionVector
from puredelta.log.files import canonical_path
from puredelta.storage.location import absolute, scheme_of
from puredelta.storage.schemes import open_store, place_of
from puredelta.storage.store import Store
from puredelta.table.deletion_vectors import z85

FILE_VERSION = b"\x01"

_PORTABLE = (1681511377).to_bytes(4, "little")
_NATIVE = (1681511376).to_bytes(4, "little")

# In front of a vector stands its size, behind it its CRC-32; both big-endian.
_FRAME = 8

_UUID_TEXT = 20

# Row numbers from here on are no row numbers: the largest key of a bitmap is 2**31 - 2.
_ROWS_END = (2**31 - 1) * 2**32

# A few bytes delete 65,536 rows, so that a small file could delete more than anyone can count.
_MOST_ROWS = 2**32

# Names of folders that lead out of the table.
_NO_FOLDERS = frozenset({".", ".."})

INLINE = "in the log"
"""Where a vector lies that has no file."""


def owner(table: str, file: str | None) -> str:
    """Say for an error whose rows a vector deletes; nothing where the data file is not known.

    >>> owner("file:///t", "a.parquet")
    ' of the data file a.parquet in file:///t'
    """
    return "" if file is None else f" of the data file {file} in {table}"


def vector_path(root: str, vector: DeletionVector, file: str | None = None) -> str | None:
    """Return the URL of the file that holds a vector; None when it stands in the log itself.

    Args:
        root: The URL of the table.
        vector: What the log says of the vector.
        file: The data file whose rows it deletes, for the error.

    Raises:
        DeltaIllegalStateError: The storage type is not known, or the path is none of its form
            (DELTA_DELETION_VECTOR_MALFORMED).
    """
    text = vector.path_or_inline_dv
    match vector.storage_type:
        case "i":
            return None
        case "p" if text.startswith("/") or scheme_of(text):
            return absolute(root, canonical_path(text))
        case "u" if len(text) >= _UUID_TEXT:
            prefix, encoded = text[:-_UUID_TEXT], text[-_UUID_TEXT:]
            if not _NO_FOLDERS.isdisjoint(prefix.split("/")):
                reason = f"the folder '{prefix}' would be outside of the table"
                raise _malformed(vector.unique_id, reason, owner(root, file))
            folder = f"{root}/{prefix}" if prefix else root
            name = uuid.UUID(bytes=_decoded(encoded, 16, text, owner(root, file)))
            return f"{folder}/{_file_name(name)}"
        case other:
            reason = f"'{text}' with the storage type '{other}' names no file"
            raise _malformed(vector.unique_id, reason, owner(root, file))


def decode_inline(text: str, size: int, of: str = "") -> bytes:
    """Decode a vector that stands in the log.

    Args:
        text: `pathOrInlineDv` of the descriptor: Z85.
        size: Its `sizeInBytes`; the padding behind it is cut off.
        of: Whose vector it is, for the error; see `owner`.

    Raises:
        DeltaIllegalStateError: The text is no Z85 (DELTA_DELETION_VECTOR_MALFORMED), or it is
            shorter than `size` (DELTA_DELETION_VECTOR_SIZE_MISMATCH).
    """
    data = _decoded(text, size, INLINE, of)
    if len(data) < size:
        raise _size_mismatch(INLINE, size, len(data), of)
    return data


def inline(rows: BitMap64) -> DeletionVector:
    """Describe a vector that is to stand in the log."""
    data = serialize(rows)
    return DeletionVector(
        storage_type="i",
        path_or_inline_dv=z85.encode(data),
        size_in_bytes=len(data),
        cardinality=len(rows),
    )


def serialize(rows: BitMap64) -> bytes:
    """Write row numbers in the portable form."""
    small = rows.copy()
    small.run_optimize()
    return _PORTABLE + bytes(small.serialize())


def deserialize(data: bytes, name: str = INLINE, of: str = "") -> BitMap64:
    """Read row numbers, in the portable or in the older native form.

    What is refused here, executors refuse too (`puredelta.DeletedRows`).

    Args:
        data: The bytes of the vector, from the magic number on.
        name: Where they come from, for the error.
        of: Whose vector it is, for the error; see `owner`.

    Raises:
        DeltaIllegalStateError: They are no such vector (DELTA_DELETION_VECTOR_MALFORMED).
    """
    magic = data[:4]
    if magic not in _FORMS:
        reason = f"it begins with {magic.hex()}, which is no magic number of a vector"
        raise _malformed(name, reason, of)
    try:
        rows = BitMap64.deserialize(_FORMS[magic](data[4:]))
    except (ValueError, IndexError, struct.error) as error:
        raise _malformed(name, "its row numbers cannot be decoded", of) from error
    if len(rows) > _MOST_ROWS:
        raise _malformed(name, f"it deletes {len(rows)} rows, and no file has so many", of)
    if rows and rows.max() >= _ROWS_END:
        raise _malformed(name, f"it deletes the row {rows.max()}, and no file has so many", of)
    return rows


def read_vector(
    store: Store,
    root: str,
    vector: DeletionVector,
    open_folder: Callable[[str], Store] = open_store,
    *,
    file: str | None = None,
) -> BitMap64:
    """Read the deleted rows of a file, and check them against what the log says of them.

    Args:
        store: The files of the table.
        root: Its URL.
        vector: What the log says of the vector.
        open_folder: Opens the folder of a vector that lies outside of the table.
        file: The data file whose rows it deletes, for the error.

    Raises:
        DeltaIllegalStateError: The size, the checksum or the number of rows is not the one
            promised (DELTA_DELETION_VECTOR_SIZE_MISMATCH, ..._CHECKSUM_MISMATCH,
            ..._CARDINALITY_MISMATCH), or there is no vector (..._MALFORMED).
        ObjectNotFound: The file is not there.
    """
    of = owner(root, file)
    path = vector_path(root, vector, file)
    if path is None:
        data = decode_inline(vector.path_or_inline_dv, vector.size_in_bytes, of)
    else:
        place = place_of(path, store, root, open_folder)
        data = _read_framed(*place, path, vector, of)
    name = path or INLINE
    rows = deserialize(data, name, of)
    if len(rows) != vector.cardinality:
        raise DeltaIllegalStateError(
            "DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH",
            path=name,
            owner=of,
            expected=vector.cardinality,
            found=len(rows),
        )
    return rows


class VectorFile:
    """Packs many vectors into one file.

    Args:
        prefix: Folder below the table, if the file is to lie in one.
        name: What makes the name of the file; random unless given.

    >>> file = VectorFile()
    >>> file.add(BitMap64([3, 4])).offset, file.add(BitMap64([0])).offset
    (1, 45)
    """

    def __init__(self, prefix: str = "", name: uuid.UUID | None = None) -> None:
        self._prefix = prefix
        self._uuid = name or uuid.uuid4()
        self._content = bytearray(FILE_VERSION)

    @property
    def path(self) -> str:
        """The path below the table under which `content` is to be put."""
        name = _file_name(self._uuid)
        return f"{self._prefix}/{name}" if self._prefix else name

    @property
    def content(self) -> bytes:
        """The file with what was added so far."""
        return bytes(self._content)

    def add(self, rows: BitMap64) -> DeletionVector:
        """Append a vector and say how the log has to name it."""
        data, offset = serialize(rows), len(self._content)
        self._content += struct.pack(">i", len(data)) + data + struct.pack(">I", zlib.crc32(data))
        return DeletionVector(
            storage_type="u",
            path_or_inline_dv=self._prefix + z85.encode(self._uuid.bytes),
            offset=offset,
            size_in_bytes=len(data),
            cardinality=len(rows),
        )


def _file_name(number: uuid.UUID) -> str:
    return f"deletion_vector_{number}.bin"


def start_of(vector: DeletionVector) -> int:
    """Return at which byte of its file a vector starts, its size in front of it."""
    return 1 if vector.offset is None else vector.offset


def _read_framed(store: Store, name: str, url: str, vector: DeletionVector, of: str) -> bytes:
    offset = start_of(vector)
    # The first vector is one byte behind the version of the file, and takes it along.
    start = 0 if offset == 1 else offset
    length = vector.size_in_bytes + _FRAME
    found = store.read_range(name, start, offset - start + length)
    if start == 0 and found[:1] not in {b"", FILE_VERSION}:
        raise _malformed(url, f"the file has the version {found[0]}, and only 1 is known", of)
    return _unframed(found[offset - start :], url, vector, of)


def _unframed(found: bytes, url: str, vector: DeletionVector, of: str) -> bytes:
    expected = vector.size_in_bytes
    if len(found) < 4:
        raise _malformed(url, f"the file ends before the vector at {vector.offset}", of)
    size = int.from_bytes(found[:4], "big", signed=True)
    if size != expected:
        raise _size_mismatch(url, expected, size, of)
    if len(found) < expected + _FRAME:
        raise _size_mismatch(url, expected, max(len(found) - _FRAME, 0), of)
    data, checksum = found[4 : 4 + size], found[4 + size : _FRAME + size]
    if zlib.crc32(data) != int.from_bytes(checksum, "big"):
        raise DeltaIllegalStateError(
            "DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH", path=url, owner=of, offset=start_of(vector)
        )
    return data


def _portable(data: bytes, number: str) -> bytes:
    """Turn the native form, a 32-bit bitmap for each key from 0 on, into the portable one."""
    (count,) = struct.unpack_from(number, data)
    parts: list[bytes] = []
    start = 4
    for key in range(count):
        (length,) = struct.unpack_from(number, data, start)
        if length < 0:
            raise ValueError
        part = data[start + 4 : start + 4 + length]
        if len(BitMap.deserialize(part).serialize()) != length:
            raise ValueError
        parts.append(struct.pack("<i", key) + part)
        start += 4 + length
    return struct.pack("<q", count) + b"".join(parts)


_FORMS: dict[bytes, Callable[[bytes], bytes]] = {
    _PORTABLE: lambda data: data,
    _NATIVE: lambda data: _portable(data, "<i"),
    # The example in the text of the protocol is of this form, which no writer is known for.
    _NATIVE[::-1]: lambda data: _portable(data, ">i"),
}
"""How the bytes behind each magic number become those of the portable form."""


def _decoded(text: str, size: int, name: str, of: str) -> bytes:
    try:
        return z85.decode(text)[:size]
    except ValueError as error:
        raise _malformed(name, str(error), of) from error


def _malformed(path: str, reason: str, of: str) -> DeltaIllegalStateError:
    return DeltaIllegalStateError(
        "DELTA_DELETION_VECTOR_MALFORMED", path=path, owner=of, reason=reason
    )


def _size_mismatch(path: str, expected: int, found: int, of: str) -> DeltaIllegalStateError:
    return DeltaIllegalStateError(
        "DELTA_DELETION_VECTOR_SIZE_MISMATCH", path=path, owner=of, expected=expected, found=found
    )
