"""Checks that only the user can change the files of a folder, or where its path leads.

On Windows, where the mode of a file does not show this, nothing is checked.
"""

import os
import stat
from pathlib import Path

_HAS_OWNERS = hasattr(os, "getuid")
if _HAS_OWNERS:
    import grp
    import pwd

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_ROOT = 0


def why_not_private(folder: Path) -> str | None:
    """Say why others could change what a folder holds; None when only the user can.

    Args:
        folder: An absolute path; folders that do not exist yet are passed over. The folder itself
            may be writable for others, as long as it is the user's to change that.
    """
    if not _HAS_OWNERS:
        return None
    if folder.is_symlink():
        return "it is a symbolic link"
    if folder.exists() and folder.stat().st_uid != os.getuid():
        return "it belongs to another user"
    # A link above the folder can be replaced, and so can what it leads to: both ways are checked.
    above = {*folder.parents, *folder.resolve().parents}
    return next(filter(None, map(_why_not_safe, sorted(above))), None)


def is_closed(folder: Path) -> bool:
    """Return whether nobody but its owner can write to a folder."""
    return not _HAS_OWNERS or not folder.stat().st_mode & _OTHERS_WRITE


def is_private_file(path: Path) -> bool:
    """Return whether a file is one of the user's that nobody else can write to, by any name."""
    found = path.lstat()
    if not _HAS_OWNERS:
        return stat.S_ISREG(found.st_mode)
    is_own = stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid()
    return is_own and found.st_nlink == 1 and not found.st_mode & _OTHERS_WRITE


def _why_not_safe(folder: Path) -> str | None:
    """Return why others could replace what lies in a folder; None when they cannot."""
    if not folder.exists():
        return None
    for found in (folder.lstat(), folder.stat()):
        if found.st_uid not in {_ROOT, os.getuid()}:
            return f"{folder} above it belongs to another user"
    # With the sticky bit, as in /tmp, each may rename only what is theirs.
    if found.st_mode & stat.S_ISVTX:
        return None
    if found.st_mode & stat.S_IWOTH or (
        found.st_mode & stat.S_IWGRP and not _is_of_one_user(found.st_gid)
    ):
        return f"others may write to {folder} above it"
    return None


def _is_of_one_user(group: int) -> bool:
    """Return whether a group is that of root, or the one that many systems make for each user."""
    if group == _ROOT:
        return True
    try:
        user, found = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and found.gr_name == user.pw_name and not found.gr_mem
