"""What a check found: how grave, of what kind, in which file, in words."""

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any


class Severity(Enum):
    """How grave a finding is.

    Attributes:
        ERROR: Some reader fails or gives a wrong answer.
        WARNING: Readers get by, but something is not as it should be.
        INFO: Harmless; there to be known.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check found.

    Attributes:
        severity: How grave it is.
        code: What kind of thing it is, for programs: `file-missing`, `checkpoint-differs` ...
        file: Where: a path below the table, a URL when it lies outside; empty for the table.
        text: What is wrong, in words.
    """

    severity: Severity
    code: str
    file: str
    text: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found in one table.

    Attributes:
        table: The URL of the table.
        version: The version whose files were looked at; None when the log says none.
        files: How many live files it has.
        findings: What was found, the gravest first.
    """

    table: str
    version: int | None
    files: int
    findings: tuple[Finding, ...]

    @property
    def is_sound(self) -> bool:
        """Whether there is neither an error nor a warning."""
        return all(found.severity is Severity.INFO for found in self.findings)

    def count(self, severity: Severity) -> int:
        """Count the findings of one severity."""
        return sum(found.severity is severity for found in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values, for JSON."""
        return {
            "table": self.table,
            "version": self.version,
            "files": self.files,
            "sound": self.is_sound,
            "findings": [
                {**asdict(found), "severity": found.severity.value} for found in self.findings
            ],
        }


def error(code: str, file: str, text: str) -> Finding:
    """Make a finding that breaks readers."""
    return Finding(Severity.ERROR, code, file, text)


def warning(code: str, file: str, text: str) -> Finding:
    """Make a finding that readers get by with."""
    return Finding(Severity.WARNING, code, file, text)


def info(code: str, file: str, text: str) -> Finding:
    """Make a harmless finding."""
    return Finding(Severity.INFO, code, file, text)


def examples(names: list[str], most: int = 3) -> str:
    """Show the first of many names.

    >>> examples(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
