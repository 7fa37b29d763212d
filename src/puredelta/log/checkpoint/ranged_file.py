"""An object of a store as a file that Arrow reads piece by piece."""

import io

from puredelta.storage.store import ObjectInfo, Store


class RangedFile(io.RawIOBase):
    """An object of which only the parts asked for are fetched.

    Args:
        store: Where it lies.
        info: Its name and size.
    """

    def __init__(self, store: Store, info: ObjectInfo) -> None:
        super().__init__()
        self._store = store
        self._info = info
        self._at = 0

    def readable(self) -> bool:
        """Say yes."""
        return True

    def seekable(self) -> bool:
        """Say yes."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place, from the start, the current place or the end."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._info.size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        """Say which place is next."""
        return self._at

    def read(self, size: int = -1) -> bytes:
        """Fetch so many bytes, or all to the end; fewer at the end."""
        left = max(0, self._info.size - self._at)
        wanted = left if size < 0 else min(size, left)
        data = self._store.read_range(self._info.name, self._at, wanted) if wanted else b""
        self._at += len(data)
        return data
