"""Where the files of an Iceberg table lie: its metadata says so with whole URLs."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from puredelta.conversion.footers import StoreFooters
from puredelta.storage.location import scheme_of, table_url
from puredelta.storage.schemes import open_store
from puredelta.storage.store import Store
from puredelta.storage.store_aliases import canonical_store_url


@dataclass(frozen=True, slots=True)
class Locations:
    """Turns the URLs of Iceberg's metadata into names below the folder of the table.

    Attributes:
        url: The folder.
        recorded: Where the metadata says that the folder is. It may call the same store by another
            name, or the folder may have been copied; its files are then those of the copy.
    """

    url: str
    recorded: str

    def name(self, location: str) -> str:
        """Return the name of a file below the folder, or its URL when it lies elsewhere.

        >>> Locations("s3a://b/t", "s3://b/t").name("s3://b/t/data/p=1/f.parquet")
        'data/p=1/f.parquet'
        >>> Locations("s3a://b/t", "s3://b/t").name("s3://b/other/f.parquet")
        's3://b/other/f.parquet'
        """
        wanted = canonical_store_url(location)
        for folder in _folders(self.url, self.recorded):
            if wanted.startswith(folder + "/"):
                return wanted[len(folder) + 1 :]
        return table_url(location)


@dataclass(slots=True)
class StoreFiles:
    """Reads files for pyiceberg: what it calls a FileIO, over the stores of this package.

    Attributes:
        store: The files of the table.
        locations: Their names.
        options: What other stores need to get in.
    """

    store: Store
    locations: Locations
    options: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def footers(self) -> StoreFooters:
        """Reads the ends of data files."""
        return StoreFooters(self.store, self.options)

    def new_input(self, location: str) -> StoreFile:
        """Return a file; it is read when it is opened."""
        return StoreFile(self, location)

    def read(self, location: str) -> bytes:
        """Return the content of a file.

        Raises:
            ObjectNotFound: There is none.
        """
        name = self.locations.name(location)
        if not scheme_of(name):
            return self.store.read(name)
        folder, _, last = name.rpartition("/")
        return open_store(folder, self.options).read(last)


@dataclass(frozen=True, slots=True)
class StoreFile:
    """A file, as pyiceberg wants to have it."""

    files: StoreFiles
    location: str

    def open(self, seekable: bool = True) -> io.BytesIO:  # noqa: FBT001, FBT002  # pyiceberg's
        """Return the content."""
        del seekable
        return io.BytesIO(self.files.read(self.location))


@lru_cache(maxsize=16)
def _folders(*urls: str) -> tuple[str, ...]:
    return tuple(canonical_store_url(url) for url in urls)
