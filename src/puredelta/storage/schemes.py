"""Which store serves which scheme of URL, and with which options."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from puredelta.errors import DeltaIllegalArgumentError
from puredelta.storage.local import LocalStore
from puredelta.storage.location import scheme_of, table_url
from puredelta.storage.object_store import ObjectStore
from puredelta.storage.store import Store

StoreFactory: TypeAlias = Callable[[str, Mapping[str, str]], Store]
OptionSource: TypeAlias = Callable[[str], Mapping[str, str]]


def open_store(url: str, options: Mapping[str, str] | None = None) -> Store:
    """Open the store of a table.

    Args:
        url: Its URL, or a path on this machine.
        options: What the store needs to get in; see `options_for`.

    Raises:
        DeltaIllegalArgumentError: No store serves the scheme, or the options are invalid.
    """
    url = table_url(url)
    scheme = scheme_of(url)
    factory = _factories.get(scheme) or _provider.others
    if factory is None:
        raise DeltaIllegalArgumentError(
            "DELTA_STORAGE_SCHEME_NOT_SUPPORTED", url=url, scheme=scheme, schemes=sorted(_factories)
        )
    return factory(url, options_for(url, options))


def place_of(
    url: str, store: Store, root: str, open_folder: Callable[[str], Store] = open_store
) -> tuple[Store, str]:
    """Return by which store, and by which name in it, a file is read.

    Args:
        url: The file's.
        store: The files of the table.
        root: Its URL.
        open_folder: Opens the folder of a file that lies outside of the table.
    """
    if url.startswith(root + "/"):
        return store, url[len(root) + 1 :]
    folder, _, name = url.rpartition("/")
    return open_folder(folder), name


def options_for(url: str, options: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return all that a table's store is opened with.

    Options of the table override those of the process, such as the settings of a Spark session.
    Local files need none.

    Args:
        url: Where the table lies.
        options: The options of the table.
    """
    url = table_url(url)
    if scheme_of(url) in _WITHOUT_OPTIONS:
        return {}
    general = _provider.options(url) if _provider.options is not None else {}
    return {**general, **(options or {})}


def register_scheme(scheme: str, factory: StoreFactory) -> None:
    """Let `factory` open the URLs of a scheme; it replaces an earlier one."""
    _factories[scheme.lower()] = factory


def register_store_provider(options: OptionSource, others: StoreFactory) -> None:
    """Register options and stores of the process, such as a Spark session's; replaces earlier ones.

    Args:
        options: Returns the options for a URL, which those of the table override.
        others: Opens the URLs whose scheme has no factory.
    """
    _provider.options = options
    _provider.others = others


@dataclass(slots=True)
class _StoreProvider:
    options: OptionSource | None = None
    others: StoreFactory | None = None


def _open_local(url: str, _: Mapping[str, str]) -> Store:
    return LocalStore(url)


def _open_object_store(url: str, options: Mapping[str, str]) -> Store:
    return ObjectStore(url, options)


_WITHOUT_OPTIONS = frozenset({"file", "memory"})
_OBJECT_STORE_SCHEMES = (
    *("s3", "s3a", "s3n"),
    *("gs", "gcs"),
    *("az", "abfs", "abfss", "wasb", "wasbs"),
    "memory",
)

_factories: dict[str, StoreFactory] = {
    "file": _open_local,
    **dict.fromkeys(_OBJECT_STORE_SCHEMES, _open_object_store),
}
_provider = _StoreProvider()
