"""Finds repeated paths among millions: those that were seen are kept as digests of 16 bytes.

Protocol: Add File and Remove File; one path, one action in a commit.
"""

from collections.abc import Iterable
from hashlib import blake2b

import pyarrow as pa
import pyarrow.compute as pc

_DIGEST = pa.binary(16)


class PathSet:
    """Finds the path that comes a second time, at the latest when all have passed.

    Args:
        at_once: the digests are scanned once for so many new paths.
    """

    def __init__(self, at_once: int = 20_000) -> None:
        self._at_once = at_once
        # Only new paths are kept whole, to be named; arrays of digests take a fraction of the
        # memory.
        self._new: dict[bytes, str] = {}
        self._old: list[pa.Array] = []

    def repeated(self, paths: Iterable[str]) -> str | None:
        """Take some paths.

        Returns:
            One that came before, or None as far as that is known.
        """
        for path in paths:
            # A file name that is not UTF-8 comes from the system with lone surrogates.
            digest = blake2b(path.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            if digest in self._new:
                return path
            self._new[digest] = path
        return self.repeated_at_last() if len(self._new) >= self._at_once else None

    def repeated_at_last(self) -> str | None:
        """Compare the newest paths with all before them; call it when no more come."""
        new = pa.array(self._new.keys(), _DIGEST)
        for old in self._old:
            met = old.filter(pc.is_in(old, value_set=new))
            if len(met):
                return self._new[met[0].as_py()]
        if len(new):
            self._old.append(new)
            self._new = {}
        return None
