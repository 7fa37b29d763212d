"""Hostile tables in Spark: the rows that Python reads, or an error of puredelta or Spark.

That no expression of a log runs is proved by `tests/spark/test_stored_expressions.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import puredelta
from puredelta.errors import DeltaError
from tests.endurance.hostile.kind import Kind, Outcome
from tests.endurance.hostile.kinds import ALL
from tests.endurance.profile import IS_LONG

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.endurance.hostile.conftest import SoundTables

_SUBJECTS = ("schemas", "paths", "partition_values", "vectors", "expressions")
# Spark opens whatever a path names, and waits where Python refuses.
_LEFT_OUT = ("_pipe", "_device", "standard_input", "_zeros")
_SHORT = (
    "names_of_quotes",
    "names_of_sql",
    "names_of_paths",
    "path_of_text_outside",
    "path_of_escaped_dots",
    "path_with_spare_escapes",
    "value_of_a_path",
    "vector_path_out",
    "vector_prefix_out",
    "vector_of_two_billion_rows",
    "vector_of_many_billion_rows",
    "constraint_of_a_statement",
    "schema_of_a_thousand_levels",
)
KINDS = [
    kind
    for kind in ALL
    if kind.subject in _SUBJECTS
    and not any(word in kind.name for word in _LEFT_OUT)
    and (IS_LONG or kind.name in _SHORT)
]


def _read(spark: SparkSession, path: Path) -> list[str]:
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        rows = spark.read.format("delta").load(str(path)).collect()
    except (DeltaError, PySparkException, Py4JJavaError) as error:
        return [f"refused: {type(error).__name__}"]
    return sorted(repr(row.asDict()) for row in rows)


def _read_without_spark(path: Path) -> list[str] | None:
    try:
        return sorted(map(repr, puredelta.open_table(path).to_arrow().to_pylist()))
    except DeltaError:
        return None


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_spark_reads_hostile_table_as_python_does_or_refuses(
    kind: Kind, spark: SparkSession, tmp_path: Path, sound_tables: SoundTables
) -> None:
    path = sound_tables.copy(kind.table, tmp_path)
    kind.change(path)
    found = _read(spark, path)
    if found and found[0].startswith("refused: "):
        return
    if kind.outcome in (Outcome.SOUND, Outcome.EITHER):
        assert len(found) == len(sound_tables.rows(kind.table))
    expected = _read_without_spark(path)
    assert kind.outcome is not Outcome.REFUSED or expected == found
    if expected is not None:
        assert found == expected
