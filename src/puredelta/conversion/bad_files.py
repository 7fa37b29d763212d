"""Files that cannot become part of the table stop the conversion, are left out, or are listed."""

from __future__ import annotations

from dataclasses import dataclass, field

from puredelta.conversion.source_file import BadFile
from puredelta.errors import DeltaError

FAIL, SKIP, COLLECT = "fail", "skip", "collect"

MAX_KEPT = 1_000
"""How many files are kept by name; those after them are only counted."""


@dataclass(slots=True)
class Problems:
    """Takes what is wrong with files.

    Attributes:
        policy: FAIL raises the first one; SKIP leaves the file out; COLLECT, for dry runs, leaves
            it out as well, and the conversion would fail.
        files: The files, the first `MAX_KEPT` of them.
        count: How many there are.
        size: How many bytes they have in all.
    """

    policy: str = FAIL
    files: list[BadFile] = field(default_factory=list)
    count: int = 0
    size: int = 0

    def bad_file(self, path: str, size: int, error: DeltaError) -> None:
        """Take what is wrong with a file.

        Raises:
            DeltaError: The error, where nothing may be wrong.
        """
        if self.policy == FAIL:
            raise error
        self.count += 1
        self.size += size
        if len(self.files) < MAX_KEPT:
            text = f"[{error.condition}] {error.message}"
            self.files.append(BadFile(path, error.condition, text))
