"""The catalogue of hostile kinds, a module for each subject."""

from tests.endurance.hostile.kind import Kind
from tests.endurance.hostile.kinds import (
    checkpoints,
    checksums,
    commits,
    expressions,
    hints,
    partition_values,
    paths,
    protocols,
    schemas,
    statistics,
    vectors,
)

ALL: list[Kind] = [
    kind
    for module in (
        checkpoints,
        checksums,
        commits,
        expressions,
        hints,
        partition_values,
        paths,
        protocols,
        schemas,
        statistics,
        vectors,
    )
    for kind in module.KINDS.found
]
"""All kinds that are read; `vacuum` has those that are deleted from."""
