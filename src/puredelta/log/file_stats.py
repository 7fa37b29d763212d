"""Statistics of many files as typed Arrow columns, of which only those asked for are parsed.

Protocol: Per-file Statistics. What does not fit its type is null, which means "not known".
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

Path: TypeAlias = tuple[str, ...]

# delta-spark's way to write numbers that JSON does not have; as bounds they exclude nothing.
_NOT_FINITE = r':\s*"(?:NaN|-?Infinity)"'

_HUGE_EXPONENT = r"[0-9.][eE][+-]?[0-9]{4}"
_LARGEST_EXPONENT = 1_000
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Batches:
    """How much is parsed at once.

    Attributes:
        rows: Statistics that Arrow parses together.
        few: So many are parsed by Arrow together, or each by itself when one does not fit.
        block: Bytes of Arrow's blocks, at least.
    """

    rows: int = 65_536
    few: int = 256
    block: int = 1 << 22


_BATCHES = Batches()


@dataclass(frozen=True, slots=True)
class FileStats:
    """What the statistics of some files say of some columns, a row a file.

    Attributes:
        num_records: How many rows a file has, deleted ones included.
        tight_bounds: Whether bounds and counts are exact; null means yes.
        least: The lower bounds, by column.
        greatest: The upper bounds, by column.
        null_counts: How many values are null, by column.
    """

    num_records: pa.ChunkedArray
    tight_bounds: pa.ChunkedArray
    least: Mapping[Path, pa.ChunkedArray]
    greatest: Mapping[Path, pa.ChunkedArray]
    null_counts: Mapping[Path, pa.ChunkedArray]


def num_records(files: pa.Table) -> pa.ChunkedArray:
    """Return how many rows each file has, deleted ones included; null where it is not known.

    Args:
        files: Rows of `log.files.FILES`.
    """
    wanted = pa.struct([("numRecords", pa.int64())])
    return pc.struct_field(parsed_stats(files["stats"], wanted), "numRecords")


def file_stats(files: pa.Table, columns: Mapping[Path, pa.DataType]) -> FileStats:
    """Parse the statistics of some columns.

    Args:
        files: Rows of `log.files.FILES`.
        columns: The columns wanted, by path with physical names, and the type of their bounds;
            null for columns whose type has none.
    """
    bounded = {path: kind for path, kind in columns.items() if not pa.types.is_null(kind)}
    parsed = parsed_stats(
        files["stats"], stats_type(bounded, dict.fromkeys(columns, pa.int64()), tight_bounds=True)
    )
    return FileStats(
        num_records=pc.struct_field(parsed, "numRecords"),
        tight_bounds=pc.struct_field(parsed, "tightBounds"),
        least={path: pc.struct_field(parsed, ["minValues", *path]) for path in bounded},
        greatest={path: pc.struct_field(parsed, ["maxValues", *path]) for path in bounded},
        null_counts={path: pc.struct_field(parsed, ["nullCount", *path]) for path in columns},
    )


def stats_type(
    bounds: Mapping[Path, pa.DataType],
    null_counts: Mapping[Path, pa.DataType],
    *,
    tight_bounds: bool,
) -> pa.StructType:
    """Return the type of statistics with bounds and counts of certain columns.

    Parquet has no structs without members, so the parts that would be empty are left out.

    Args:
        bounds: The types of bounds, by path.
        null_counts: The types of null counts, by path.
        tight_bounds: Does the type have the member that states whether bounds are exact?
    """
    members: list[tuple[str, pa.DataType]] = [("numRecords", pa.int64())]
    if bounds:
        members += [("minValues", _nested(bounds)), ("maxValues", _nested(bounds))]
    if null_counts:
        members.append(("nullCount", _nested(null_counts)))
    if tight_bounds:
        members.append(("tightBounds", pa.bool_()))
    return pa.struct(members)


def parsed_stats(
    texts: pa.ChunkedArray, wanted: pa.StructType, batches: Batches = _BATCHES
) -> pa.ChunkedArray:
    """Parse statistics.

    Args:
        texts: JSON, a file each; null where there is none.
        wanted: The type of the result; what it does not name is passed over.
        batches: How much is parsed at once.
    """
    chunks = [
        _parsed(chunk.slice(start, batches.rows), wanted, batches)
        for chunk in texts.chunks
        for start in range(0, len(chunk), batches.rows)
    ]
    return pa.chunked_array(chunks, wanted)


def _nested(leaves: Mapping[Path, pa.DataType]) -> pa.StructType:
    below: dict[str, dict[Path, pa.DataType]] = {}
    for path, kind in leaves.items():
        below.setdefault(path[0], {})[path[1:]] = kind
    return pa.struct(
        [(name, kinds[()] if () in kinds else _nested(kinds)) for name, kinds in below.items()]
    )


def _parsed(texts: pa.StringArray, wanted: pa.StructType, batches: Batches) -> pa.StructArray:
    try:
        return _parsed_by_arrow(texts, wanted, batches.block)
    except pa.ArrowInvalid:
        pass
    # Such numbers are rare, so the pass over all strings waits until Arrow has refused them.
    finite = pc.replace_substring_regex(texts, _NOT_FINITE, ":null")
    return pa.concat_arrays(_parsed_in_parts(finite, wanted, batches))


def _parsed_in_parts(
    texts: pa.StringArray, wanted: pa.StructType, batches: Batches
) -> list[pa.StructArray]:
    """Parse in ever smaller parts: a value that does not fit fails all that are parsed with it."""
    try:
        return [_parsed_by_arrow(texts, wanted, batches.block)]
    except pa.ArrowInvalid:
        if len(texts) <= batches.few:
            return [_parsed_one_by_one(texts, wanted)]
    half = len(texts) // 2
    return [
        *_parsed_in_parts(texts[:half], wanted, batches),
        *_parsed_in_parts(texts[half:], wanted, batches),
    ]


def _parsed_by_arrow(texts: pa.StringArray, wanted: pa.StructType, block: int) -> pa.StructArray:
    # Files without statistics get a line too: the result has a row for each file.
    objects = pc.coalesce(texts, "{}")
    _refuse_what_arrow_cannot_read(objects, wanted)
    lines = pc.binary_join_element_wise(objects, "\n", "")
    _, offsets, data = lines.buffers()
    if data is None:
        return pa.nulls(len(texts), wanted)
    if _count_line_ends(data) != len(texts):
        raise pa.ArrowInvalid("a text has several lines")
    ends = pa.Array.from_buffers(pa.int32(), len(lines) + 1, [None, offsets])
    longest = pc.max(pc.subtract(ends[1:], ends[:-1])).as_py()
    table = pj.read_json(
        pa.BufferReader(data.slice(0, ends[-1].as_py())),
        # No line may lie in more than two blocks.
        read_options=pj.ReadOptions(block_size=max(block, 2 * longest)),
        parse_options=pj.ParseOptions(
            explicit_schema=pa.schema(_readable(wanted)), unexpected_field_behavior="ignore"
        ),
    )
    # Rows are matched with files by position, so a string of two values would shift all after it.
    if table.num_rows != len(texts):
        raise pa.ArrowInvalid("a text holds several values")
    columns = [table[member.name].combine_chunks().cast(member.type) for member in wanted]
    return pa.StructArray.from_arrays(columns, fields=list(wanted), mask=texts.is_null())


def _refuse_what_arrow_cannot_read(texts: pa.StringArray, wanted: pa.StructType) -> None:
    """Refuse what ends the process in Arrow, up to 26 at least.

    These are `null` in the place of the first object, and decimals of huge exponents.
    """
    if not pc.all(pc.starts_with(texts, "{")).as_py():
        raise pa.ArrowInvalid("a text is no object")
    has_decimals = "decimal" in str(wanted)
    if has_decimals and pc.any(pc.match_substring_regex(texts, _HUGE_EXPONENT)).as_py():
        raise pa.ArrowInvalid("a number has a huge exponent")


def _count_line_ends(data: pa.Buffer) -> int:
    found = np.frombuffer(data, np.uint8)
    parts = (found[start : start + _PIECE] for start in range(0, len(found), _PIECE))
    return sum(int(np.count_nonzero((part == 10) | (part == 13))) for part in parts)


def _readable(kind: pa.DataType) -> pa.DataType:
    """Name the type that Arrow's reader is asked for: it reads all of ours but dates."""
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(member.name, _readable(member.type)) for member in kind])
    return pa.string() if pa.types.is_date(kind) else kind


def _parsed_one_by_one(texts: pa.StringArray, wanted: pa.StructType) -> pa.StructArray:
    return _column([_plain(text) for text in texts.to_pylist()], wanted)


def _plain(text: str | None) -> Any:
    if text is None:
        return None
    try:
        # As floats, bounds of decimals would lose digits. Numbers that JSON does not have exclude
        # nothing as bounds, so they count as unknown.
        return json.loads(text, parse_float=Decimal, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None


def _column(values: list[Any], kind: pa.DataType) -> pa.Array:
    if not pa.types.is_struct(kind):
        return pa.array([_fitting(value, kind) for value in values], kind)
    objects = [value if isinstance(value, dict) else None for value in values]
    members = [
        _column([None if info is None else info.get(member.name) for info in objects], member.type)
        for member in kind
    ]
    absent = pa.array([info is None for info in objects], pa.bool_())
    return pa.StructArray.from_arrays(members, fields=list(kind), mask=absent)


def _fitting(value: Any, kind: pa.DataType) -> Any:
    """Return a value that a column of a type takes; None for what it does not."""
    # In Python True is an int, and would become the bound 1 of a column of numbers.
    if value is None or isinstance(value, bool) != pa.types.is_boolean(kind):
        return None
    is_text = isinstance(value, str)
    if is_text != (pa.types.is_string(kind) or pa.types.is_temporal(kind)):
        return None
    try:
        if pa.types.is_temporal(kind):
            return pa.scalar(value).cast(kind).as_py()
        if isinstance(value, Decimal) and not _is_arrow_decimal(value):
            return None
        if isinstance(value, Decimal) and not pa.types.is_decimal(kind):
            if not pa.types.is_floating(kind):
                return None
            value = float(value)
        return pa.scalar(value, kind).as_py()
    except (pa.ArrowException, ArithmeticError, TypeError, ValueError):
        return None


def _is_arrow_decimal(value: Decimal) -> bool:
    """Say whether Arrow may be given a decimal: a huge exponent ends the process there."""
    exponent = value.as_tuple().exponent
    return isinstance(exponent, int) and abs(exponent) <= _LARGEST_EXPONENT
