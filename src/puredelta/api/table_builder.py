"""What `DeltaTable.create` and its like define, piece by piece; signatures as in delta-spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession
from pyspark.sql.types import DataType, StructField, StructType

from puredelta.api.create import TableDefinition
from puredelta.commands.table_ref import TableRef
from puredelta.engine.catalyst.double_quotes import portable
from puredelta.engine.exceptions import shown
from puredelta.engine.session.spark_objects import parsed_type
from puredelta.frontend import answering
from puredelta.frontend.catalog.column_metadata import Metadata, generated_always, identity
from puredelta.storage.location import path_text

if TYPE_CHECKING:
    from typing_extensions import Self

    from puredelta.api.delta_table import DeltaTable

__all__ = ["DeltaTableBuilder", "IdentityGenerator"]


@dataclass
class IdentityGenerator:
    """The values of an identity column: `start`, `start + step`, ..."""

    start: int = 1
    step: int = 1


class DeltaTableBuilder:
    """The definition of a table, piece by piece; `execute` makes it.

    Examples:
        >>> (  # doctest: +SKIP
        ...     DeltaTable.createIfNotExists(spark)
        ...     .tableName("events")
        ...     .addColumn("id", "BIGINT", nullable=False)
        ...     .execute()
        ... )
    """

    def __init__(
        self,
        spark: SparkSession | None,
        mode: str,
        table_class: Callable[[SparkSession, TableRef], DeltaTable],
        *,
        if_not_exists: bool = False,
    ) -> None:
        """Use `DeltaTable.create` and its like."""
        session = spark or SparkSession.getActiveSession()
        if session is None:
            raise ValueError("there is no active session; pass one")
        answering.ensure(session)
        self._definition = TableDefinition(session, mode, if_not_exists=if_not_exists)
        self._table_class = table_class

    def tableName(self, identifier: str) -> Self:
        """Name the table; ``delta.`path` `` says where it lies."""
        self._definition.name = _exactly(str, identifier, "Identifier")
        return self

    def location(self, location: str | PathLike[str]) -> Self:
        """Say where the table lies: a URL, or a path as text or as a `pathlib.Path`."""
        given = path_text(location) if isinstance(location, PathLike) else location
        self._definition.place = _exactly(str, given, "Location")
        return self

    def comment(self, comment: str) -> Self:
        """Describe the table."""
        self._definition.comment = _exactly(str, comment, "Table comment")
        return self

    def addColumn(
        self,
        colName: str,
        dataType: str | DataType,
        nullable: bool = True,
        generatedAlwaysAs: str | IdentityGenerator | None = None,
        generatedByDefaultAs: IdentityGenerator | None = None,
        comment: str | None = None,
    ) -> Self:
        """Add a column.

        Args:
            colName: its name.
            dataType: its type, as DDL text or a PySpark type.
            nullable: whether it may be null.
            generatedAlwaysAs: SQL over other columns that computes it, or the numbers of an
                identity column for which rows cannot supply values.
            generatedByDefaultAs: the numbers of an identity column for which rows may supply
                values.
            comment: its comment.

        Raises:
            ValueError: both `generatedAlwaysAs` and `generatedByDefaultAs`, or a step of 0.
        """
        _exactly(str, colName, "Column name")
        _exactly(bool, nullable, "Column nullable")
        kind = parsed_type(dataType) if isinstance(dataType, str) else dataType
        if not isinstance(kind, DataType):
            raise _type_error("Column data type must be str or DataType", dataType)
        metadata = {**_generation(generatedAlwaysAs, generatedByDefaultAs)}
        if comment is not None:
            metadata["comment"] = _exactly(str, comment, "Column comment")
        self._definition.fields.append(StructField(colName, kind, nullable, metadata))
        return self

    def addColumns(self, cols: StructType | list[StructField]) -> Self:
        """Add columns of a schema."""
        if not isinstance(cols, StructType | list):
            raise _type_error("Schema must be StructType or a list of StructField", cols)
        fields: list[Any] = list(cols)
        for field in fields:
            if not isinstance(field, StructField):
                raise _type_error("Column in existing schema must be StructField", field)
        self._definition.fields.extend(fields)
        return self

    def partitionedBy(self, *cols: str | list[str] | tuple[str, ...]) -> Self:
        """Partition the table by columns, given as names or one list of them."""
        self._definition.partition_columns = _names(cols, "Partitioning column")
        return self

    def clusterBy(self, *cols: str | list[str] | tuple[str, ...]) -> Self:
        """Cluster the table by up to four columns, given as names or one list of them.

        `execute` refuses a table that is partitioned too (DELTA_CLUSTER_BY_WITH_PARTITIONED_BY).
        Rows are put in order by OPTIMIZE, not by writes.
        """
        self._definition.clustering_columns = _names(cols, "Clustering column")
        return self

    def property(self, key: str, value: str) -> Self:
        """Set a table property."""
        for given in (key, value):
            if type(given) is not str:
                raise _type_error("Key and value of property must be string", given)
        self._definition.properties[key] = value
        return self

    def execute(self) -> DeltaTable:
        """Make the table.

        Raises:
            DeltaAnalysisException: DELTA_CREATE_TABLE_MISSING_TABLE_NAME_OR_LOCATION, and what
                CREATE TABLE raises.
        """
        with shown():
            table = self._definition.run()
        return self._table_class(self._definition.session, table)


def _generation(always: str | IdentityGenerator | None, by_default: Any) -> Metadata:
    if always is not None and by_default is not None:
        raise ValueError("generatedByDefaultAs and generatedAlwaysAs cannot both be set: give one")
    if isinstance(always, str):
        return generated_always(portable(always))
    given = always if by_default is None else by_default
    if given is None:
        return {}
    if not isinstance(given, IdentityGenerator):
        if by_default is None:
            raise _type_error(
                "Generated always as expression must be str or IdentityGenerator", given
            )
        raise _type_error("Generated by default expression must be IdentityGenerator", given)
    start, step = _exactly(int, given.start, "start"), _exactly(int, given.step, "step")
    if step == 0:
        raise ValueError("Column identity generation requires step to be non-zero")
    return identity(start, step, by_default=by_default is not None)


def _exactly(kind: type, value: Any, name: str) -> Any:
    # As delta-spark compares: a bool is no int here, although isinstance accepts it.
    if type(value) is not kind:
        raise _type_error(f"{name} must be {kind.__name__}", value)
    return value


def _type_error(wrong: str, value: Any) -> TypeError:
    """Return the error for an argument, which says what it is, as delta-spark does."""
    return TypeError(f"{wrong}. Found {value} with type {type(value)}")


def _names(cols: Iterable[Any], what: str) -> list[str]:
    given = list(cols)
    if len(given) == 1 and isinstance(given[0], list | tuple):
        given = list(given[0])
    for name in given:
        _exactly(str, name, what)
    return given
