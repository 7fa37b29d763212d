"""Which store serves which scheme of URL."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from puredelta.errors import DeltaIllegalArgumentError
from puredelta.storage.local import LocalStore
from puredelta.storage.location import scheme_of, table_url
from puredelta.storage.object_store import ObjectStore
from puredelta.storage.store import Store

StoreFactory: TypeAlias = Callable[[str, Mapping[str, str]], Store]


def open_store(url: str, options: Mapping[str, str] | None = None) -> Store:
    """Open the store of a table.

    Args:
        url: Its URL, or a path on this machine.
        options: What the store needs to get in.

    Raises:
        DeltaIllegalArgumentError: Nobody serves the scheme, or the options are not right.
    """
    url = table_url(url)
    scheme = scheme_of(url)
    if scheme not in _factories:
        raise DeltaIllegalArgumentError(
            "DELTA_STORAGE_SCHEME_NOT_SUPPORTED", url=url, scheme=scheme, schemes=sorted(_factories)
        )
    return _factories[scheme](url, options or {})


def register_scheme(scheme: str, factory: StoreFactory) -> None:
    """Let `factory` open the URLs of a scheme, in place of what opened them before."""
    _factories[scheme.lower()] = factory


def _open_local(url: str, _: Mapping[str, str]) -> Store:
    return LocalStore(url)


def _open_object_store(url: str, options: Mapping[str, str]) -> Store:
    return ObjectStore(url, options)


_OBJECT_STORE_SCHEMES = ("s3", "s3a", "s3n", "gs", "gcs", "az", "abfs", "abfss", "memory")

_factories: dict[str, StoreFactory] = {
    "file": _open_local,
    **dict.fromkeys(_OBJECT_STORE_SCHEMES, _open_object_store),
}
