"""Random changes of bytes and of JSON, each repeatable by its seed."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable
from typing import Any

_NUMBERS = (0, -1, 1, 2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 10**30, 1e308)
_TEXTS = (
    "",
    "\0",
    "\n",
    "x" * 10_000,
    "../../outside/canary.txt",
    "/dev/zero",
    "file:///etc/passwd",
    "\ud800",
    "%00",
    "`'\"\\",
    "NaN",
    "9" * 400,
    "{}",
    "[[",
)
_OTHERS = (None, True, False, [], {}, [[]], {"": None}, [None] * 9)


def mutated_bytes(data: bytes, random_: random.Random) -> bytes:
    """Change bytes: flip bits, cut, repeat, insert, overwrite with numbers."""
    found = bytearray(data)
    for _ in range(random_.choice((1, 1, 1, 2, 4, 16))):
        _BYTES[random_.randrange(len(_BYTES))](found, random_)
    return bytes(found)


def _flip(data: bytearray, random_: random.Random) -> None:
    if data:
        data[random_.randrange(len(data))] ^= 1 << random_.randrange(8)


def _cut(data: bytearray, random_: random.Random) -> None:
    del data[random_.randrange(len(data) + 1) :]


def _cut_inside(data: bytearray, random_: random.Random) -> None:
    start = random_.randrange(len(data) + 1)
    del data[start : start + random_.choice((1, 2, 4, 64))]


def _repeat(data: bytearray, random_: random.Random) -> None:
    start = random_.randrange(len(data) + 1)
    data[start:start] = data[start : start + random_.choice((1, 8, 64))] * random_.choice(
        (1, 2, 50)
    )


def _insert(data: bytearray, random_: random.Random) -> None:
    start = random_.randrange(len(data) + 1)
    data[start:start] = random_.choice((b"\0", b"\xff", b"\n", b'"', b"[" * 2000, b"{", b"\\ud800"))


def _overwrite(data: bytearray, random_: random.Random) -> None:
    form, number = random_.choice(
        (
            ("<I", 2**32 - 1),
            ("<I", 2**31),
            ("<q", 2**63 - 1),
            (">i", -1),
            ("<H", 2**16 - 1),
            ("B", 0),
        )
    )
    start = random_.randrange(len(data) + 1)
    data[start : start + struct.calcsize(form)] = struct.pack(form, number)


_BYTES: list[Callable[[bytearray, random.Random], None]] = [
    _flip,
    _flip,
    _cut,
    _cut_inside,
    _repeat,
    _insert,
    _overwrite,
]


def mutated_lines(data: bytes, random_: random.Random) -> bytes:
    """Change one line of JSON, or the order and number of lines."""
    lines = data.splitlines()
    if not lines:
        return b"{}"
    at = random_.randrange(len(lines))
    match random_.randrange(8):
        case 0:
            lines.insert(random_.randrange(len(lines) + 1), lines[at])
        case 1:
            del lines[at]
        case 2:
            lines[at] = mutated_bytes(lines[at], random_)
        case _:
            lines[at] = mutated_json(lines[at], random_)
    return b"\n".join(lines) + b"\n"


def mutated_json(data: bytes, random_: random.Random) -> bytes:
    """Change one or two values somewhere in JSON, texts of JSON in it included."""
    plain = json.loads(data)
    for _ in range(random_.choice((1, 1, 2))):
        plain = _mutated(plain, random_)
    text = json.dumps(plain)
    if random_.random() < 0.1:
        text = _with_key_twice(text, random_)
    return text.encode("utf-8", "surrogatepass")


def _mutated(plain: Any, random_: random.Random) -> Any:
    if isinstance(plain, dict) and plain and random_.random() < 0.9:
        key = random_.choice(list(plain))
        match random_.randrange(10):
            case 0:
                return {name: value for name, value in plain.items() if name != key}
            case 1:
                return {**plain, random_.choice((key.upper(), "", "\0", "future")): plain[key]}
            case _:
                return {**plain, key: _mutated(plain[key], random_)}
    if isinstance(plain, list) and plain and random_.random() < 0.9:
        at = random_.randrange(len(plain))
        return [*plain[:at], _mutated(plain[at], random_), *plain[at + 1 :]]
    if isinstance(plain, str) and plain[:1] in ("{", "[") and random_.random() < 0.8:
        try:
            inner = json.loads(plain)
        except ValueError:
            return plain[:-1]
        return json.dumps(_mutated(inner, random_))
    return _other(plain, random_)


def _other(plain: Any, random_: random.Random) -> Any:
    match random_.randrange(7):
        case 0:
            return random_.choice(_NUMBERS)
        case 1:
            return random_.choice(_TEXTS)
        case 2:
            return random_.choice(_OTHERS)
        case 3:
            return [plain]
        case 4:
            return str(plain)
        case 5 if isinstance(plain, str):
            return mutated_bytes(plain.encode("utf-8", "surrogatepass"), random_).decode(
                "utf-8", "replace"
            )
        case 6:
            deep: Any = plain
            for _ in range(random_.choice((3, 50, 400))):
                deep = random_.choice(([deep], {"a": deep}))
            return deep
    return plain


def _with_key_twice(text: str, random_: random.Random) -> str:
    places = [at for at, char in enumerate(text) if char == ","]
    if not places:
        return text
    at = random_.choice(places)
    return text[:at] + random_.choice((',"path":"x"', ',"size":0', ',"add":{}', ",1")) + text[at:]
