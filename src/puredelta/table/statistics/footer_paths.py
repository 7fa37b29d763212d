"""The names on the way to each column of a Parquet file, which may hold dots themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from puredelta.table.statistics.indexed_columns import Path
from puredelta.table.statistics.parquet_schema import Node, root_of


def column_paths(footer: Any) -> list[Path]:
    """List the paths of the columns of a file, in order.

    Args:
        footer: A `pyarrow.parquet.FileMetaData`.
    """
    known = [_path(footer.schema.column(number)) for number in range(footer.num_columns)]
    paths = [path for path in known if path is not None]
    return paths if len(paths) == len(known) else list(_leaves(root_of(footer)))


def _path(column: Any) -> Path | None:
    """Return a path that can be told without the groups of the file, as nearly all can."""
    if column.name == column.path:
        return (column.path,)
    # Each part that is not required counts: as many as there can be, so no name holds a dot.
    if column.max_definition_level == column.path.count(".") + 1:
        return tuple(column.path.split("."))
    return None


def _leaves(group: Node, above: Path = ()) -> Iterator[Path]:
    for node in group.children:
        path = (*above, node.name)
        if node.is_group:
            yield from _leaves(node, path)
        else:
            yield path
