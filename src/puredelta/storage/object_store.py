"""Object stores through obstore: S3, Google Cloud Storage, Azure, and memory."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, cast

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError
from obstore.store import MemoryStore, from_url

from puredelta.errors import DeltaIllegalArgumentError, DeltaRuntimeError
from puredelta.storage.location import scheme_of, table_url
from puredelta.storage.store import ObjectInfo, ObjectNotFound

# Names that Hadoop has for what obstore knows under one.
_SAME_STORE = {"s3a": "s3", "s3n": "s3", "gcs": "gs"}

# What obstore takes for its HTTP client, apart from what it takes for the store.
_CLIENT_OPTIONS = frozenset(
    {
        "allow_http",
        "allow_invalid_certificates",
        "connect_timeout",
        "pool_idle_timeout",
        "pool_max_idle_per_host",
        "proxy_ca_certificate",
        "proxy_excludes",
        "proxy_url",
        "timeout",
        "user_agent",
    }
)

_READERS = 16


class ObjectStore:
    """The objects below one prefix of a bucket or container.

    Args:
        url: The table: `s3://bucket/a/b`. The scheme stays as given; `s3a` and `s3n` mean `s3`.
        options: What obstore needs to get in, under its names (`aws_access_key_id`,
            `aws_endpoint`, `allow_http` ...); what is not given comes from the environment.
    """

    def __init__(self, url: str, options: Mapping[str, str] | None = None) -> None:
        self.url = table_url(url)
        scheme, _, rest = self.url.partition("://")
        authority, _, self._prefix = rest.partition("/")
        root = f"{_SAME_STORE.get(scheme, scheme)}://{authority}"
        self._store = _bucket(root, tuple(sorted((options or {}).items())))

    def __repr__(self) -> str:
        return f"ObjectStore({self.url!r})"

    def list_from(self, prefix: str, start: str | None = None) -> list[ObjectInfo]:
        """List the objects of a folder by name; see `Store.list_from`."""
        # The offset of obstore is exclusive. Cutting a character off lets `start` itself in, and
        # little more.
        offset = self._key(start[:-1]) if start else None
        with self._failures("list", prefix):
            pages = obstore.list(self._store, prefix=self._key(prefix) or None, offset=offset)
            found = [self._info(item) for page in pages for item in page]
        above = len(prefix) + 1 if prefix else 0
        wanted = (
            info
            for info in found
            if "/" not in info.name[above:] and (start is None or info.name >= start)
        )
        return sorted(wanted, key=lambda info: info.name)

    def read(self, name: str) -> bytes:
        """Return a whole object."""
        with self._failures("read", name):
            return bytes(obstore.get(self._store, self._key(name)).bytes())

    def read_all(self, names: Sequence[str]) -> list[bytes]:
        """Return several objects, fetched side by side."""
        if len(names) < 2:
            return [self.read(name) for name in names]
        with ThreadPoolExecutor(min(_READERS, len(names))) as pool:
            return list(pool.map(self.read, names))

    def read_range(self, name: str, start: int, length: int) -> bytes:
        """Return a part of an object."""
        with self._failures("read", name):
            part = obstore.get_range(self._store, self._key(name), start=start, length=length)
        return bytes(part)

    def info(self, name: str) -> ObjectInfo | None:
        """Say what is known of an object, or None when there is none."""
        with self._failures("look up", name):
            try:
                return self._info(obstore.head(self._store, self._key(name)))
            except (NotFoundError, FileNotFoundError):
                return None

    def put_if_absent(self, name: str, data: bytes) -> bool:
        """Create an object unless there is one; the store itself decides who was first."""
        with self._failures("write", name):
            try:
                obstore.put(self._store, self._key(name), data, mode="create", use_multipart=False)
            except AlreadyExistsError:
                return False
        return True

    def put(self, name: str, data: bytes) -> None:
        """Create or replace an object."""
        with self._failures("write", name):
            obstore.put(self._store, self._key(name), data)

    def delete(self, names: Sequence[str]) -> None:
        """Remove objects; those that are not there are passed over."""
        for name in names:
            with self._failures("delete", name), contextlib.suppress(NotFoundError):
                obstore.delete(self._store, self._key(name))

    def _key(self, name: str) -> str:
        return "/".join(part for part in (self._prefix, name) if part)

    def _info(self, item: Mapping[str, Any]) -> ObjectInfo:
        name = item["path"][len(self._prefix) + 1 :] if self._prefix else item["path"]
        return ObjectInfo(name, item["size"], int(item["last_modified"].timestamp() * 1000))

    @contextlib.contextmanager
    def _failures(self, operation: str, name: str) -> Iterator[None]:
        """Turn errors of obstore into ours."""
        path = f"{self.url}/{name}"
        try:
            yield
        except (NotFoundError, FileNotFoundError) as error:
            raise ObjectNotFound("DELTA_FILE_OR_DIR_NOT_FOUND", path=path) from error
        except BaseError as error:
            raise DeltaRuntimeError(
                "DELTA_STORAGE_FAILURE", operation=operation, path=path, reason=_first_line(error)
            ) from error


# Connections are worth keeping, and what lies in memory lives as long as its store.
@lru_cache(maxsize=64)
def _bucket(root: str, options: tuple[tuple[str, str], ...]) -> Any:
    client = {key.lower(): value for key, value in options if key.lower() in _CLIENT_OPTIONS}
    config = {key: value for key, value in options if key.lower() not in _CLIENT_OPTIONS}
    if root.startswith("memory:"):
        return MemoryStore()
    try:
        # The keys are the user's to choose, and obstore checks them.
        return from_url(root, config=cast("Any", config), client_options=cast("Any", client))
    except (BaseError, ValueError) as error:
        raise DeltaIllegalArgumentError(
            "DELTA_STORAGE_OPTIONS_INVALID",
            url=root,
            scheme=scheme_of(root + "/"),
            reason=_first_line(error),
        ) from error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
