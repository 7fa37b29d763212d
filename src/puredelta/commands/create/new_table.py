"""What the first commit of a table says, in a session with its defaults and its checks."""

from collections.abc import Mapping, Sequence

from puredelta.commands.create.declared_constraints import check_declared
from puredelta.engine.catalyst.generation_expressions import SparkExpressions
from puredelta.engine.session.context import Context
from puredelta.log.actions import Metadata, Protocol
from puredelta.schema.datatypes import StructType
from puredelta.table.expressions.generated_columns import validate_generated_columns
from puredelta.table.new_table import NewTableRules, first_version
from puredelta.table.protocol.protocol import schema_of
from puredelta.table.statistics.indexed_columns import Path


def new_table(
    context: Context,
    schema: StructType,
    partition_columns: Sequence[str] = (),
    properties: Mapping[str, str] | None = None,
    description: str | None = None,
    cluster_by: Sequence[Path] | None = None,
    features: frozenset[str] = frozenset(),
    replaces: Metadata | None = None,
) -> tuple[Metadata, Protocol]:
    """Make the metadata and protocol of a table that is to be created or replaced.

    Args:
        context: gives the session's default properties.
        schema: all columns.
        partition_columns: names in any case; the schema's spelling is kept.
        properties: as the user gave them, those that ask for a protocol among them.
        description: the table's comment.
        cluster_by: see `first_version`.
        features: those that a table has which is replaced, and keeps.
        replaces: the metadata of that table.

    Raises:
        DeltaAnalysisError: a schema, partitioning or property that a table cannot have.
    """
    metadata, protocol = first_version(
        rules_of(context),
        schema,
        partition_columns,
        properties,
        description,
        cluster_by,
        features,
        replaces,
    )
    check_declared(context, metadata)
    validate_generated_columns(SparkExpressions(context.session), schema_of(metadata))
    return metadata, protocol


def rules_of(context: Context) -> NewTableRules:
    """Return what a session says about new tables."""
    settings = context.settings
    return NewTableRules(
        defaults=context.property_defaults,
        arbitrary_properties=settings.arbitrary_properties,
        any_retention=not settings.compatible_retentions,
        nested_not_null=settings.nested_not_null,
    )
