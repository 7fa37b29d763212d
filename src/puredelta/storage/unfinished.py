"""Names of files that are being written: hidden beside their location until they are whole."""

import re
import uuid

_NAME = re.compile(r"\..+\.[0-9a-f]{32}\.tmp")


def unfinished_name(file: str) -> str:
    """Return a name, which nothing else has, under which a file is written.

    Args:
        file: The name that it is to get, without its folder.
    """
    return f".{file}.{uuid.uuid4().hex}.tmp"


def is_unfinished(name: str, file: str | None = None) -> bool:
    """Say whether a file is one that is being written, or was when its process was killed.

    Args:
        name: The name of the file, without its folder.
        file: The name that it was to get; None for any.

    >>> is_unfinished(".manifest.00112233445566778899aabbccddeeff.tmp", "manifest")
    True
    >>> is_unfinished(".part-0.parquet.00112233445566778899aabbccddeeff.tmp")
    True
    >>> is_unfinished(".part-0.parquet.crc")
    False
    """
    return _NAME.fullmatch(name) is not None and (file is None or name[1:-37] == file)
