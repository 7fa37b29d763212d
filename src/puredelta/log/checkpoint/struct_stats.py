"""Statistics that a checkpoint keeps as columns, written as the JSON text that they are elsewhere.

Protocol: Checkpoint Schema (`stats_parsed`); Per-file Statistics.
"""

import json
from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

# The characters that JSON allows in no string, besides the quote and the backslash.
_CONTROLS = "[\\x00-\\x1f]"


def stats_texts(parsed: pa.StructArray) -> pa.StringArray:
    """Write the statistics of each file as JSON; null where there are none.

    Null members are left out, as writers of the text do.
    """
    return _object(parsed)


def _object(values: pa.StructArray) -> pa.StringArray:
    members = [
        pc.binary_join_element_wise(
            pa.scalar(f"{json.dumps(member.name, ensure_ascii=False)}:"),
            _text(pc.struct_field(values, [place])),
            "",
        )
        for place, member in enumerate(values.type)
    ]
    # The empty text in front is cut off again: Arrow drops rows in which all members are null.
    front = pa.repeat(pa.scalar(""), len(values))
    joined = pc.binary_join_element_wise(front, *members, ",", null_handling="skip")
    inside = pc.utf8_slice_codeunits(joined, 1)
    text = pc.binary_join_element_wise("{", inside, "}", "")
    return pc.if_else(values.is_valid(), text, pa.scalar(None, pa.string()))


def _text(values: pa.Array) -> pa.Array:
    kind = values.type
    for fits, write in _WRITERS:
        if fits(kind):
            return write(values)
    # Lists, maps and binary have no bounds.
    return pa.nulls(len(values), pa.string())


def _plain(values: pa.Array) -> pa.Array:
    return values.cast(pa.string())


def _float(values: pa.Array) -> pa.Array:
    """Write a number; what JSON has no number for becomes the text that delta-spark writes."""
    text = values.cast(pa.string())
    for number, name in (("nan", "NaN"), ("inf", "Infinity"), ("-inf", "-Infinity")):
        text = pc.if_else(pc.equal(text, number), pa.scalar(f'"{name}"'), text)
    return text


def _string(values: pa.Array) -> pa.Array:
    values = values.cast(pa.string())
    # Exact escapes take Python row by row, so only strings that need them pay for it.
    if pc.any(pc.match_substring_regex(values, _CONTROLS)).as_py():
        plain = values.to_pylist()
        texts = [
            None if value is None else json.dumps(value, ensure_ascii=False) for value in plain
        ]
        return pa.array(texts, pa.string())
    escaped = pc.replace_substring(pc.replace_substring(values, "\\", "\\\\"), '"', '\\"')
    return _quoted(escaped)


def _timestamp(values: pa.Array) -> pa.Array:
    zone = "" if values.type.tz is None and values.type.unit != "ns" else "Z"
    # INT96, which Spark writes for points in time, comes as nanoseconds without a zone.
    unit = "us" if values.type.unit == "ns" else values.type.unit
    wall = values.cast(pa.timestamp(values.type.unit)).cast(pa.timestamp(unit), safe=False)
    text = pc.replace_substring(wall.cast(pa.string()), " ", "T")
    # Writers of the text keep milliseconds.
    text = pc.replace_substring_regex(text, r"(\.\d{3})000$", r"\1")
    return _quoted(pc.binary_join_element_wise(text, zone, ""))


def _quoted(texts: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise('"', texts, '"', "")


def _is_string(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


_WRITERS: tuple[tuple[Callable[[pa.DataType], bool], Callable[[pa.Array], pa.Array]], ...] = (
    (pa.types.is_struct, _object),
    (_is_string, _string),
    (pa.types.is_floating, _float),
    (pa.types.is_integer, _plain),
    (pa.types.is_boolean, _plain),
    (pa.types.is_decimal, _plain),
    (pa.types.is_timestamp, _timestamp),
    (pa.types.is_date, lambda dates: _quoted(dates.cast(pa.string()))),
)
