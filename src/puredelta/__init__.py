"""Delta Lake for PySpark, in Python, without JARs.

    import puredelta
    from pyspark.sql import SparkSession

    spark = puredelta.configure(SparkSession.builder).getOrCreate()

Names are loaded when they are first used: `open_table`, `write_table`,
`puredelta.log` and the command line need no Spark.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from puredelta.api.last_commit import last_commit
    from puredelta.delta_alias import install_as_delta
    from puredelta.rows.open_table import OpenTable, open_table
    from puredelta.rows.write_table import TableWritten, write_table
    from puredelta.session import (
        configure,
        configure_spark_with_delta_pip,
        enable,
    )
    from puredelta.table.check import check_table
    from puredelta.tables import DeltaTable
    from puredelta.version import __version__

__all__ = [
    "DeltaTable",
    "OpenTable",
    "TableWritten",
    "__version__",
    "check_table",
    "configure",
    "configure_spark_with_delta_pip",
    "enable",
    "install_as_delta",
    "last_commit",
    "open_table",
    "write_table",
]

_HOMES = {
    "DeltaTable": "puredelta.tables",
    "OpenTable": "puredelta.rows.open_table",
    "TableWritten": "puredelta.rows.write_table",
    "__version__": "puredelta.version",
    "check_table": "puredelta.table.check",
    "configure": "puredelta.session",
    "configure_spark_with_delta_pip": "puredelta.session",
    "enable": "puredelta.session",
    "install_as_delta": "puredelta.delta_alias",
    "last_commit": "puredelta.api.last_commit",
    "open_table": "puredelta.rows.open_table",
    "write_table": "puredelta.rows.write_table",
}
_MODULES = ("api", "exceptions", "log", "session", "tables", "version")


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(f"puredelta.{name}")
    raise AttributeError(f"module 'puredelta' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
