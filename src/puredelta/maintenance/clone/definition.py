"""Metadata, protocol and domains of a clone: those of its source, and what is its own."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from puredelta.errors import DeltaColumnMappingUnsupportedError
from puredelta.log.actions import Action, DomainMetadata, Metadata, Protocol
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.clone.source import CloneSource
from puredelta.table.clustering import DOMAIN as CLUSTERING
from puredelta.table.clustering import clustering_columns
from puredelta.table.columns.column_mapping import MappingMode, mapping_mode
from puredelta.table.expressions.identity_columns import (
    IdentityColumn,
    identity_columns,
    with_high_water_marks,
)
from puredelta.table.new_table import NewTableRules
from puredelta.table.protocol.properties import check_combinations, validate
from puredelta.table.protocol.protocol import (
    features_of,
    normal_form,
    requested_protocol,
    schema_of,
    upgrade,
)
from puredelta.table.protocol.row_tracking import COLUMN_NAMES, with_column_names
from puredelta.txn.commit_lines import TIME_MARKS

# Properties of one table: names of hidden columns, versions of its log, its entry in a catalog.
_OF_ONE_TABLE = frozenset(
    {
        *COLUMN_NAMES,
        # They name a version of the source. The reference copies them, and commits of the clone up
        # to that version are then dated by their files, although they carry their time.
        *TIME_MARKS,
        "delta.requireCheckpointProtectionBeforeVersion",
        "delta.coordinatedCommits.commitCoordinator-preview",
        "delta.coordinatedCommits.commitCoordinatorConf-preview",
        "delta.coordinatedCommits.tableConf-preview",
        "io.unitycatalog.tableId",
        "ucTableId",
    }
)


@dataclass(frozen=True, slots=True)
class CloneDefinition:
    """What a clone is, besides its files.

    Attributes:
        metadata: Its metadata.
        protocol: Its protocol.
        domains: Metadata domains that its commit sets or ends.
    """

    metadata: Metadata
    protocol: Protocol
    domains: tuple[Action, ...]


def define_clone(
    source: CloneSource,
    before: Snapshot | None,
    properties: Mapping[str, str],
    rules: NewTableRules,
) -> CloneDefinition:
    """Define a clone.

    Args:
        source: What is cloned.
        before: The table that is replaced, which has no files; None for a new table.
        properties: Table properties that the user gives, those that ask for a protocol among them.
        rules: What the session says of new tables; its default properties do not count here.

    Raises:
        DeltaAnalysisError: A property that no table may have.
        DeltaTableFeatureError: A feature that is not known, or must be asked for by name.
        DeltaColumnMappingUnsupportedError: DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE.
    """
    wanted = validate(
        properties, allow_unknown=rules.arbitrary_properties, any_retention=rules.any_retention
    )
    request, chosen = requested_protocol(wanted)
    copied = {k: v for k, v in source.metadata.configuration.items() if k not in _OF_ONE_TABLE}
    configuration = {**copied, **chosen}
    _check_mapping(source, before, configuration)
    check_combinations(configuration, "the clone")
    metadata = msgspec.structs.replace(
        source.metadata,
        id=str(uuid.uuid4()) if before is None else before.metadata.id,
        name=None if before is None else before.metadata.name,
        description=None if before is None else before.metadata.description,
        configuration={**configuration, **_kept_columns(before)},
    )
    if before is not None:
        metadata = _with_greatest_marks(metadata, before)
    protocol = upgrade(_joint_protocol(source, before), metadata, request)
    named = with_column_names(features_of(protocol), metadata.configuration)
    metadata = msgspec.structs.replace(metadata, configuration=named)
    return CloneDefinition(metadata, protocol, tuple(_domains(source, before)))


def _check_mapping(
    source: CloneSource, before: Snapshot | None, configuration: Mapping[str, str]
) -> None:
    """Refuse another mapping than that of the source: the names in its files stay what they are."""
    there = mapping_mode(source.metadata.configuration)
    modes = [mapping_mode(configuration)]
    if before is not None and _is_mapped(before):
        modes.append(mapping_mode(before.configuration))
    for mode in modes:
        if mode != there:
            raise DeltaColumnMappingUnsupportedError(
                "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE",
                oldMode=there.value,
                newMode=mode.value,
            )


def _is_mapped(snapshot: Snapshot) -> bool:
    return mapping_mode(snapshot.configuration) is not MappingMode.NONE


def _joint_protocol(source: CloneSource, before: Snapshot | None) -> Protocol:
    """Return the protocol of the source; a table that is replaced loses no feature."""
    needed = features_of(source.protocol)
    if before is None:
        return normal_form(needed)
    return normal_form(needed | features_of(before.protocol))


def _kept_columns(before: Snapshot | None) -> dict[str, str]:
    """Return the names of hidden columns, which older versions of the table have in their files."""
    there = {} if before is None else before.configuration
    return {key: there[key] for key in COLUMN_NAMES if key in there}


def _with_greatest_marks(metadata: Metadata, before: Snapshot) -> Metadata:
    """Raise the high-water marks of identity columns to those of the table that is replaced."""
    there = {column.name: column for column in identity_columns(before.schema)}
    # Older versions of the table have rows with its values, which must not be given again.
    return with_high_water_marks(
        metadata,
        {
            column.name: there[column.name].mark
            for column in identity_columns(schema_of(metadata))
            if column.name in there and _is_behind(column, there[column.name])
        },
    )


def _is_behind(column: IdentityColumn, other: IdentityColumn) -> bool:
    if other.mark is None:
        return False
    return column.mark is None or column.is_past(other.mark, column.mark)


def _domains(source: CloneSource, before: Snapshot | None) -> Iterator[DomainMetadata]:
    clustering = source.domains.get(CLUSTERING)
    if clustering is not None:
        yield clustering
    elif before is not None and clustering_columns(before.domains.values()):
        # What is clustered no more says so: without a domain the columns before would count on.
        yield msgspec.structs.replace(before.domains[CLUSTERING], removed=True)
