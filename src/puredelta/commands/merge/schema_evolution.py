"""Which columns of its source the clauses of a MERGE WITH SCHEMA EVOLUTION bring to its target."""

from collections.abc import Iterator

from pyspark.sql.types import StructType

from puredelta.commands.dml.column_paths import Path, new_path, target_path
from puredelta.commands.merge.clauses import DeleteClause, MergeClauses


def assigned_columns(
    clauses: MergeClauses, target: StructType, alias: Path
) -> Iterator[Path | None]:
    """Yield the paths that clauses assign to by name; None for `*`, which takes all of the source.

    WHEN NOT MATCHED BY SOURCE sees no source, so it brings nothing.

    Args:
        clauses: the clauses.
        target: the target's columns.
        alias: what the target is called.
    """
    for clause in (*clauses.matched, *clauses.not_matched):
        if isinstance(clause, DeleteClause):
            continue
        if clause.assignments is None:
            yield None
            continue
        for assignment in clause.assignments:
            path = target_path(assignment.path, alias, target)
            yield path or new_path(assignment.path, alias)
