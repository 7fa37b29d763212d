"""The health report of a table: as text, as HTML in notebooks, as plain values for JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from puredelta._util.size_text import size_text
from puredelta.maintenance.health.finding import HealthFinding
from puredelta.notebook.preview import sentences_html


@dataclass(frozen=True, slots=True, kw_only=True)
class TableHealth:
    """What can be better about a table.

    Attributes:
        table: The table.
        version: The version that was looked at.
        files: How many live files it has.
        size: Their size, in bytes.
        findings: What can be better.
    """

    table: str
    version: int
    files: int
    size: int
    findings: tuple[HealthFinding, ...]

    @property
    def is_healthy(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values, for JSON."""
        return {**asdict(self), "isHealthy": self.is_healthy}

    def __str__(self) -> str:
        return "\n".join([self._head(), *map(str, self.findings)])

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        rows = [(found.code, found.text, found.statement, found.cost) for found in self.findings]
        columns = ("Code", "Found", "Mend", "Cost")
        return sentences_html("puredelta-health", self._head(), columns, rows)

    def _head(self) -> str:
        size = f"version {self.version}, {self.files:,} files, {size_text(self.size)}"
        return f"{self.table}, {size}: {'healthy' if self.is_healthy else 'can be better'}"
