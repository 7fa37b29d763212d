"""Generated columns: values computed from the other columns of a row.

Protocol: Generated Columns. The log keeps the expression with the column, in SQL; a writer
computes values that are missing and checks those that are given.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar
from typing import Protocol as Interface

from puredelta.errors import DeltaAnalysisError
from puredelta.log.actions import Metadata, Protocol
from puredelta.log.snapshot import Snapshot
from puredelta.schema.column_path import quote_name
from puredelta.schema.datatypes import StructField, StructType
from puredelta.table.columns.nested_definitions import refuse_inside
from puredelta.table.expressions.generation_rules import Definition, Expressions, UnknownExpression
from puredelta.table.generated_filters.derive import Derivation
from puredelta.table.generated_filters.expressions import Reader
from puredelta.table.protocol.defaults import default_of
from puredelta.table.protocol.feature_activation import GENERATION_KEY
from puredelta.table.protocol.protocol import features_of, schema_of
from puredelta.table.skipping.predicate import And, Condition

if TYPE_CHECKING:
    from typing_extensions import Self

FEATURE = "generatedColumns"


@dataclass(frozen=True, slots=True)
class GenerationCheck:
    """A CHECK constraint on the values of a generated column that rows bring along.

    Attributes:
        column: The column.
        generation: Its generation expression, in SQL.
    """

    column: str
    generation: str
    name: ClassVar[str] = "Generated Column"

    @property
    def expression(self) -> str:
        """The condition as errors show it."""
        return f"{quote_name(self.column)} <=> {self.generation}"


class Governed(Interface):
    """A table under a protocol, such as a version of one."""

    @property
    def protocol(self) -> Protocol:
        """The table's protocol."""
        ...


class Rows(Interface):
    """Rows with the columns of a table, some of which may be missing."""

    @property
    def given(self) -> Collection[str]:
        """The columns that the rows have."""
        ...

    def with_computed(self, expressions: Mapping[str, str], /) -> Self:
        """Return the same rows with values for missing columns."""
        ...


R = TypeVar("R", bound=Rows)


def generation_of(metadata: Mapping[str, object]) -> str | None:
    """Return the generation expression in a field's metadata, in SQL; None when there is none."""
    text = metadata.get(GENERATION_KEY)
    return text if isinstance(text, str) else None


def satisfy_generated_column_protocol(protocol: Protocol) -> bool:
    """Say whether writers of a table have to know generated columns."""
    return FEATURE in features_of(protocol)


def is_generated_column(field: StructField, protocol: Protocol | None = None) -> bool:
    """Say whether a field has a generation expression, one that counts where a protocol is given.

    Args:
        field: a field of a table's schema.
        protocol: the table's; under one that does not know generated columns there are none.
    """
    counts = protocol is None or satisfy_generated_column_protocol(protocol)
    return counts and generation_of(field.metadata) is not None


def get_generated_columns(snapshot: Snapshot) -> list[StructField]:
    """Return the generated columns of a version."""
    protocol = snapshot.protocol
    return [field for field in snapshot.schema if is_generated_column(field, protocol)]


def has_generated_columns(schema: StructType) -> bool:
    """Say whether a top-level field has a generation expression."""
    return any(is_generated_column(field) for field in schema)


def enforces_generated_columns(protocol: Protocol, metadata: Metadata) -> bool:
    """Say whether rows of a table have columns that are generated."""
    return satisfy_generated_column_protocol(protocol) and has_generated_columns(
        schema_of(metadata)
    )


def validate_generated_columns(spark: Expressions, schema: StructType) -> None:
    """Refuse generated columns that a table cannot be made with.

    An expression may name the columns that are not generated, identity columns among them, and may
    depend on nothing else. Tables that other engines made are not checked again.

    Args:
        spark: resolves the expressions.
        schema: the columns of the table.

    Raises:
        DeltaAnalysisError: DELTA_INVALID_GENERATED_COLUMN_REFERENCES,
            GENERATED_COLUMN_WITH_DEFAULT_VALUE, and what `refuse_inside` and `Definition.check`
            raise.
        Exception: the error of the resolver for a text that is no expression.
    """
    refuse_inside(schema)
    # As in delta-spark, an expression over another generated column is refused.
    base = StructType(tuple(field for field in schema if not is_generated_column(field)))
    for field in schema:
        text = generation_of(field.metadata)
        if text is None:
            continue
        refuse_default(field)
        definition = Definition(name=field.name, data_type=field.data_type, text=text)
        found = spark.read(text, base)
        if isinstance(found, UnknownExpression):
            raise DeltaAnalysisError(
                "DELTA_INVALID_GENERATED_COLUMN_REFERENCES",
                columnName=field.name,
                generation=text,
                name=found.name,
                columns=", ".join(map(quote_name, base.names)),
            )
        definition.check(found)


def refuse_default(field: StructField) -> None:
    """Refuse a default for a column that is generated.

    Raises:
        DeltaAnalysisError: GENERATED_COLUMN_WITH_DEFAULT_VALUE.
    """
    text, default = generation_of(field.metadata), default_of(field.metadata)
    if text is not None and default is not None:
        raise DeltaAnalysisError(
            "GENERATED_COLUMN_WITH_DEFAULT_VALUE",
            colName=field.name,
            defaultValue=default,
            genExpr=text,
        )


def add_generated_columns_or_return_constraints(
    table: Governed | None, df: R, schema: StructType
) -> tuple[R, list[GenerationCheck]]:
    """Compute the generated columns that rows lack; return the checks of those that they have.

    Args:
        table: what the rows are for; None for a table that is being made.
        df: the rows.
        schema: the table's columns after the write.

    Returns:
        The rows with all columns, and the check `column <=> expression` of each that was given.
    """
    protocol = None if table is None else table.protocol
    texts = {
        field.name: text
        for field in schema
        if is_generated_column(field, protocol) and (text := generation_of(field.metadata))
    }
    # Protocol: Generated Columns. Values that rows bring must equal those of the expression.
    missing = {name: text for name, text in texts.items() if name not in df.given}
    checks = [GenerationCheck(name, text) for name, text in texts.items() if name not in missing]
    return (df.with_computed(missing) if missing else df), checks


def generate_partition_filters(
    snapshot: Snapshot, data_filters: Sequence[Condition], read: Reader
) -> list[str]:
    """Return what filters on base columns say of generated partition columns.

    Args:
        snapshot: The version that is read.
        data_filters: Conditions on its columns, all of which must hold.
        read: Reads generation expressions.

    Returns:
        Conditions on partition columns, in SQL, that hold in every partition that has a row for
        which the filters hold.
    """
    partitions = {name.lower() for name in snapshot.partition_columns}
    fields = [
        (field, text)
        for field in get_generated_columns(snapshot)
        if field.name.lower() in partitions and (text := generation_of(field.metadata))
    ]
    # Most tables have no generated partition column; their expressions need no parsing.
    if not fields or not data_filters:
        return []
    return Derivation.over(snapshot.schema, fields, read).derived(And(tuple(data_filters)))
