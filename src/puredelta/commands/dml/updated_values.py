"""Rows with new values: cast, computed and checked as the table asks of all its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import StructType

from puredelta.commands.dml.assignments import ColumnAssignment, resolve_assignments
from puredelta.commands.dml.column_values import AssignableColumns
from puredelta.commands.dml.dml_target import DmlTarget
from puredelta.commands.rows.column_matching import Match
from puredelta.commands.rows.layout import spark_schema
from puredelta.commands.rows.row_alignment import align_columns
from puredelta.commands.rows.row_constraints import requirements_of
from puredelta.commands.table_ref import partial_view
from puredelta.engine.row_checks.store_assignment import StoreAssignment
from puredelta.engine.scan.row_id_columns import changed, row_id_columns, with_row_ids
from puredelta.schema.column_path import quote_name
from puredelta.table.protocol.active_definitions import active_definitions
from puredelta.table.protocol.feature_activation import GENERATION_KEY

OLD = "__puredelta_old_row"
"""A column with the row as it was."""


@dataclass(frozen=True, slots=True)
class NewValues:
    """What an UPDATE gives to the columns of a table.

    Attributes:
        subject: the table.
        schema: its columns, with the definitions that are in force.
        values: those assigned to, over the rows that `subject.named` gives.
    """

    subject: DmlTarget
    schema: StructType
    values: Mapping[str, Column] = field(repr=False)

    def rows(
        self, named: DataFrame, *, with_old: bool = False, carried: Sequence[str] = ()
    ) -> DataFrame:
        """Return rows as they become: the table's columns, and those of row ids.

        They cannot be read unless each keeps the rules of the table.

        Args:
            named: the rows as they were, as `subject.named` gives them.
            with_old: add the column `OLD`.
            carried: columns of these rows that are none of the table's, which come last.
        """
        target = self.subject.target
        given = [field.name for field in self.schema if self._is_given(field.name)]
        # Protocol: Row Tracking. An updated row keeps its row id.
        tracked = with_row_ids(named, target.metadata)
        columns = [self._value(name).alias(name) for name in given]
        ids = row_id_columns(target.metadata)
        old = [self._old(tracked.columns)] if with_old else []
        rows = tracked.select(*columns, *changed(target.metadata), *old, *carried)
        places = {name: place for place, name in enumerate(given)}
        return align_columns(
            rows,
            Match(schema=self.schema, sources=tuple(map(places.get, self.schema.names))),
            target.metadata.partition_columns,
            assignment_of(self.subject),
            requirements_of(target.metadata.configuration, target.before),
            [*ids, *([OLD] if with_old else []), *carried],
        )

    def _is_given(self, name: str) -> bool:
        """Generated columns that are not assigned to are computed again."""
        return name in self.values or GENERATION_KEY not in self.schema[name].metadata

    def _value(self, name: str) -> Column:
        return self.values.get(name, F.col(quote_name(name)))

    def _old(self, names: Sequence[str]) -> Column:
        return F.struct(*(F.col(quote_name(name)) for name in names)).alias(OLD)


def new_values(subject: DmlTarget, assignments: Sequence[ColumnAssignment]) -> NewValues:
    """Resolve what an UPDATE assigns.

    Raises:
        DeltaAnalysisError: as `resolve_assignments`; DELTA_UNEXPECTED_PARTIAL_SCAN for a view
            that does not show all columns under their names.
    """
    target = subject.target
    metadata = active_definitions(target.metadata, target.before.protocol)
    schema = spark_schema(metadata)
    rows = subject.all_named
    # A view that hides columns would write rows without their values.
    if not subject.has_table_names or {*rows.columns} != {*schema.names}:
        raise partial_view(target.table)
    columns = AssignableColumns(
        schema=schema,
        partitions=frozenset(name.lower() for name in metadata.partition_columns),
        assignment=assignment_of(subject),
        evolves=False,
    )
    return NewValues(subject, schema, resolve_assignments(rows, assignments, columns))


def assignment_of(subject: DmlTarget) -> StoreAssignment:
    """Return how values are cast to the columns of a table."""
    target = subject.target
    return StoreAssignment(
        target.context.session,
        by_name=True,
        table=target.table.label,
        follows_ansi=target.context.settings.casts_follow_ansi,
    )
