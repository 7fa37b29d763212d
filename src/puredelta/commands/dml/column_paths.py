"""Which column of the target a clause assigns to, as the user names it.

Pure: names in, names out. As everywhere in Delta, case does not distinguish columns.
"""

from collections.abc import Iterator, Sequence

from pyspark.sql.types import DataType, StructType

Path = tuple[str, ...]


def target_path(given: Path, alias: Path, schema: StructType) -> Path | None:
    """Return a column or a field of the target in its own spelling; None where there is none.

    Args:
        given: its path, with what the target is called in front or without.
        alias: what the target is called, in parts.
        schema: the target's columns.
    """
    for path in _unqualified(given, alias):
        found = _spelled(path, schema)
        if found is not None:
            return found
    return None


def new_path(given: Path, alias: Path) -> Path:
    """Return the path of a column that the target does not have."""
    return next(_unqualified(given, alias))


def overlapping(paths: Sequence[Path]) -> list[Path]:
    """Return the paths that are assigned to twice, in whole or in part."""
    lowered = [tuple(name.lower() for name in path) for path in paths]
    return [
        path
        for place, (path, low) in enumerate(zip(paths, lowered, strict=True))
        if any(_is_within(low, other) for i, other in enumerate(lowered) if i != place)
    ]


def _is_within(path: Path, other: Path) -> bool:
    shared = min(len(path), len(other))
    return path[:shared] == other[:shared]


def _unqualified(given: Path, alias: Path) -> Iterator[Path]:
    """Yield what a path may mean: first without the table's name, longest form first."""
    lowered = tuple(name.lower() for name in given)
    for start in range(len(alias)):
        name = tuple(part.lower() for part in alias[start:])
        if len(given) > len(name) and lowered[: len(name)] == name:
            yield given[len(name) :]
    yield given


def _spelled(path: Path, schema: StructType) -> Path | None:
    spelled: list[str] = []
    inner: DataType = schema
    for name in path:
        if not isinstance(inner, StructType):
            return None
        field = next((part for part in inner if part.name.lower() == name.lower()), None)
        if field is None:
            return None
        spelled.append(field.name)
        inner = field.dataType
    return tuple(spelled)
