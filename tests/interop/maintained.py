"""Maintenance of the tables of one side by the other: what is done, and the rows before and after.

It is the same code on both sides, so it needs only PySpark.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.interop.features.catalogue import FEATURE_TABLES
from tests.interop.features.scenario import SESSION_SETTINGS, make, other, place
from tests.interop.making import lines_of
from tests.interop.observe import in_threads

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Tables of the features that maintenance has to keep, each with a version to go back to.
TABLES = {
    "checkpoints_with_struct_statistics": 4,
    "mapping_upgraded": 7,
    "vectors_partitioned": 3,
    "vectors_of_a_shallow_clone": 1,
    "row_tracking_later": 4,
    "clustered": 1,
    "clustered_and_mapped": 1,
    "vectors_with_change_data": 3,
}
# What the tables do not allow: without clustering columns there is no FULL, with them no order.
UNFIT = frozenset(
    {(name, "full") for name in TABLES if name != "clustered_and_mapped"}
    | {("clustered", "zorder"), ("clustered_and_mapped", "zorder")}
    # Its column of ids has another name by then.
    | {("clustered_and_mapped", "clone")}
)

_SETTINGS = {**SESSION_SETTINGS, "spark.databricks.delta.retentionDurationCheck.enabled": "false"}

WORK = {
    "optimize": ("OPTIMIZE {t}",),
    "zorder": ("OPTIMIZE {t} ZORDER BY (id)",),
    "full": ("OPTIMIZE {t} FULL",),
    "vacuum": ("VACUUM {t} RETAIN 0 HOURS",),
    "restore": ("RESTORE TABLE {t} TO VERSION AS OF {v}",),
    "reorg": ("REORG TABLE {t} APPLY (PURGE)",),
    # The files of the source are not the clone's to delete.
    "clone": (
        "CREATE TABLE {t} SHALLOW CLONE {other}",
        "DELETE FROM {t} WHERE id = 3",
        "INSERT INTO {t} SELECT * FROM {other} WHERE id = 3",
        "OPTIMIZE {t}",
        "VACUUM {t} RETAIN 0 HOURS",
    ),
}
# What a statement leaves of the rows.
KEEPS_ROWS = frozenset(WORK) - {"restore"}

PAIRS = tuple((name, work) for name in TABLES for work in WORK if (name, work) not in UNFIT)


@dataclass(frozen=True)
class Maintained:
    """What one side did to the tables of the other.

    Attributes:
        folder: The tables that came of it, each of the name of table and work.
        rows: The rows of each, as the side read them, or what went wrong.
    """

    folder: Path
    rows: dict[str, Any]


def key(name: str, work: str) -> str:
    """The name of the table that comes of a work."""
    return f"{name}.{work}"


def make_sources(spark: SparkSession, folder: Path) -> None:
    """Make the tables, as the catalogue says."""

    def one(name: str) -> None:
        make(spark, FEATURE_TABLES[name], folder / name)

    made = in_threads(one, list(TABLES))
    assert not any(made.values()), made


def maintain(spark: SparkSession, sources: Path, folder: Path) -> dict[str, Any]:
    """Do all work on copies of the tables.

    Args:
        spark: A session.
        sources: The folder of the tables, which stay as they are.
        folder: Where the copies come to lie.

    Returns:
        The rows of each copy afterwards.
    """
    folder.mkdir(exist_ok=True)

    def one(pair: str) -> list[str]:
        name, _, work = pair.partition(".")
        path, session = folder / pair, spark.newSession()
        for setting, value in _SETTINGS.items():
            session.conf.set(setting, value)
        shutil.copytree(sources / name, other(path) if work.startswith("clone") else path)
        for statement in WORK[work]:
            session.sql(place(statement, path).replace("{v}", str(TABLES[name])))
        return lines_of(session, path)

    return in_threads(one, [key(*pair) for pair in PAIRS])


def read_maintained(spark: SparkSession, folder: Path) -> dict[str, Any]:
    """Read what came of all work."""
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    return in_threads(lambda pair: lines_of(spark, folder / pair), [key(*pair) for pair in PAIRS])
