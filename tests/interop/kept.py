"""Where the tables of delta-spark with features lie: making them is slow, so they are kept a day.

They are made anew when the code that makes or reads them changes. $PUREDELTA_INTEROP_TABLES names
another folder, which is used as it is.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from pathlib import Path

HERE = Path(__file__).parent
SOURCES = (*sorted((HERE / "features").glob("*.py")), HERE / "observe.py")
# What is said there of our own tables does not change theirs.
OURS = {"ours.py", "altered.py", "generated_here.py", "generated_random.py"}
RESULT = "result.json"
# Time travel beyond a table's retention of deleted files is refused, and that is a week.
KEPT_SECONDS = 86_400


def kept_folder() -> Path:
    """The folder of the tables: whole and young enough to use, or one of this process to fill."""
    named = os.environ.get("PUREDELTA_INTEROP_TABLES")
    if named:
        return Path(named)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "puredelta/interop"
    for folder in home.glob("*"):
        if _age_of(folder) > KEPT_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
    fingerprint = _fingerprint()
    whole = sorted(home.glob(f"{fingerprint}-*/{RESULT}"))
    if whole:
        return whole[0].parent
    # Two runs at the same time make two folders: tables know where they lie.
    folder = home / f"{fingerprint}-{os.getpid()}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _age_of(folder: Path) -> float:
    return time.time() - folder.stat().st_mtime


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for source in SOURCES:
        if source.name not in OURS:
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]
