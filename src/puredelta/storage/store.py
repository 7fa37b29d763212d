"""The port through which the log reaches bytes: list, read, put-if-absent, delete."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from puredelta.errors import DeltaFileNotFoundError


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """What a store says of one object.

    Attributes:
        name: Path below the root of the store, with `/`, as it is stored (nothing is decoded).
        size: Length in bytes.
        modified_ms: Time of the last change, in milliseconds since 1970.
    """

    name: str
    size: int
    modified_ms: int


class ObjectNotFound(DeltaFileNotFoundError):  # noqa: N818  # an answer of the store, not a fault
    """The object that was asked for is not there."""


class Store(Protocol):
    """The files of one table, named relative to its root.

    Names are plain text: no store decodes or encodes what it is given.
    """

    @property
    def url(self) -> str:
        """Where the root is, without a slash at the end: `file:///tmp/t`, `s3://bucket/t`."""
        ...

    def list_from(self, prefix: str, start: str | None = None) -> list[ObjectInfo]:
        """List the objects of the folder `prefix`, sorted by name, from `start` on.

        Folders in it are not entered. A folder that does not exist is empty.

        Args:
            prefix: Folder below the root; empty for the root itself.
            start: Smallest name wanted, as a full name below the root.
        """
        ...

    def walk(self, prefix: str, enters: Callable[[str], bool]) -> Iterator[ObjectInfo]:
        """Yield the objects below a folder, at any depth, in the order of names within a folder.

        They come while the store is listed, so that none of it has to be held. A folder that does
        not exist is empty. Links are followed, but not back into a folder they lie in.

        Args:
            prefix: Folder below the root; empty for the root itself.
            enters: Asked for each folder below, with its full name below the root.
        """
        ...

    def read(self, name: str) -> bytes:
        """Return a whole object.

        Raises:
            ObjectNotFound: There is none of this name.
        """
        ...

    def read_all(self, names: Sequence[str]) -> list[bytes]:
        """Return several objects, in the order of `names`, read side by side where that pays."""
        ...

    def read_range(self, name: str, start: int, length: int) -> bytes:
        """Return `length` bytes from `start` on, fewer at the end of the object."""
        ...

    def info(self, name: str) -> ObjectInfo | None:
        """Say what is known of an object, or None when there is none."""
        ...

    def put_if_absent(self, name: str, data: bytes) -> bool:
        """Create an object unless there is one; of racing writers exactly one gets True.

        Readers see the whole object or none.
        """
        ...

    def put_stream_if_absent(self, name: str, chunks: Iterable[bytes]) -> bool:
        """Create an object of many pieces unless there is one, without holding it in memory.

        As for `put_if_absent`, readers see the whole object or none, and one of racing writers
        gets True. What the pieces raise is raised as it is, and then nothing was created.

        Args:
            name: Of the object.
            chunks: Its content; not looked at when the name is seen to be taken before.
        """
        ...

    def put(self, name: str, data: bytes) -> None:
        """Create or replace an object; readers see the old one or the new one, whole."""
        ...

    def delete(self, names: Sequence[str]) -> None:
        """Remove objects; those that are not there are passed over."""
        ...

    def require_put_if_absent(self) -> None:
        """Make sure, before anything is written, that of racing writers only one can win.

        Raises:
            DeltaUnsupportedOperationError: DELTA_STORAGE_NO_PUT_IF_ABSENT, with the reason.
        """
        ...


@runtime_checkable
class FolderStore(Protocol):
    """A store whose folders exist by themselves, with or without files: a file system."""

    def folder_modified_ms(self, name: str) -> int | None:
        """Return when an entry of a folder last came or went, in milliseconds since 1970.

        Args:
            name: Of the folder, below the root.

        Returns:
            The time; None where there is no such folder.
        """
        ...

    def delete_folder(self, name: str) -> bool:
        """Remove a folder unless something is in it.

        Args:
            name: Of the folder, below the root.

        Returns:
            Whether it was removed.
        """
        ...
