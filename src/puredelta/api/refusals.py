"""The methods of DeltaTable that delta-spark has and that are not offered yet: refused by name."""

from __future__ import annotations

from typing import NoReturn

from puredelta.engine.exceptions import public
from puredelta.frontend.sql.not_offered import not_offered


class TableRefusals:
    """Methods with the signatures that delta-spark's users know."""

    def optimize(self) -> NoReturn:
        """Refuse what is not offered yet: small files put together, rows put in order.

        Raises:
            DeltaUnsupportedOperationException: PUREDELTA_NOT_OFFERED, with what to do instead.
        """
        raise public(not_offered("OPTIMIZE"))

    def vacuum(self, retentionHours: float | None = None) -> NoReturn:
        """Refuse what is not offered yet: files no version needs taken away."""
        raise public(not_offered("VACUUM"))

    def restoreToVersion(self, version: int) -> NoReturn:
        """Refuse what is not offered yet: an older version made the newest; see `optimize`."""
        raise public(not_offered("RESTORE"))

    def restoreToTimestamp(self, timestamp: str) -> NoReturn:
        """Refuse what is not offered yet: see `restoreToVersion`."""
        raise public(not_offered("RESTORE"))

    def generate(self, mode: str) -> NoReturn:
        """Refuse what is not offered yet: manifests for other engines; see `optimize`."""
        raise public(not_offered("GENERATE"))

    def clone(
        self,
        target: str,
        isShallow: bool = False,
        replace: bool = False,
        properties: dict[str, str] | None = None,
    ) -> NoReturn:
        """Refuse what is not offered yet: the table made anew in another place; see `optimize`."""
        raise public(not_offered("CLONE"))

    def cloneAtVersion(
        self,
        version: int,
        target: str,
        isShallow: bool = False,
        replace: bool = False,
        properties: dict[str, str] | None = None,
    ) -> NoReturn:
        """Refuse what is not offered yet: see `clone`."""
        raise public(not_offered("CLONE"))

    def cloneAtTimestamp(
        self,
        timestamp: str,
        target: str,
        isShallow: bool = False,
        replace: bool = False,
        properties: dict[str, str] | None = None,
    ) -> NoReturn:
        """Refuse what is not offered yet: see `clone`."""
        raise public(not_offered("CLONE"))
