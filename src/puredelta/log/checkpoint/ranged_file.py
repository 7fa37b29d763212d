"""An object of a store as a file that Arrow reads piece by piece."""

import io

from puredelta.storage.store import ObjectInfo, Store


class RangedFile(io.RawIOBase):
    """An object of which only the requested parts are fetched.

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
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True: each part is fetched on its own."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a position, counted from the start, the current position or the end."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._info.size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        """Return the position of the next read."""
        return self._at

    def read(self, size: int = -1) -> bytes:
        """Fetch `size` bytes, fewer at the end; or all that are left."""
        left = max(0, self._info.size - self._at)
        wanted = left if size < 0 else min(size, left)
        data = self._store.read_range(self._info.name, self._at, wanted) if wanted else b""
        self._at += len(data)
        return data
