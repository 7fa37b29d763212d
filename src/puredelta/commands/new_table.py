"""What the first commit of a table says: metadata and protocol from schema and properties."""

import uuid
from collections.abc import Mapping, Sequence

from puredelta._util.clock import now_ms
from puredelta.engine.context import Context, property_defaults
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.actions import Format, Metadata, Protocol
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import StructType
from puredelta.table.feature_use import DEFAULT_KEY
from puredelta.table.properties import validate
from puredelta.table.protocol import protocol_for_new_table
from puredelta.table.schema_check import check_new_schema

_ALLOWS_DEFAULTS = "delta.feature.allowcolumndefaults"


def new_table(
    context: Context,
    schema: StructType,
    partition_columns: Sequence[str] = (),
    properties: Mapping[str, str] | None = None,
    description: str | None = None,
) -> tuple[Metadata, Protocol]:
    """Make the metadata and protocol of a table that is to be created or replaced.

    Args:
        context: gives the session's default properties.
        schema: all columns.
        partition_columns: names in any case; the schema's spelling is kept.
        properties: as the user gave them, those that ask for a protocol among them.
        description: the table's comment.

    Raises:
        DeltaAnalysisError: a schema, partitioning or property that a table cannot have.
    """
    check_new_schema(schema, partition_columns)
    _check_defaults(schema, properties or {})
    wanted = validate(
        {**property_defaults(context.session), **(properties or {})},
        allow_unknown=context.settings.arbitrary_properties,
    )
    protocol, stored = protocol_for_new_table(wanted, schema)
    metadata = Metadata(
        id=str(uuid.uuid4()),
        description=description,
        format=Format(),
        schema_string=schema_to_json(schema),
        partition_columns=spelled(schema, partition_columns),
        configuration=stored,
        created_time=now_ms(),
    )
    return metadata, protocol


def _check_defaults(schema: StructType, properties: Mapping[str, str]) -> None:
    allowed = {key.lower() for key in properties}
    if any(DEFAULT_KEY in f.metadata for f in schema) and _ALLOWS_DEFAULTS not in allowed:
        raise DeltaAnalysisError(
            "WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED", commandType="CREATE TABLE"
        )


def spelled(schema: StructType, names: Sequence[str]) -> list[str]:
    """Return column names as the schema spells them."""
    found = (schema.field(name) for name in names)
    return [field.name for field in found if field is not None]
