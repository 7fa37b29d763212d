"""A table as the CREATE TABLE statement that makes one like it, for SHOW CREATE TABLE."""

from collections.abc import Iterator, Mapping, Sequence

from puredelta.frontend.catalog.create_like import of_the_definition
from puredelta.frontend.sql_text import literal
from puredelta.log.snapshot import Snapshot
from puredelta.schema.column_path import quote_name, quote_path
from puredelta.schema.datatypes import (
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    UserDefinedType,
    simple_string,
)
from puredelta.table.clustering import FEATURE as CLUSTERING
from puredelta.table.clustering import logical_columns
from puredelta.table.columns.char_lengths import declared_type
from puredelta.table.columns.column_mapping import unmapped_schema
from puredelta.table.expressions.generation_clauses import generation_clause
from puredelta.table.protocol.defaults import default_of
from puredelta.table.protocol.features import FEATURE_PREFIX
from puredelta.table.protocol.properties import MIN_READER_VERSION, MIN_WRITER_VERSION
from puredelta.table.protocol.protocol import features_of, protocol_for_new_table


def create_statement(name: Sequence[str], snapshot: Snapshot, location: str | None) -> str:
    """Return the statement.

    What belongs to one table alone is left out: column ids, high-water marks, versions.

    Args:
        name: the parts of the table's name.
        snapshot: the version.
        location: where the table lies; None where the catalog chose the place.
    """
    listed = _list(_column(field) for field in unmapped_schema(snapshot.schema))
    clustered = logical_columns(snapshot.domains.values(), snapshot.schema)
    comment = snapshot.metadata.description
    partitioned = ", ".join(quote_name(column) for column in snapshot.partition_columns)
    shown = _properties(snapshot)
    clauses = [
        f"CREATE TABLE {quote_path(name)}{listed and f' {listed}'}",
        "USING delta",
        f"PARTITIONED BY ({partitioned})" if partitioned else "",
        f"CLUSTER BY ({', '.join(map(quote_path, clustered))})" if clustered else "",
        "" if comment is None else f"COMMENT {literal(comment)}",
        "" if location is None else f"LOCATION {literal(location)}",
        f"TBLPROPERTIES {shown}" if shown else "",
    ]
    return "\n".join(clause for clause in clauses if clause) + "\n"


def _list(items: Iterator[str]) -> str:
    listed = ",\n  ".join(items)
    return f"(\n  {listed})" if listed else ""


def _properties(snapshot: Snapshot) -> str:
    """Return the properties, and the features that neither they nor the columns ask for."""
    shown = of_the_definition(snapshot.configuration)
    supported = features_of(snapshot.protocol)
    if not _implied(shown, snapshot) <= supported:
        # A new table would have features that this one does not have. With its versions stated, it
        # starts without any.
        shown[MIN_READER_VERSION] = str(snapshot.protocol.min_reader_version)
        shown[MIN_WRITER_VERSION] = str(snapshot.protocol.min_writer_version)
    # The versions change which features are implied, so that the set is computed again.
    named = supported - _implied(shown, snapshot) - _by_clause(snapshot)
    shown |= {f"{FEATURE_PREFIX}{feature}": "supported" for feature in named}
    return _list(f"{literal(key)} = {literal(shown[key])}" for key in sorted(shown))


def _implied(properties: Mapping[str, str], snapshot: Snapshot) -> frozenset[str]:
    return features_of(protocol_for_new_table(properties, snapshot.schema)[0])


def _by_clause(snapshot: Snapshot) -> frozenset[str]:
    """Return the features that CLUSTER BY brings, which no property may ask for."""
    brings = CLUSTERING in features_of(snapshot.protocol)
    return frozenset({CLUSTERING, "domainMetadata"}) if brings else frozenset()


def _column(field: StructField) -> str:
    default, generation = default_of(field.metadata), generation_clause(field)
    words = [
        quote_name(field.name),
        _type(declared_type(field)),
        "" if field.nullable else "NOT NULL",
        "" if default is None else f"DEFAULT {default}",
        generation or "",
        _comment(field),
    ]
    return " ".join(word for word in words if word)


def _type(data_type: DataType) -> str:
    match data_type:
        case StructType():
            return f"STRUCT<{', '.join(_field(field) for field in data_type)}>"
        case ArrayType(element):
            return f"ARRAY<{_type(element)}>"
        case MapType(key, value):
            return f"MAP<{_type(key)}, {_type(value)}>"
        # SQL has no name for a user-defined type.
        case UserDefinedType(_, sql_type):
            return _type(sql_type)
        case _:
            return simple_string(data_type).upper()


def _field(field: StructField) -> str:
    words = [
        f"{quote_name(field.name)}: {_type(field.data_type)}",
        "" if field.nullable else "NOT NULL",
        _comment(field),
    ]
    return " ".join(word for word in words if word)


def _comment(field: StructField) -> str:
    comment = field.metadata.get("comment")
    return f"COMMENT {literal(comment)}" if isinstance(comment, str) else ""
