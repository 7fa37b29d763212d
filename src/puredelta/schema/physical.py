"""The names under which files and the log know the columns of a table that maps them.

Protocol: Column Mapping.
"""

from collections.abc import Sequence

from puredelta.schema.datatypes import StructField, StructType

PHYSICAL_NAME_KEY = "delta.columnMapping.physicalName"


def name_in_files(field: StructField) -> str:
    """Return the physical name of a field, which is its own where columns are not mapped."""
    name = field.metadata.get(PHYSICAL_NAME_KEY)
    return name if isinstance(name, str) else field.name


def logical_path(path: Sequence[str], schema: StructType) -> tuple[str, ...] | None:
    """Return the names that users have for a physical path; None when it is not there."""
    names: list[str] = []
    inside: object = schema
    for part in path:
        if not isinstance(inside, StructType):
            return None
        field = next(
            (inner for inner in inside if name_in_files(inner).lower() == part.lower()), None
        )
        if field is None:
            return None
        names.append(field.name)
        inside = field.data_type
    return tuple(names)


def physical_path(path: Sequence[str], schema: StructType) -> tuple[str, ...]:
    """Return the names that files have for a path of users; what is not there stays as it is."""
    names: list[str] = []
    inside: object = schema
    for part in path:
        field = inside.field(part) if isinstance(inside, StructType) else None
        names.append(part if field is None else name_in_files(field))
        inside = None if field is None else field.data_type
    return tuple(names)
