"""Files on this machine: a store over the operating system's own calls."""

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from puredelta._util.progress import track
from puredelta.errors import DeltaRuntimeError
from puredelta.storage.local_files import is_file_name, leads_to_file, opened_file
from puredelta.storage.local_walk import walk_folder
from puredelta.storage.location import local_path, table_url
from puredelta.storage.store import ObjectInfo, ObjectNotFound
from puredelta.storage.unfinished import unfinished_name

# Errors of file systems without hard links (some network and FUSE mounts).
_NO_HARD_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})

# Errors of file systems for a folder with something in it.
_NOT_EMPTY = frozenset({errno.ENOTEMPTY, errno.EEXIST})

# Errors of file systems that cannot be asked to write to a disk.
_NO_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EBADF})


class LocalStore:
    """The files below one folder of this machine.

    A new file is written beside its location under a hidden name and then linked there: the link
    fails when the name is taken, so of racing writers one wins, and no reader sees half a file.
    Its content is on the disk before it gets its name, and the name before the writer hears of it:
    what was created survives a loss of power. What replaces a file is whole after one, old or new.
    """

    def __init__(self, url: str) -> None:
        self.url = table_url(url)
        self._root = Path(local_path(self.url) or "/")

    def __repr__(self) -> str:
        return f"LocalStore({self.url!r})"

    def list_from(self, prefix: str, start: str | None = None) -> list[ObjectInfo]:
        """List the files of a folder by name; see `Store.list_from`."""
        above = f"{prefix}/" if prefix else ""
        found: list[ObjectInfo] = []
        with self._failures("list", prefix):
            try:
                entries = os.scandir(self._path(prefix))
            except (FileNotFoundError, NotADirectoryError):
                return []
            with entries:
                for entry in entries:
                    name = above + entry.name
                    if (start is None or name >= start) and leads_to_file(entry):
                        found.extend(self._entry_info(entry, name))
        return sorted(found, key=lambda info: info.name)

    def walk(self, prefix: str, enters: Callable[[str], bool]) -> Iterator[ObjectInfo]:
        """Yield the files at any depth below a folder; see `Store.walk`."""
        # Errors of the consumer do not pass through a generator.
        with self._failures("list", prefix):
            yield from walk_folder(str(self._root), prefix, enters)

    def read(self, name: str) -> bytes:
        """Return a whole file."""
        with self._failures("read", name), opened_file(self._path(name)) as file:
            return file.read()

    def read_all(self, names: Sequence[str]) -> list[bytes]:
        """Return several files, one after the other: threads do not make a local disk faster."""
        return [self.read(name) for name in track(names, "reading the log", len(names))]

    def read_range(self, name: str, start: int, length: int) -> bytes:
        """Return a part of a file."""
        with self._failures("read", name), opened_file(self._path(name)) as file:
            file.seek(start)
            # Python takes memory for as much as it is asked for.
            return file.read(max(0, min(length, os.fstat(file.fileno()).st_size - start)))

    def info(self, name: str) -> ObjectInfo | None:
        """Say what is known of a file, or None when there is none."""
        with self._failures("look up", name):
            try:
                status = self._path(name).stat()
            except (FileNotFoundError, NotADirectoryError):
                return None
        return None if stat.S_ISDIR(status.st_mode) else _info(name, status)

    def put_if_absent(self, name: str, data: bytes) -> bool:
        """Create a file unless there is one; see `Store.put_if_absent`."""
        with self._failures("write", name), self._written_beside(name, data) as (path, beside):
            return _linked_for_good(path, beside)

    def put_stream_if_absent(self, name: str, chunks: Iterable[bytes]) -> bool:
        """Create a file of many pieces unless there is one; see `Store.put_stream_if_absent`."""
        with self._failures("write", name):
            path = self._path(name)
            beside = path.with_name(unfinished_name(path.name))
            if path.exists():
                return False
            file = _created(beside)
        try:
            for chunk in chunks:
                with self._failures("write", name):
                    file.write(chunk)
            with self._failures("write", name):
                _flush(file)
                file.close()
                return _linked_for_good(path, beside)
        finally:
            with contextlib.suppress(OSError):
                file.close()
            beside.unlink(missing_ok=True)

    def put(self, name: str, data: bytes) -> None:
        """Create or replace a file."""
        with self._failures("write", name), self._written_beside(name, data) as (path, beside):
            # Hadoop keeps checksums in files of its own, and would find the new content damaged.
            _hadoop_checksum(path).unlink(missing_ok=True)
            beside.replace(path)

    def delete(self, names: Sequence[str]) -> None:
        """Remove files; those that are not there are passed over."""
        for name in filter(is_file_name, names):
            with self._failures("delete", name):
                self._path(name).unlink(missing_ok=True)
                _hadoop_checksum(self._path(name)).unlink(missing_ok=True)

    def folder_modified_ms(self, name: str) -> int | None:
        """Return when an entry of a folder last came or went; see `FolderStore`."""
        with self._failures("look up", name):
            try:
                status = self._path(name).stat()
            except (FileNotFoundError, NotADirectoryError):
                return None
        return status.st_mtime_ns // 1_000_000 if stat.S_ISDIR(status.st_mode) else None

    def delete_folder(self, name: str) -> bool:
        """Remove a folder unless something is in it; see `FolderStore`."""
        with self._failures("delete", name):
            try:
                # The system itself refuses to remove a folder with entries: a writer who puts a
                # file there at this moment loses nothing.
                self._path(name).rmdir()
            except (FileNotFoundError, NotADirectoryError):
                return False
            except OSError as error:
                if error.errno not in _NOT_EMPTY:
                    raise
                return False
        return True

    def require_put_if_absent(self) -> None:
        """Do nothing: any file system can create exclusively."""

    def _path(self, name: str) -> Path:
        if not is_file_name(name):
            raise FileNotFoundError(errno.ENOENT, "no file can have this name")
        return self._root / name

    @staticmethod
    def _entry_info(entry: "os.DirEntry[str]", name: str) -> Iterator[ObjectInfo]:
        # A file can vanish between the listing and the look at it (log cleanup, temporary files).
        with contextlib.suppress(FileNotFoundError):
            yield _info(name, entry.stat())

    @contextlib.contextmanager
    def _written_beside(self, name: str, data: bytes) -> Iterator[tuple[Path, Path]]:
        """Write a file under another name; yield the path that it is to get, and its own."""
        path = self._path(name)
        beside = path.with_name(unfinished_name(path.name))
        try:
            with _created(beside) as file:
                file.write(data)
                _flush(file)
            yield path, beside
        finally:
            beside.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _failures(self, operation: str, name: str) -> Iterator[None]:
        """Turn errors of the operating system into ours."""
        try:
            yield
        except FileNotFoundError as error:
            raise ObjectNotFound(
                "DELTA_FILE_OR_DIR_NOT_FOUND", path=f"{self.url}/{name}"
            ) from error
        except OSError as error:
            raise DeltaRuntimeError(
                "DELTA_STORAGE_FAILURE",
                operation=operation,
                path=f"{self.url}/{name}",
                reason=error.strerror or str(error),
            ) from error


def _hadoop_checksum(path: Path) -> Path:
    return path.with_name(f".{path.name}.crc")


def _created(path: Path) -> BinaryIO:
    try:
        return path.open("xb")
    except FileNotFoundError:
        _make_folder(path.parent)
        return path.open("xb")


def _make_folder(folder: Path) -> None:
    missing = [above for above in (folder, *folder.parents) if not above.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    # A folder survives a loss of power only if its name in the folder above does.
    for made in reversed(missing):
        _flush_folder(made.parent)


def _flush(file: BinaryIO) -> None:
    """Wait until the content of a file is on the disk."""
    file.flush()
    _wait_for_disk(file.fileno())


def _flush_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk; Windows has no way to ask for that."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        _wait_for_disk(handle)
    finally:
        os.close(handle)


def _wait_for_disk(handle: int) -> None:
    if os.environ.get("PUREDELTA_FSYNC", "").strip().lower() in {"0", "false"}:
        return
    try:
        os.fsync(handle)
    except OSError as error:
        # File systems that keep nothing (some network and FUSE mounts) have nothing to wait for.
        if error.errno not in _NO_SYNC:
            raise


def _linked_for_good(path: Path, beside: Path) -> bool:
    """Give a file its name, unless that is taken, and wait until the name is on the disk."""
    created = _linked(path, beside)
    if created:
        _flush_folder(path.parent)
    return created


def _linked(path: Path, beside: Path) -> bool:
    """Give a file that was written beside its location its name, unless that is taken."""
    try:
        path.hardlink_to(beside)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        return _copy_exclusively(path, beside)
    return True


def _copy_exclusively(path: Path, beside: Path) -> bool:
    """Copy where links are missing: still one writer wins, but a crash can leave a partial file."""
    try:
        target = path.open("xb")
    except FileExistsError:
        return False
    try:
        with target, beside.open("rb") as source:
            shutil.copyfileobj(source, target)
            _flush(target)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    return True


def _info(name: str, status: os.stat_result) -> ObjectInfo:
    return ObjectInfo(name, status.st_size, status.st_mtime_ns // 1_000_000)
