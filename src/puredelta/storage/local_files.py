"""What may be a file of a table on this machine: names, pipes, devices, links."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from puredelta.storage.location import local_path, scheme_of

# Of the longest path that any system has; following links takes the square of the length.
_LONGEST = 32_767

_NO_FILE = "it is a folder, a pipe or a device, and no file"


def is_file_name(name: str) -> bool:
    r"""Say whether a file of this machine can have a name: logs may name anything.

    >>> is_file_name("a b.parquet"), is_file_name("a\0b.parquet")
    (True, False)
    """
    try:
        encoded = os.fsencode(name)
    except UnicodeEncodeError:  # half of a pair of surrogates
        return False
    return b"\0" not in encoded and len(encoded) <= _LONGEST


def leads_to_file(entry: "os.DirEntry[str]") -> bool:
    """Say whether an entry of a folder is a file, or a link to one."""
    try:
        return entry.is_file()
    except OSError as error:
        # A link to itself is as good as one to nothing.
        if error.errno != errno.ELOOP:
            raise
        return False


def check_is_file(path: str) -> None:
    """Refuse what another reader than ours would wait for, or read without end.

    Raises:
        FileNotFoundError: There is nothing of this name.
        OSError: It is a pipe, a device or a folder.
    """
    if not is_file_name(path):
        raise FileNotFoundError(errno.ENOENT, "no file can have this name")
    if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116  # one for each file that is read
        raise OSError(errno.EINVAL, _NO_FILE)


def opened_file(path: Path) -> BinaryIO:
    """Open a file for reading, and nothing else: a pipe makes its reader wait, a device never ends.

    Raises:
        OSError: There is no file.
    """
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115  # a Path takes no opener
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, _NO_FILE)
    return file


def _without_waiting(path: str, flags: int) -> int:
    # Windows has neither such pipes nor the flag.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def is_own_folder(url: str, folder: str) -> bool:
    """Say whether a folder lies in the one above it; a link may lead anywhere.

    Args:
        url: The table's; other stores have no links.
        folder: Its name below the table.
    """
    root = local_path(url) if scheme_of(url) == "file" else None
    return root is None or not (Path(root) / folder).is_symlink()
