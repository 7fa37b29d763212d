"""Where a table lies: URLs, paths in the log, names of partition folders."""

import os
import os.path as local_paths  # those of Windows in tests of Windows
import posixpath
import re
import unicodedata
from typing import Any
from urllib.parse import unquote

from puredelta.errors import DeltaIllegalArgumentError

# The slash behind the colon distinguishes a scheme from a relative path such as `a:b=1/f`.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(/.*)", re.DOTALL)

_ON_WINDOWS = os.name == "nt"
_DRIVE = re.compile(r"[A-Za-z]:(?:[\\/]|$)")

_DOTS = re.compile(r"//|(?:^|/)\.{1,2}(?:/|$)")

# Everything but what java.net.URI, by which Hadoop encodes, leaves alone in a path.
_NEEDS_ENCODING = re.compile(r"[^a-zA-Z0-9\-_.!~*'(),:$&+=@;/]")

# Hive's list of what cannot stand in the name of a partition folder.
_PARTITION_UNSAFE = re.compile(r"[\x01-\x1f\"#%'*/:=?\\\x7f{\[\]^]")
_PARTITION_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")


def path_text(path: str | os.PathLike[str]) -> str:
    """Return a path or URL as text.

    Args:
        path: Text, or an object such as `pathlib.Path`.

    Raises:
        TypeError: It is something else.
        DeltaIllegalArgumentError: PUREDELTA_URL_IN_PATH, a URL was made a `Path`, which takes one
            of its slashes away.

    >>> from pathlib import PurePosixPath
    >>> path_text(PurePosixPath("/tmp/t"))
    '/tmp/t'
    """
    if isinstance(path, str):
        return path
    given: Any = path
    text = os.fspath(given) if isinstance(given, os.PathLike) else None
    if not isinstance(text, str):
        raise TypeError(f"A path needs to be a string or a pathlib.Path but got '{type(path)}'.")
    if _SCHEME.fullmatch(text):
        raise DeltaIllegalArgumentError("PUREDELTA_URL_IN_PATH", path=text)
    return text


def table_url(path_or_url: str) -> str:
    """Return the URL of a table in the form that people read: unescaped, no slash at the end.

    A path of Windows gets slashes, as in `file:///C:/data/t`.

    Raises:
        DeltaIllegalArgumentError: PUREDELTA_PATH_NOT_OF_THIS_MACHINE: a path with a drive, anywhere
            but on Windows; a network share.

    >>> table_url("/tmp/a b/")
    'file:///tmp/a b'
    >>> table_url("file:/tmp/t")
    'file:///tmp/t'
    >>> table_url("s3a://bucket/t")
    's3a://bucket/t'
    """
    if found := _SCHEME.fullmatch(path_or_url):
        scheme, rest = found[1].lower(), found[2]
        authority, path = _split_authority(rest)
        if scheme == "file":
            path = _url_path(path)
            # Another name of this machine, whichever it is.
            authority = "" if authority == "localhost" else authority
    else:
        scheme, authority, path = "file", "", _absolute_path(path_or_url)
    return f"{scheme}://{authority}{_collapse_slashes(path)}"


def scheme_of(url: str) -> str:
    """Return the scheme of a URL, or an empty text when it has none."""
    found = _SCHEME.fullmatch(url)
    return found[1].lower() if found else ""


def local_path(url: str) -> str | None:
    """Return the path on this machine that a URL means, or None when it is elsewhere.

    Raises:
        DeltaIllegalArgumentError: PUREDELTA_PATH_NOT_OF_THIS_MACHINE: a file URL with a host.
    """
    if scheme_of(url) != "file":
        return None
    path = table_url(url).removeprefix("file://")
    # Logs may name files of other hosts; what they mean matters to those who open them.
    if path and not path.startswith("/"):
        raise DeltaIllegalArgumentError(
            "PUREDELTA_PATH_NOT_OF_THIS_MACHINE.HOST",
            path=url,
            host=path.partition("/")[0],
            suggestion=f"file:///{path}",
        )
    if _ON_WINDOWS and _DRIVE.match(path[1:]):
        # The drive alone means the folder in which a process works on it.
        return path[1:] if "/" in path[1:] else f"{path[1:]}/"
    return path


def absolute(table: str, path: str) -> str:
    """Return the URL of a file, given the table's URL and the canonical path in the log.

    >>> absolute("file:///t/new", "../old/a.parquet")
    'file:///t/old/a.parquet'
    """
    if scheme_of(path):
        return table_url(path)
    if path.startswith("/"):
        scheme, _, rest = table.partition("://")
        return f"{scheme}://{rest.partition('/')[0]}{path}"
    if path.startswith("../"):
        scheme, _, rest = table.partition("://")
        authority, _, root = rest.partition("/")
        return f"{scheme}://{authority}{without_dots(f'/{root}/{path}')}"
    return f"{table}/{path}"


def without_dots(path: str) -> str:
    """Take out of a path what leads nowhere: `.`, a folder and `..` behind it, a second slash.

    >>> without_dots("./a/../b//c..d")
    'b/c..d'
    """
    if not ("//" in path or "./" in path or path.endswith(("/.", ".."))):
        return path
    return posixpath.normpath(_collapse_slashes(path)) if _DOTS.search(path) else path


def encode_path(path: str) -> str:
    """Encode a path for the log, as Hadoop does: letters outside ASCII stay as they are.

    >>> encode_path("ts=03%3A04/a b.parquet")
    'ts=03%253A04/a%20b.parquet'
    """
    return _NEEDS_ENCODING.sub(lambda found: _encode_char(found[0]), path)


def decode_path(path: str) -> str:
    """Decode a path of the log.

    >>> decode_path("ts=03%253A04/a%20b.parquet")
    'ts=03%3A04/a b.parquet'
    """
    return unquote(path) if "%" in path else path


def escape_partition_name(text: str) -> str:
    """Escape a column name or a value for the name of a partition folder, as Hive does."""
    return _PARTITION_UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", text)


def unescape_partition_name(text: str) -> str:
    """Undo `escape_partition_name`."""
    return _PARTITION_ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)


def _absolute_path(path: str) -> str:
    """Return the absolute path of a file in the form that URLs have; links stay."""
    if not _ON_WINDOWS and _DRIVE.match(path):
        raise DeltaIllegalArgumentError("PUREDELTA_PATH_NOT_OF_THIS_MACHINE.DRIVE", path=path)
    found = _url_path(local_paths.abspath(path))  # noqa: PTH100  # links stay
    if _ON_WINDOWS and found.startswith("//"):
        raise DeltaIllegalArgumentError("PUREDELTA_PATH_NOT_OF_THIS_MACHINE.SHARE", path=path)
    return found


def _url_path(path: str) -> str:
    if not _ON_WINDOWS:
        return path
    path = path.replace("\\", "/")
    return f"/{path}" if _DRIVE.match(path) else path


def _split_authority(rest: str) -> tuple[str, str]:
    if not rest.startswith("//"):
        return "", rest
    authority, slash, path = rest[2:].partition("/")
    return authority, slash + path


def _collapse_slashes(path: str) -> str:
    return re.sub("/{2,}", "/", path).rstrip("/")


def _encode_char(char: str) -> str:
    # Java leaves "other" characters alone: not ASCII, not a control, not a space of any kind.
    if ord(char) > 0x7F and unicodedata.category(char) not in {"Zs", "Zl", "Zp", "Cc"}:
        return char
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))
