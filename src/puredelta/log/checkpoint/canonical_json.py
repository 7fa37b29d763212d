"""One spelling for a JSON document, so that a checksum of it does not depend on who wrote it.

Protocol: Last Checkpoint File, JSON Checksum.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

CHECKSUM_KEY = "checksum"
"""The key of the document's own checksum, which is no part of what is checked."""


class _Literal(str):
    """A number, as it is written."""

    __slots__ = ()


def json_checksum(document: str | bytes) -> str:
    """Return the MD5 of a JSON object in its canonical form, in hexadecimal.

    >>> json_checksum('{"b": 1, "a": [true, "x y"]}')
    'd79f4207c6937a0ef5e2afd8525f3d12'

    Raises:
        ValueError: The document is no JSON object, or an object of it has a key twice.
    """
    return _md5(canonical_form(document))


def is_json_checksum(checksum: str, document: str | bytes) -> bool:
    """Return whether a checksum is that of a JSON object.

    delta-spark sorts the pairs as whole strings, the protocol by their paths, which differs for a
    list of more than ten: both are accepted.

    Raises:
        ValueError: The document is no JSON object, or an object of it has a key twice.
    """
    return checksum in (json_checksum(document), _md5(canonical_form(document, by_path=True)))


def _md5(form: str) -> str:
    # Protocol: Last Checkpoint File. MD5 is prescribed; it detects damage and keeps no secret.
    return hashlib.md5(form.encode(), usedforsecurity=False).hexdigest()


def canonical_form(document: str | bytes, *, by_path: bool = False) -> str:
    """Write a JSON object as sorted pairs of path and value, without its checksum.

    >>> canonical_form('{"b": 1, "a": [true, "x y"], "checksum": "0"}')
    '"a"+0=true,"a"+1="x%20y","b"=1'

    Args:
        document: The object.
        by_path: Sort by the paths alone, as the protocol says, not as delta-spark does.

    Raises:
        ValueError: The document is no JSON object, or an object of it has a key twice.
    """
    # Numbers keep the spelling of the document: 1.0 and 1.00 are one value and two checksums.
    plain = json.loads(
        document,
        object_pairs_hook=_without_duplicates,
        parse_int=_Literal,
        parse_float=_Literal,
        parse_constant=_Literal,
    )
    if not isinstance(plain, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004  # wrong text, not a wrong type
    plain.pop(CHECKSUM_KEY, None)
    pairs = [(path, f"{path}={value}") for path, value in _pairs(plain, "")]
    return ",".join(text for _, text in sorted(pairs, key=lambda pair: pair[not by_path].encode()))


def _pairs(node: Any, path: str) -> Iterator[tuple[str, str]]:
    joint = "+" if path else ""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _pairs(value, f"{path}{joint}{_quoted(key)}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from _pairs(value, f"{path}{joint}{index}")
    else:
        yield path, _value(node)


def _value(node: Any) -> str:
    if isinstance(node, _Literal):
        return str(node)
    return _quoted(node) if isinstance(node, str) else json.dumps(node)


def _quoted(text: str) -> str:
    # Python leaves the unreserved characters of RFC 3986 alone, and encodes all others.
    return f'"{quote(text, safe="")}"'


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found
