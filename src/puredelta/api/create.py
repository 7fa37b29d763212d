"""A table defined piece by piece in Python, made through Spark's own CREATE TABLE."""

from dataclasses import dataclass, field

from pyspark.sql import SparkSession
from pyspark.sql.types import StructField, StructType

from puredelta.commands.create.create import CREATE, CREATE_OR_REPLACE, REPLACE
from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.paths import hadoop_path
from puredelta.errors.classes import DeltaAnalysisError, DeltaTableNotFoundError
from puredelta.frontend.catalog.column_metadata import as_property, without_place
from puredelta.frontend.catalog.lookup import find_by_name, is_path_name, parse_name
from puredelta.frontend.sql_text import columns, dotted, literal, properties
from puredelta.schema.codec import schema_from_json
from puredelta.schema.column_path import parse_path, quoted
from puredelta.table.columns.nested_definitions import refuse_inside

_VERBS = {
    CREATE: "CREATE TABLE",
    REPLACE: "REPLACE TABLE",
    CREATE_OR_REPLACE: "CREATE OR REPLACE TABLE",
}


@dataclass
class TableDefinition:
    """The arguments that a builder has received so far."""

    session: SparkSession
    mode: str
    if_not_exists: bool = False
    name: str | None = None
    place: str | None = None
    comment: str | None = None
    fields: list[StructField] = field(default_factory=list)
    partition_columns: list[str] = field(default_factory=list)
    clustering_columns: list[str] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)

    def run(self) -> TableRef:
        """Make the table through the catalog, as the statement would.

        Raises:
            DeltaAnalysisError: DELTA_CREATE_TABLE_MISSING_TABLE_NAME_OR_LOCATION,
                DELTA_CLUSTER_BY_WITH_PARTITIONED_BY,
                DELTA_CREATE_TABLE_IDENTIFIER_LOCATION_MISMATCH.
        """
        if self.partition_columns and self.clustering_columns:
            raise DeltaAnalysisError("DELTA_CLUSTER_BY_WITH_PARTITIONED_BY")
        self._check_places()
        if self.name is None and self.place is None:
            raise DeltaAnalysisError("DELTA_CREATE_TABLE_MISSING_TABLE_NAME_OR_LOCATION")
        self.session.sql(self._statement())
        return self._made()

    def _check_places(self) -> None:
        parts = parse_name(self.session, self.name) if self.name is not None else []
        if self.place is None or not is_path_name(parts):
            return
        # Two spellings of one folder are no contradiction: the paths are compared as Hadoop names.
        if hadoop_path(self.session, parts[1]) != self._absolute(self.place):
            raise DeltaAnalysisError(
                "DELTA_CREATE_TABLE_IDENTIFIER_LOCATION_MISMATCH",
                identifier=self.name,
                location=self.place,
            )

    def _made(self) -> TableRef:
        if self.name is None:
            return TableRef(root=hadoop_path(self.session, str(self.place)))
        found = find_by_name(self.session, parse_name(self.session, self.name))
        # With IF NOT EXISTS, Spark leaves an existing table of another format as it is.
        if found.table is None:
            raise DeltaTableNotFoundError("DELTA_MISSING_DELTA_TABLE", tableName=self.name)
        return found.table

    def _statement(self) -> str:
        verb = _VERBS[self.mode] + (" IF NOT EXISTS" if self.if_not_exists else "")
        path_name = None if self.place is None else f"delta.{quoted(self._absolute(self.place))}"
        schema = StructType(self.fields)
        # The DDL of a nested field has no clause for its metadata: the generation would be lost.
        refuse_inside(schema_from_json(schema.json()))
        listed = columns(self.session, schema)
        parts = [f"{verb} {self.name or path_name} {listed} USING delta"]
        if self.partition_columns:
            names = ", ".join(quoted(name) for name in self.partition_columns)
            parts.append(f"PARTITIONED BY ({names})")
        if self.clustering_columns:
            paths = (dotted(parse_path(name)) for name in self.clustering_columns)
            parts.append(f"CLUSTER BY ({', '.join(paths)})")
        if self.name is not None and self.place is not None:
            parts.append(f"LOCATION {literal(self.place)}")
        if self.comment is not None:
            parts.append(f"COMMENT {literal(self.comment)}")
        declared = as_property({field.name: without_place(field.metadata) for field in self.fields})
        if self.properties or declared:
            parts.append(properties({**self.properties, **declared}))
        return " ".join(parts)

    def _absolute(self, place: str) -> str:
        return hadoop_path(self.session, place)
