"""Entries of Spark's session catalog: read, made and changed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from puredelta.engine.bridge.classes import new, scala_object
from puredelta.engine.session.paths import hadoop_path
from puredelta.engine.session.scala import copied, new_case_class
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.storage.location import decode_path

SESSION_CATALOG = "spark_catalog"

_CATALOG = "org.apache.spark.sql.catalyst.catalog"
HIVE = "hive"
_WITH_DATABASE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry:
    """What the session catalog knows of a table or view.

    Attributes:
        database: where it is.
        table: its name there.
        is_view: it is a view.
        provider: its format in small letters; `hive` where only Hive's classes define it.
        serde: the class by which Hive reads it; empty for tables of Spark's own.
        location: its folder, as Hadoop names it; empty for a view.
        schema: its columns as JSON, the partition columns last.
        partition_columns: their names.
        lists_partitions: the catalog lists the partitions.
        properties: those that users set.
        comment: what users say of it; None where they say nothing.
    """

    database: str
    table: str
    is_view: bool
    provider: str
    serde: str
    location: str
    schema: str
    partition_columns: tuple[str, ...]
    lists_partitions: bool
    properties: Mapping[str, str]
    comment: str | None


@dataclass(frozen=True, slots=True)
class CatalogPartition:
    """A partition that the session catalog knows.

    Attributes:
        values: the texts of its values by column.
        location: its folder, as Hadoop names it.
    """

    values: Mapping[str, str]
    location: str


def default_location(session: SparkSession, database: str, table: str) -> str:
    """Return where the session catalog puts a managed table."""
    place = _catalog(session).defaultTablePath(_identifier(database, table))
    return hadoop_path(session, new("org.apache.hadoop.fs.Path", place).toString())


def register(
    session: SparkSession, database: str, table: str, location: str, *, is_managed: bool
) -> None:
    """Register a table with the session catalog.

    It keeps no copy of columns and properties: the log has them, and a copy goes stale. The V2
    catalog would refuse a location that has files, and ours has them by now.

    Args:
        session: whose catalog.
        database: the table's database.
        table: its name in it.
        location: where it lies.
        is_managed: dropping the table deletes its files.
    """
    entry = new_entry(database, table, location, is_managed=is_managed)
    # The last argument keeps Spark from refusing a folder that has files.
    _catalog(session).createTable(entry, False, False)


def new_entry(database: str, table: str, location: str, *, is_managed: bool) -> Any:
    """Return what Spark's catalog would know of a table, as its `CatalogTable`.

    Args:
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
    return copied(entry, provider=new("scala.Some", "delta"), tracksPartitionsInCatalog=True)


def entry_of(session: SparkSession, parts: Sequence[str]) -> CatalogEntry:
    """Return what the catalog knows of a name; temporary views are not in it.

    Args:
        session: whose catalog, and whose current database.
        parts: the database, if the name has one, and the table.

    Raises:
        DeltaAnalysisError: TABLE_OR_VIEW_NOT_FOUND.
    """
    catalog = _catalog(session)
    database = parts[0] if len(parts) == _WITH_DATABASE else str(catalog.getCurrentDatabase())
    name = _identifier(database, parts[-1])
    if not (catalog.databaseExists(database) and catalog.tableExists(name)):
        raise DeltaAnalysisError("TABLE_OR_VIEW_NOT_FOUND", relationName=".".join(parts))
    found = catalog.getTableMetadata(name)
    names = found.identifier()
    is_view = found.tableType().name() == "VIEW"
    serde = found.storage().serde()
    return CatalogEntry(
        database=str(names.database().get()),
        table=str(names.table()),
        is_view=is_view,
        # Spark records no provider for tables that Hive made.
        provider=str(found.provider().get()).lower() if found.provider().isDefined() else HIVE,
        serde=str(serde.get()) if serde.isDefined() else "",
        location="" if is_view else new("org.apache.hadoop.fs.Path", found.location()).toString(),
        schema=str(found.schema().json()),
        partition_columns=tuple(json.loads(_json(found.partitionColumnNames()))),
        lists_partitions=bool(found.tracksPartitionsInCatalog()),
        properties=json.loads(_json(found.properties())),
        comment=str(found.comment().get()) if found.comment().isDefined() else None,
    )


def partitions_of(session: SparkSession, database: str, table: str) -> list[CatalogPartition]:
    """Return the partitions that the catalog knows of a table."""
    found = _catalog(session).listPartitions(_identifier(database, table), _nothing())
    return [
        CatalogPartition(partition["spec"], decode_path(partition["storage"]["locationUri"]))
        for partition in json.loads(_json(found))
    ]


def turn_into_delta(session: SparkSession, database: str, table: str) -> None:
    """Turn the entry of a table into that of a Delta table, which has a location only.

    Its log has the columns, partitions and properties; a copy goes stale.
    """
    catalog, name = _catalog(session), _identifier(database, table)
    entry = catalog.getTableMetadata(name)
    storage = copied(
        entry.storage(), inputFormat=_nothing(), outputFormat=_nothing(), serde=_nothing()
    )
    catalog.alterTable(
        copied(
            entry,
            storage=storage,
            provider=new("scala.Some", "delta"),
            schema=new("org.apache.spark.sql.types.StructType"),
            partitionColumnNames=_no_names(),
            bucketSpec=_nothing(),
            properties=_no_properties(),
        )
    )
    catalog.refreshTable(name)


def move(session: SparkSession, database: str, table: str, location: str) -> None:
    """Change the location in the entry of a table."""
    catalog, name = _catalog(session), _identifier(database, table)
    entry = catalog.getTableMetadata(name)
    uri = new("org.apache.hadoop.fs.Path", location).toUri()
    storage = copied(entry.storage(), locationUri=new("scala.Some", uri))
    catalog.alterTable(copied(entry, storage=storage))
    catalog.refreshTable(name)


def _json(value: Any) -> str:
    """Return a collection or case class of Scala's as JSON: it crosses over as one text."""
    mapper = new("com.fasterxml.jackson.databind.ObjectMapper")
    mapper.registerModule(scala_object("com.fasterxml.jackson.module.scala.DefaultScalaModule"))
    return str(mapper.writeValueAsString(value))


def _nothing() -> Any:
    return scala_object("scala.None")


def _no_properties() -> Any:
    return scala_object("scala.collection.immutable.Map").empty()


def _no_names() -> Any:
    return scala_object("scala.collection.immutable.Nil")


def _catalog(session: SparkSession) -> Any:
    return session._jsparkSession.sessionState().catalog()


def _identifier(database: str, table: str) -> Any:
    name = "org.apache.spark.sql.catalyst.TableIdentifier"
    return new(name, table, new("scala.Some", database))
