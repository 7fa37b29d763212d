"""What the first commit of a table says: metadata and protocol from schema and properties."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from puredelta._util.clock import now_ms
from puredelta.errors import DeltaAnalysisError
from puredelta.log.actions import Format, Metadata, Protocol
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import StructType
from puredelta.table.clustering import FEATURE as CLUSTERING
from puredelta.table.clustering import check_statistics, chosen_columns
from puredelta.table.columns.mapping_ids import keep_ids_of, with_mapping
from puredelta.table.columns.schema_check import check_new_schema, without_nested_not_null
from puredelta.table.expressions.identity_columns import check_identity_columns
from puredelta.table.protocol.defaults import check_allowed, stored_defaults
from puredelta.table.protocol.feature_activation import maps_columns
from puredelta.table.protocol.features import FEATURE_PREFIX
from puredelta.table.protocol.properties import (
    IGNORE_PROTOCOL_DEFAULTS,
    MIN_READER_VERSION,
    MIN_WRITER_VERSION,
    PROPERTIES,
    check_combinations,
    validate,
)
from puredelta.table.protocol.protocol import (
    features_of,
    normal_form,
    protocol_for_new_table,
    schema_of,
)
from puredelta.table.statistics.indexed_columns import Path, indexing_of


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTableRules:
    """What the session or the environment requires of new tables.

    Attributes:
        defaults: properties that tables get unless they have them, with the `delta.` prefix.
        arbitrary_properties: let unknown `delta.*` properties pass.
        any_retention: let the log be kept for less time than the files that it names.
        nested_not_null: accept NOT NULL inside arrays and maps, where no writer can check it.
    """

    defaults: Mapping[str, str]
    arbitrary_properties: bool = False
    any_retention: bool = False
    nested_not_null: bool = False


def first_version(
    rules: NewTableRules,
    schema: StructType,
    partition_columns: Sequence[str] = (),
    properties: Mapping[str, str] | None = None,
    description: str | None = None,
    cluster_by: Sequence[Path] | None = None,
    features: frozenset[str] = frozenset(),
    replaces: Metadata | None = None,
) -> tuple[Metadata, Protocol]:
    """Make the metadata and protocol of a table that is to be created or replaced.

    Constraints and generation expressions are not checked here; the callers that accept them do.

    Args:
        rules: what the session or the environment requires.
        schema: all columns.
        partition_columns: names in any case; the schema's spelling is kept.
        properties: as the user gave them, those that ask for a protocol among them.
        description: the table's comment.
        cluster_by: paths of clustering columns; empty for a table that may get some, None for one
            that is not clustered.
        features: the features of a replaced table, which the new version keeps.
        replaces: the metadata of the replaced table.

    Raises:
        DeltaAnalysisError: a schema, partitioning or property that a table cannot have.
    """
    if rules.nested_not_null:
        schema = without_nested_not_null(schema)
    given = properties or {}
    # CLUSTER BY alone turns the feature on; `delta.feature.clustering` would do so without columns.
    _refuse_clustering(given)
    wanted = validate(
        # A property of the table overrides the session's default for it.
        {**usable_defaults(rules.defaults, given), **given},
        allow_unknown=rules.arbitrary_properties,
        any_retention=rules.any_retention,
    )
    check_new_schema(schema, partition_columns, mapped=maps_columns(wanted, schema))
    check_identity_columns(schema, partition_columns)
    schema = stored_defaults(schema)
    protocol, stored = protocol_for_new_table(wanted, schema)
    # After the protocol is known: a default needs the feature `allowColumnDefaults`, which the
    # properties enable or a replaced table brings along.
    check_allowed(schema, features_of(protocol) | features, "CREATE TABLE")
    check_combinations(stored, "the new table")
    # Before clustering is checked, which names columns by their physical names.
    schema, stored = _mapped(schema, stored, replaces)
    if cluster_by is not None:
        _check_clustering(schema, cluster_by, partition_columns, stored)
        # Also with no column to cluster by: ALTER TABLE may name some later.
        protocol = normal_form(features_of(protocol) | {CLUSTERING})
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


def usable_defaults(defaults: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Return the defaults that apply; those that are no property may be for other programs.

    Args:
        defaults: the defaults of the session or the environment.
        given: the properties of the table, which may exclude some defaults.
    """
    known = {
        key: value
        for key, value in defaults.items()
        if key in PROPERTIES or key.startswith(FEATURE_PREFIX)
    }
    asked = {key.lower(): value for key, value in {**known, **given}.items()}
    if asked.get(IGNORE_PROTOCOL_DEFAULTS.lower(), "").strip().lower() != "true":
        return known
    return {key: value for key, value in known.items() if not _asks_for_protocol(key)}


def spelled(schema: StructType, names: Sequence[str]) -> list[str]:
    """Return column names as the schema spells them."""
    found = (schema.field(name) for name in names)
    return [field.name for field in found if field is not None]


def _mapped(
    schema: StructType, configuration: dict[str, str], replaces: Metadata | None
) -> tuple[StructType, dict[str, str]]:
    """Give columns their physical names; columns of a replaced table keep theirs."""
    if replaces is not None:
        # As in delta-spark, a column of the same path and type keeps its id and physical name; ids
        # go on counting, so that any other column is a new one.
        existing = schema_of(replaces), replaces.configuration
        schema, configuration = keep_ids_of(existing, schema, configuration)
    return with_mapping(schema, configuration)


def _asks_for_protocol(key: str) -> bool:
    return key in (MIN_READER_VERSION, MIN_WRITER_VERSION) or key.startswith(FEATURE_PREFIX)


def _check_clustering(
    schema: StructType,
    cluster_by: Sequence[Path],
    partition_columns: Sequence[str],
    configuration: Mapping[str, str],
) -> None:
    if cluster_by and partition_columns:
        raise DeltaAnalysisError("DELTA_CLUSTER_BY_WITH_PARTITIONED_BY")
    chosen = chosen_columns(cluster_by, schema)
    check_statistics([column.physical for column in chosen], schema, indexing_of(configuration))


def _refuse_clustering(properties: Mapping[str, str]) -> None:
    if any(key.lower() == FEATURE_PREFIX + "clustering" for key in properties):
        raise DeltaAnalysisError(
            "DELTA_CREATE_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED",
            tableFeature="clustering",
        )
