"""Values of one type stored in a column of another, as Spark's store assignment says.

Type pairs, nested ones too, become one Column expression; nothing is computed here.
"""

from typing import Any

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DecimalType,
    IntegralType,
    MapType,
    StructField,
    StructType,
)

from puredelta.engine.bridge.classes import new, scala_object
from puredelta.engine.catalyst.stored_expressions import Stored, check_stored, stored_column
from puredelta.engine.session.sessions import setting, time_zone
from puredelta.engine.session.spark_objects import column_of, expression_of
from puredelta.engine.session.spark_types import type_from_spark
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.table.evolution.type_comparison import is_same_type

_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions"

# Errors are those of any cast, without the name of the column.
_PLAIN_ANSI = "PLAIN ANSI"


class StoreAssignment:
    """How the session stores values of one type in a column of another.

    `spark.sql.storeAssignmentPolicy`: ANSI fails on overflow, LEGACY wraps, STRICT only widens.
    """

    def __init__(
        self, session: SparkSession, *, by_name: bool, table: str, follows_ansi: bool = False
    ) -> None:
        """Read the session's policy once.

        Args:
            session: whose settings count.
            by_name: match fields of structs by name; else by position.
            table: the table's name, for errors.
            follows_ansi: cast as expressions are, whatever the policy: `spark.sql.ansi.enabled`
                decides whether a value that does not fit is an error.
        """
        self._session = session
        self._by_name = by_name
        self._table = table
        self._policy = (setting(session, "spark.sql.storeAssignmentPolicy", "ANSI") or "").upper()
        if follows_ansi:
            is_ansi = (setting(session, "spark.sql.ansi.enabled") or "").lower() == "true"
            self._policy = _PLAIN_ANSI if is_ansi else "LEGACY"
        self._zone = time_zone(session)

    def convert(self, column: Column, source: DataType, target: DataType, name: str) -> Column:
        """Return a column of the target type.

        Args:
            column: values of the source type.
            source: their type.
            target: the type of the table's column.
            name: the column's path, for errors.

        Raises:
            DeltaAnalysisError: DELTA_METADATA_MISMATCH and DELTA_COLUMN_STRUCT_TYPE_MISMATCH for
                structs that don't fit.
        """
        if _needs_no_cast(source, target):
            return column
        if isinstance(target, StructType):
            return self._struct(column, source, target, name)
        if isinstance(target, ArrayType) and isinstance(source, ArrayType):
            return self._array(column, source, target, name)
        if isinstance(target, MapType) and isinstance(source, MapType):
            return self._map(column, source, target, name)
        return self._cast(column, target, name)

    def default(self, stored: Stored, target: DataType) -> Column:
        """Return the values of a column that takes its default, or is generated.

        Args:
            stored: the expression that the table has for it.
            target: the column's type; what does not fit is an error under every policy.

        Raises:
            DeltaAnalysisError: PUREDELTA_STORED_EXPRESSION_REFUSED.
        """
        check_stored(self._session, stored)
        jtype = self._session._jsparkSession.parseDataType(target.json())
        return self._plain_cast(expression_of(stored_column(stored.text)), jtype, ansi=True)

    def _struct(self, column: Column, source: DataType, target: StructType, name: str) -> Column:
        if not isinstance(source, StructType):
            if "." not in name or source.typeName() == "void":
                return self._cast(column, target, name)
            raise DeltaAnalysisError(
                "DELTA_COLUMN_STRUCT_TYPE_MISMATCH",
                source=source.simpleString(),
                targetType=target.simpleString(),
                targetField=name,
                targetTable=self._table,
            )
        column, source = _with_distinct_names(column, source)
        parts = []
        for part, origin in self._matched(source, target, name):
            if origin is None:
                inner = F.lit(None).cast(part.dataType)
            else:
                path = f"{name}.{part.name}"
                value = column.getField(origin.name)
                inner = self.convert(value, origin.dataType, part.dataType, path)
            parts.append(inner.alias(part.name))
        # A struct of fields of a null struct would be a struct of nulls.
        return F.when(column.isNull(), F.lit(None)).otherwise(F.struct(*parts))

    def _matched(
        self, source: StructType, target: StructType, name: str
    ) -> list[tuple[StructField, StructField | None]]:
        """Pair the fields of a struct with those that they are read from."""
        if self._by_name:
            lowered = {field.name.lower(): field for field in source}
            pairs = [(part, lowered.get(part.name.lower())) for part in target]
        else:
            given = [*source, *(None for _ in range(len(target) - len(source)))]
            pairs = list(zip(target, given, strict=False))
        if len(source) > sum(origin is not None for _, origin in pairs):
            # Schema evolution has added all fields of the data to the table: none may be lost here.
            raise DeltaAnalysisError(
                "DELTA_METADATA_MISMATCH",
                table=self._table,
                difference=f"the struct `{name}` has fields {source.names} where the table has "
                f"{target.names}",
            )
        return pairs

    def _array(self, column: Column, source: ArrayType, target: ArrayType, name: str) -> Column:
        return F.transform(
            column,
            lambda x: self.convert(x, source.elementType, target.elementType, f"{name}.element"),
        )

    def _map(self, column: Column, source: MapType, target: MapType, name: str) -> Column:
        keys = F.transform(
            F.map_keys(column),
            lambda x: self.convert(x, source.keyType, target.keyType, f"{name}.key"),
        )
        values = F.transform(
            F.map_values(column),
            lambda x: self.convert(x, source.valueType, target.valueType, f"{name}.value"),
        )
        return F.map_from_arrays(keys, values)

    def _cast(self, column: Column, target: DataType, name: str) -> Column:
        value = expression_of(column)
        jtype = self._session._jsparkSession.parseDataType(target.json())
        if self._policy == "STRICT":
            nothing = scala_object("scala.collection.immutable.Nil")
            return column_of(new(f"{_EXPRESSIONS}.UpCast", value, jtype, nothing))
        cast = self._plain_cast(value, jtype, ansi=self._policy in {"ANSI", _PLAIN_ANSI})
        if self._policy == "ANSI" and isinstance(target, IntegralType | DecimalType):
            overflow = f"{_EXPRESSIONS}.CheckOverflowInTableInsert"
            return column_of(new(overflow, expression_of(cast), f"`{name}`"))
        return cast

    def _plain_cast(self, value: Any, jtype: Any, *, ansi: bool) -> Column:
        zone = new("scala.Some", self._zone)
        return column_of(scala_object(f"{_EXPRESSIONS}.Cast").apply(value, jtype, zone, ansi))


def _with_distinct_names(column: Column, source: StructType) -> tuple[Column, StructType]:
    """Return a struct whose fields can be named one by one."""
    # By position, two fields may have one name, by which neither could be read.
    if len({field.name for field in source}) == len(source):
        return column, source
    fields = [StructField(f"c{i}", field.dataType) for i, field in enumerate(source)]
    return column.cast(StructType(fields)), StructType(fields)


def _needs_no_cast(source: DataType, target: DataType) -> bool:
    return source == target or is_same_type(type_from_spark(source), type_from_spark(target))
