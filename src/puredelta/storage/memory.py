"""A store in memory, for tests: quick, and with faults on demand."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

from puredelta.storage.listing_walk import entered
from puredelta.storage.store import ObjectInfo, ObjectNotFound


class MemoryStore:
    """Objects in a dictionary.

    Args:
        url: Where it pretends to be.
        now: Clock for the times of change; by default they count up from 1.
        on_call: Called before each operation with its name and the object's; may raise.

    >>> store = MemoryStore()
    >>> store.put_if_absent("a", b"1"), store.put_if_absent("a", b"2")
    (True, False)
    >>> store.read("a")
    b'1'
    """

    def __init__(
        self,
        url: str = "memory:///t",
        *,
        now: Callable[[], int] | None = None,
        on_call: Callable[[str, str], None] | None = None,
    ) -> None:
        self.url = url
        self.on_call = on_call
        self._objects: dict[str, tuple[bytes, int]] = {}
        self._lock = threading.Lock()
        self._ticks = 0
        self._now = now or self._tick

    def __repr__(self) -> str:
        return f"MemoryStore({self.url!r})"

    def list_from(self, prefix: str, start: str | None = None) -> list[ObjectInfo]:
        """List the objects of a folder by name; see `Store.list_from`."""
        self._called("list_from", prefix)
        above = f"{prefix}/" if prefix else ""
        with self._lock:
            names = [
                name
                for name in self._objects
                if name.startswith(above) and "/" not in name[len(above) :]
            ]
            return [self._info(name) for name in sorted(names) if start is None or name >= start]

    def walk(self, prefix: str, enters: Callable[[str], bool]) -> Iterator[ObjectInfo]:
        """Yield the objects at any depth below a folder; see `Store.walk`."""
        self._called("walk", prefix)
        above = f"{prefix}/" if prefix else ""
        with self._lock:
            found = [self._info(name) for name in sorted(self._objects) if name.startswith(above)]
        return entered(found, prefix, enters)

    def read(self, name: str) -> bytes:
        """Return a whole object."""
        self._called("read", name)
        return self._content(name)

    def read_all(self, names: Sequence[str]) -> list[bytes]:
        """Return several objects."""
        return [self.read(name) for name in names]

    def read_range(self, name: str, start: int, length: int) -> bytes:
        """Return a part of an object."""
        self._called("read_range", name)
        return self._content(name)[start : start + length]

    def info(self, name: str) -> ObjectInfo | None:
        """Say what is known of an object, or None when there is none."""
        self._called("info", name)
        with self._lock:
            return self._info(name) if name in self._objects else None

    def put_if_absent(self, name: str, data: bytes) -> bool:
        """Create an object unless there is one."""
        self._called("put_if_absent", name)
        with self._lock:
            if name in self._objects:
                return False
            self._objects[name] = (data, self._now())
            return True

    def put_stream_if_absent(self, name: str, chunks: Iterable[bytes]) -> bool:
        """Create an object of many pieces unless there is one."""
        return self.put_if_absent(name, b"".join(chunks))

    def put(self, name: str, data: bytes) -> None:
        """Create or replace an object."""
        self._called("put", name)
        with self._lock:
            self._objects[name] = (data, self._now())

    def delete(self, names: Sequence[str]) -> None:
        """Remove objects; those that are not there are passed over."""
        for name in names:
            self._called("delete", name)
            with self._lock:
                self._objects.pop(name, None)

    def require_put_if_absent(self) -> None:
        """Do nothing: a lock sees to it."""

    def _called(self, operation: str, name: str) -> None:
        if self.on_call is not None:
            self.on_call(operation, name)

    def _content(self, name: str) -> bytes:
        with self._lock:
            if name not in self._objects:
                raise ObjectNotFound("DELTA_FILE_OR_DIR_NOT_FOUND", path=f"{self.url}/{name}")
            return self._objects[name][0]

    def _info(self, name: str) -> ObjectInfo:
        data, modified_ms = self._objects[name]
        return ObjectInfo(name, len(data), modified_ms)

    def _tick(self) -> int:
        self._ticks += 1
        return self._ticks
