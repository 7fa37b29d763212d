"""Spark's session catalog: where it puts tables, and how it is told of a new one."""

from typing import Any

from pyspark.sql import SparkSession

from puredelta.engine.scala import copied, new_case_class
from puredelta.engine.spark import hadoop_path, jvm_of


def default_location(session: SparkSession, database: str, table: str) -> str:
    """Return where the session catalog puts a managed table."""
    place = _catalog(session).defaultTablePath(_identifier(session, database, table))
    return hadoop_path(session, jvm_of(session).org.apache.hadoop.fs.Path(place).toString())


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
    jvm = jvm_of(session)
    some = jvm.scala.Some
    kinds = getattr(jvm.org.apache.spark.sql.catalyst.catalog, "CatalogTableType$")
    kind = getattr(kinds, "MODULE$")
    uri = jvm.org.apache.hadoop.fs.Path(location).toUri()
    formats = getattr(jvm.org.apache.spark.sql.catalyst.catalog, "CatalogStorageFormat$")
    storage = copied(getattr(formats, "MODULE$").empty(), locationUri=some(uri))
    entry = new_case_class(
        jvm,
        "org.apache.spark.sql.catalyst.catalog.CatalogTable",
        _identifier(session, database, table),
        kind.MANAGED() if is_managed else kind.EXTERNAL(),
        storage,
        jvm.org.apache.spark.sql.types.StructType(),
    )
    entry = copied(entry, provider=some("delta"), tracksPartitionsInCatalog=True)
    _catalog(session).createTable(entry, False, False)


def _catalog(session: SparkSession) -> Any:
    return session._jsparkSession.sessionState().catalog()


def _identifier(session: SparkSession, database: str, table: str) -> Any:
    jvm = jvm_of(session)
    return jvm.org.apache.spark.sql.catalyst.TableIdentifier(table, jvm.scala.Some(database))
