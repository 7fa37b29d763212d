"""Where a table of a trial lies: a folder of this machine, or a prefix of an object store."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tests.endurance.kills.object_server import ObjectServer


class Place(Protocol):
    """A table's folder, whatever holds it."""

    @property
    def url(self) -> str:
        """How the table is named."""

    @property
    def options(self) -> Mapping[str, str]:
        """What it takes to get in."""

    def names(self) -> set[str]:
        """Name the files at any depth, below the folder."""

    def read(self, name: str) -> bytes:
        """Return a file."""

    def copy(self, name: str) -> "Place":
        """Return a copy beside it, all times included."""

    def remove(self) -> None:
        """Remove all that is there."""


@dataclass(frozen=True)
class LocalPlace:
    """A folder of this machine."""

    folder: Path

    @property
    def url(self) -> str:
        return str(self.folder)

    @property
    def options(self) -> Mapping[str, str]:
        return {}

    def names(self) -> set[str]:
        return {
            str(file.relative_to(self.folder)) for file in self.folder.rglob("*") if file.is_file()
        }

    def read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def copy(self, name: str) -> "LocalPlace":
        made = self.folder.with_name(name)
        if self.folder.exists():
            shutil.copytree(self.folder, made)
        return LocalPlace(made)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True)
class ObjectPlace:
    """A prefix of the bucket of an object server in this process."""

    server: ObjectServer = field(repr=False)
    prefix: str

    @property
    def url(self) -> str:
        return f"s3://{self.server.bucket}/{self.prefix}"

    @property
    def options(self) -> Mapping[str, str]:
        return self.server.options

    def names(self) -> set[str]:
        return self.server.names(f"{self.prefix}/")

    def read(self, name: str) -> bytes:
        return self.server.objects[f"{self.prefix}/{name}"][0]

    def copy(self, name: str) -> "ObjectPlace":
        self.server.copy(f"{self.prefix}/", f"{name}/")
        return ObjectPlace(self.server, name)

    def remove(self) -> None:
        self.server.drop(f"{self.prefix}/")
