"""The partition columns and values in the path of a file, as texts.

Spark reads a path from its end: folders without `=` count only where none with `=` is below them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from puredelta.table.partition_values import NULL_FOLDER

_CUT = re.compile(r"/[^/]*=[^/]*(?:/[^/=]+)+/[^/]*=")
# Escaped characters in a row: what is not ASCII takes several.
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


class PartitionPart(NamedTuple):
    """What one folder says.

    Attributes:
        column: Name of the column.
        text: Its value; None for null.
        is_escaped: Does the folder have the value in another form?
    """

    column: str
    text: str | None
    is_escaped: bool = False


Parts = tuple[PartitionPart, ...]
"""In the order of the folders."""


def partition_parts(path: str) -> Parts:
    """Return what the folders of a file say of its partition.

    >>> [(part.column, part.text) for part in partition_parts("year=2024/name=a%2Fb/x.parquet")]
    [('year', '2024'), ('name', 'a/b')]

    Args:
        path: Below the folder that is converted, or a URL.
    """
    return _of_folder(path.rpartition("/")[0])


def is_cut(path: str) -> bool:
    """Does a folder without `=` stand between folders that have one?

    What stands above it says nothing of the partition then.

    >>> is_cut("p=1/data/q=1/a.parquet"), is_cut("p=1/q=1/data/a.parquet")
    (True, False)
    """
    return _CUT.search("/" + path.rpartition("/")[0]) is not None


# Files of one folder come one after the other.
@lru_cache(maxsize=1024)
def _of_folder(folder: str) -> Parts:
    found: list[PartitionPart] = []
    for name in reversed(folder.split("/")):
        column, is_partition, text = name.partition("=")
        if is_partition:
            found.append(_part(unescaped(column), text))
        elif found:
            break
    return tuple(reversed(found))


def unescaped(text: str) -> str:
    """Undo the escaping of a name or a value in the name of a folder.

    Hive and Spark escape some ASCII characters only. Others, like PyArrow, escape the bytes of any
    other character too, which Spark takes for a character each: here they are one again.

    >>> unescaped("100%25"), unescaped("caf%C3%A9")
    ('100%', 'café')
    """
    return _ESCAPED.sub(lambda found: _characters(found[0]), text) if "%" in text else text


def _characters(escaped: str) -> str:
    data = bytes.fromhex(escaped.replace("%", ""))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _part(column: str, text: str) -> PartitionPart:
    # An empty text is null in the log, whatever a writer meant by it.
    if text in ("", NULL_FOLDER):
        return PartitionPart(column, None)
    value = unescaped(text)
    return PartitionPart(column, value, value != text)
