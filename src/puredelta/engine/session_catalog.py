"""Spark's session catalog: where it puts tables, and how it is told of a new one."""

from typing import Any

from pyspark.sql import SparkSession

from puredelta.engine.bridge.classes import new, scala_object
from puredelta.engine.paths import hadoop_path
from puredelta.engine.scala import copied, new_case_class

_CATALOG = "org.apache.spark.sql.catalyst.catalog"


def default_location(session: SparkSession, database: str, table: str) -> str:
    """Return where the session catalog puts a managed table."""
    place = _catalog(session).defaultTablePath(_identifier(database, table))
    return hadoop_path(session, new("org.apache.hadoop.fs.Path", place).toString())


def register(
    session: SparkSession, database: str, table: str, location: str, *, is_managed: bool
) -> None:
    """Tell the session catalog of a table.

    It keeps no copy of columns and properties: the log has them, and a copy goes stale. The V2
    catalog's own way would refuse a place that holds files, which ours does by now.

    Args:
        session: whose catalog.
        database: the table's database.
        table: its name in it.
        location: where it lies.
        is_managed: dropping the table deletes its files.
    """
    kinds = scala_object(f"{_CATALOG}.CatalogTableType")
    uri = new("org.apache.hadoop.fs.Path", location).toUri()
    nothing = scala_object(f"{_CATALOG}.CatalogStorageFormat").empty()
    entry = new_case_class(
        f"{_CATALOG}.CatalogTable",
        _identifier(database, table),
        kinds.MANAGED() if is_managed else kinds.EXTERNAL(),
        copied(nothing, locationUri=new("scala.Some", uri)),
        new("org.apache.spark.sql.types.StructType"),
    )
    entry = copied(entry, provider=new("scala.Some", "delta"), tracksPartitionsInCatalog=True)
    _catalog(session).createTable(entry, False, False)


def _catalog(session: SparkSession) -> Any:
    return session._jsparkSession.sessionState().catalog()


def _identifier(database: str, table: str) -> Any:
    name = "org.apache.spark.sql.catalyst.TableIdentifier"
    return new(name, table, new("scala.Some", database))
