"""One thing that makes a table slow or large, with the statement that mends it and its cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from puredelta._util.size_text import size_text


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthFinding:
    """Something about a table that can be better.

    Attributes:
        code: What it is, in one word or two: `small-files`.
        text: What was found, in numbers.
        statement: What mends it, in SQL or Python.
        files_to_rewrite: How many files the statement would rewrite.
        bytes_to_rewrite: Their size, in bytes.
        files_to_delete: How many files the statement would delete from storage.
        bytes_to_delete: Their size, in bytes.

    Examples:
        >>> print(HealthFinding(code="unreferenced-files", text="2 files", statement="VACUUM t"))
        unreferenced-files: 2 files
          mend: VACUUM t
          cost: no data file is touched
    """

    code: str
    text: str
    statement: str
    files_to_rewrite: int = 0
    bytes_to_rewrite: int = 0
    files_to_delete: int = 0
    bytes_to_delete: int = 0

    @property
    def cost(self) -> str:
        """What the statement costs, for people."""
        return ", ".join(self._costs()) or "no data file is touched"

    def _costs(self) -> Iterator[str]:
        if self.files_to_rewrite:
            size = size_text(self.bytes_to_rewrite)
            yield f"{self.files_to_rewrite:,} files to rewrite, {size}"
        if self.files_to_delete:
            yield f"{self.files_to_delete:,} files to delete, {size_text(self.bytes_to_delete)}"

    def __str__(self) -> str:
        return f"{self.code}: {self.text}\n  mend: {self.statement}\n  cost: {self.cost}"
