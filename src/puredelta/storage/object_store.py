"""Object stores through obstore: S3, Google Cloud Storage, Azure, and memory."""

import contextlib
import logging
import mmap
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache
from typing import Any, cast

import obstore
from obstore.exceptions import AlreadyExistsError, NotFoundError
from obstore.store import MemoryStore, from_url

from puredelta._util.progress import track
from puredelta.errors import DeltaIllegalArgumentError, DeltaUnsupportedOperationError
from puredelta.storage.failures import (
    cause,
    is_missing_bucket,
    is_of_obstore,
    translate_errors,
)
from puredelta.storage.hadoop_options import obstore_names
from puredelta.storage.listing_walk import entered
from puredelta.storage.location import scheme_of, table_url
from puredelta.storage.object_store_options import Access, access_of, without_secrets
from puredelta.storage.store import ObjectInfo
from puredelta.storage.store_aliases import canonical_store_url
from puredelta.storage.unfinished import unfinished_name

logger = logging.getLogger(__name__)

_READERS = 16
_PAGE = 1000

# obstore's default for the time of a request, and the slowest line that an upload allows for, in
# bytes a second.
_TIMEOUT = timedelta(seconds=30)
_SLOWEST = 1_000_000


class ObjectStore:
    """The objects below one prefix of a bucket or container.

    Args:
        url: The table: `s3://bucket/a/b`. The scheme stays as given; `s3a` and `s3n` mean `s3`.
        options: What is needed to get in, under the names of obstore (`aws_access_key_id`,
            `aws_endpoint`, `allow_http` ...) or of Hadoop (`fs.s3a.access.key` ...); what is not
            given comes from the environment.
    """

    def __init__(self, url: str, options: Mapping[str, str] | None = None) -> None:
        self.url = table_url(url)
        self._options = obstore_names(self.url, options or {})
        scheme, _, rest = canonical_store_url(self.url).partition("://")
        authority, _, self._prefix = rest.partition("/")
        self._root = f"{scheme}://{authority}"
        self._access = access_of(self.url, self._options)
        self._store = _bucket(self._root, self._access)

    def __repr__(self) -> str:
        return f"ObjectStore({self.url!r})"

    def list_from(self, prefix: str, start: str | None = None) -> list[ObjectInfo]:
        """List the objects of a folder by name; see `Store.list_from`."""
        above = f"{prefix}/" if prefix else ""
        with self._failures("list", prefix):
            # Hadoop leaves empty objects where it wants folders; they are named as the folder is.
            wanted = [
                info
                for info in track(self._listed(prefix, start), "listing the log")
                if info.name.startswith(above)
                and "/" not in info.name[len(above) :]
                and (start is None or info.name >= start)
            ]
        return sorted(wanted, key=lambda info: info.name)

    def walk(self, prefix: str, enters: Callable[[str], bool]) -> Iterator[ObjectInfo]:
        """Yield the objects at any depth below a folder, page by page; see `Store.walk`."""
        above = f"{prefix}/" if prefix else ""
        with self._failures("list", prefix):
            listed = (info for info in self._listed(prefix, None) if info.name.startswith(above))
            yield from self._without_folders(entered(listed, prefix, enters))

    def read(self, name: str) -> bytes:
        """Return a whole object."""
        with self._failures("read", name):
            return bytes(obstore.get(self._store, self._key(name)).bytes())

    def read_all(self, names: Sequence[str]) -> list[bytes]:
        """Return several objects, fetched side by side."""
        if len(names) < 2:
            return [self.read(name) for name in names]
        # The wait for each answer dominates, so requests run side by side.
        with ThreadPoolExecutor(min(_READERS, len(names))) as pool:
            return list(track(pool.map(self.read, names), "reading the log", len(names)))

    def read_range(self, name: str, start: int, length: int) -> bytes:
        """Return a part of an object."""
        with self._failures("read", name):
            part = obstore.get_range(self._store, self._key(name), start=start, length=length)
        return bytes(part)

    def info(self, name: str) -> ObjectInfo | None:
        """Say what is known of an object, or None when there is none."""
        # HEAD returns times in seconds, a listing in milliseconds. An object must have one time, so
        # both come from a listing.
        with self._failures("look up", name):
            for info in self._listed(name.rpartition("/")[0], name):
                if info.name >= name:
                    return info if info.name == name else None
        return None

    def put_if_absent(self, name: str, data: bytes) -> bool:
        """Create an object unless there is one; the store itself decides which writer was first."""
        with self._failures("write", name):
            return self._create(self._key(name), data)

    def put_stream_if_absent(self, name: str, chunks: Iterable[bytes]) -> bool:
        """Create an object of many pieces unless there is one; see `Store.put_stream_if_absent`.

        Only an upload in one request can be made conditional everywhere, and its length comes
        first, so the pieces are put together in a temporary file on this machine.
        """
        # A name that is taken already saves the upload; the conditional put decides all the same.
        if self.info(name) is not None:
            return False
        with tempfile.TemporaryFile() as file:
            for chunk in chunks:
                file.write(chunk)
            size = file.tell()
            file.flush()
            if not size:
                return self.put_if_absent(name, b"")
            # The system can reclaim the memory of mapped content at any time. The mapping is not
            # closed here: a request may outlive its answer; the last reference ends the mapping.
            content = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
            with self._failures("write", name):
                return self._create(self._key(name), content, self._patient_store(size))

    def put(self, name: str, data: bytes) -> None:
        """Create or replace an object."""
        with self._failures("write", name):
            obstore.put(self._store, self._key(name), data)

    def delete(self, names: Sequence[str]) -> None:
        """Remove objects, a thousand a request; those that are not there are passed over."""
        for start in range(0, len(names), _PAGE):
            some = names[start : start + _PAGE]
            with self._failures("delete", some[0]):
                try:
                    obstore.delete(self._store, [self._key(name) for name in some])
                except (NotFoundError, FileNotFoundError) as error:
                    # A bucket that is not there is not found, either, and that is a failure.
                    if is_missing_bucket(error):
                        raise
                    # Some stores refuse a list at the first object that is not there.
                    self._delete_each(some)

    def _delete_each(self, names: Sequence[str]) -> None:
        for name in names:
            with contextlib.suppress(NotFoundError, FileNotFoundError):
                obstore.delete(self._store, self._key(name))

    def require_put_if_absent(self) -> None:
        """Refuse to write where conditions on a write are ignored; see `Store`.

        Only servers of others are tried, once a process: Amazon, Google and Microsoft have it.
        """
        # A store that ignores conditions would let two writers commit the same version.
        if self._is_of_others() and not self._keeps_what_is_there():
            raise DeltaUnsupportedOperationError(
                "DELTA_STORAGE_NO_PUT_IF_ABSENT.IGNORED", url=self.url
            )

    def _is_of_others(self) -> bool:
        names = {*self._options, *(name for name in os.environ if name.startswith("AWS_"))}
        return self._root.startswith("s3:") and any("endpoint" in name.lower() for name in names)

    def _keeps_what_is_there(self) -> bool:
        known = _tried.get((self._root, self._access))
        if known is None:
            name = unfinished_name("puredelta")
            with self._failures("write", name):
                first, second = (self._create(self._key(name), data) for data in (b"1", b"2"))
            self.delete([name])
            known = first and not second
            if len(_tried) >= _BUCKETS_KEPT:
                _tried.clear()
            _tried[self._root, self._access] = known
            logger.debug("conditional writes at %s: %s", self._root, known)
        return known

    def _patient_store(self, size: int) -> Any:
        """Return a store whose timeout allows an upload over a slow line."""
        needed = timedelta(seconds=size / _SLOWEST)
        client = dict(self._access.client)
        usual = client.get("timeout", _TIMEOUT)
        is_enough = isinstance(usual, timedelta) and needed <= usual
        if is_enough or self._root.startswith("memory:"):
            return self._store
        client["timeout"] = needed
        return _bucket(self._root, replace(self._access, client=tuple(client.items())))

    def _create(self, key: str, data: bytes | mmap.mmap, store: Any = None) -> bool:
        try:
            obstore.put(store or self._store, key, data, mode="create", use_multipart=False)
        except AlreadyExistsError:
            return False
        return True

    def _listed(self, prefix: str, start: str | None) -> Iterator[ObjectInfo]:
        """List what is below a folder, page by page, in the order of the store's keys."""
        # The offset of obstore is exclusive. Cutting a character off lets `start` itself in, and
        # little more.
        offset = self._key(start[:-1]) if start else None
        folder = self._key(prefix) or None
        for page in obstore.list(self._store, prefix=folder, offset=offset, chunk_size=_PAGE):
            yield from map(self._info, page)

    def _without_folders(self, listed: Iterable[ObjectInfo]) -> Iterator[ObjectInfo]:
        """Leave out empty objects that Hadoop put where it wants folders: their key has a slash."""
        return (info for info in listed if info.size > 0 or self._is_object(info.name))

    def _is_object(self, name: str) -> bool:
        try:
            obstore.head(self._store, self._key(name))
        except (NotFoundError, FileNotFoundError):
            return False
        return True

    def _key(self, name: str) -> str:
        return "/".join(part for part in (self._prefix, name) if part)

    def _info(self, item: Mapping[str, Any]) -> ObjectInfo:
        name = item["path"][len(self._prefix) + 1 :] if self._prefix else item["path"]
        return ObjectInfo(name, item["size"], int(item["last_modified"].timestamp() * 1000))

    @contextlib.contextmanager
    def _failures(self, operation: str, name: str) -> Iterator[None]:
        """Turn errors of obstore into ours."""
        try:
            yield
        except BaseException as error:
            if not is_of_obstore(error):
                raise
            raise translate_errors(
                error, operation=operation, url=self.url, name=name, options=self._options
            ) from cause(error, self._options)


# Entries are bounded, since each has the keys and passwords of a bucket.
_BUCKETS_KEPT = 64
_tried: dict[tuple[str, Access], bool] = {}


# Connections are reused, and a memory store must outlive the objects that open it.
@lru_cache(maxsize=_BUCKETS_KEPT)
def _bucket(root: str, access: Access) -> Any:
    if root.startswith("memory:"):
        return MemoryStore()
    config, client = dict(access.config), dict(access.client)
    retries = {"max_retries": access.max_retries, "retry_timeout": access.retry_timeout}
    try:
        # The keys are the user's to choose, and obstore checks them.
        return from_url(
            root,
            config=cast("Any", config),
            client_options=cast("Any", client),
            retry_config=cast("Any", retries),
        )
    except BaseException as error:
        if not is_of_obstore(error):
            raise
        reason = str(error).partition("\n")[0]
        raise DeltaIllegalArgumentError(
            "DELTA_STORAGE_OPTIONS_INVALID",
            url=root,
            scheme=scheme_of(root + "/"),
            reason=without_secrets(reason, config),
        ) from cause(error, config)
