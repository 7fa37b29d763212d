"""The files that delete rows of an Iceberg table, as its manifests list them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pyiceberg.avro.file import AvroFile
from pyiceberg.manifest import DataFileContent, ManifestEntryStatus

from puredelta.conversion.iceberg.locations import StoreFiles

# Iceberg's numbers of the fields of a manifest; pyiceberg knows the last three of version 3 only.
_STATUS, _SEQUENCE, _FILE = 0, 3, 2
_CONTENT, _PATH, _FORMAT = 134, 100, 101
_REFERENCED, _OFFSET, _LENGTH = 143, 144, 145


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """A file that deletes rows of others, or a part of one.

    Attributes:
        path: Where it is.
        format: PARQUET, PUFFIN, ...
        by_position: Does it number rows? It names values that deleted rows have otherwise.
        sequence: Rows of files that came after it are not deleted.
        data_file: The only file whose rows it deletes; None when it says that itself.
        offset: Where in the file the row numbers begin.
        length: How many bytes they have.
    """

    path: str
    format: str
    by_position: bool
    sequence: int
    data_file: str | None = None
    offset: int | None = None
    length: int | None = None


def delete_files(manifests: Iterable[Any], source: StoreFiles) -> Iterator[DeleteFile]:
    """Read the files that delete rows from the manifests that list them."""
    for manifest in manifests:
        with AvroFile[Any](source.new_input(manifest.manifest_path)) as reader:
            entries = {field.field_id: place for place, field in enumerate(reader.schema.fields)}
            inner = reader.schema.find_field(_FILE).field_type.fields
            places = {column.field_id: place for place, column in enumerate(inner)}
            for entry in reader:
                if entry[entries[_STATUS]] != ManifestEntryStatus.DELETED:
                    sequence = entry[entries[_SEQUENCE]]
                    known = manifest.sequence_number if sequence is None else sequence
                    yield _delete_file(entry[entries[_FILE]], places, known)


def _delete_file(file: Any, places: dict[int, int], sequence: int) -> DeleteFile:
    def value(number: int) -> Any:
        return file[places[number]] if number in places else None

    return DeleteFile(
        path=value(_PATH),
        format=str(value(_FORMAT)).upper(),
        by_position=value(_CONTENT) == DataFileContent.POSITION_DELETES,
        sequence=sequence,
        data_file=value(_REFERENCED),
        offset=value(_OFFSET),
        length=value(_LENGTH),
    )
