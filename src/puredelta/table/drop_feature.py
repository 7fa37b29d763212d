"""How a table feature is dropped: whether it may, what goes first, what in the history uses it.

Protocol: Table Features. A reader that does not know a feature must not meet a version that needs
it; so a reader-writer feature goes either with the history that uses it, or behind a checkpoint
that `checkpointProtection` keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import msgspec

from puredelta._util.similar_names import like_it
from puredelta.errors import DeltaTableFeatureError
from puredelta.log.actions import (
    Action,
    AddFile,
    CheckpointMetadata,
    Metadata,
    Protocol,
    RemoveFile,
    Sidecar,
)
from puredelta.table.columns.column_mapping import MappingMode, mapping_mode
from puredelta.table.protocol.feature_activation import TYPE_CHANGES_KEY, has_field_metadata
from puredelta.table.protocol.features import FEATURES, find_feature
from puredelta.table.protocol.properties import (
    CHECKPOINT_POLICY,
    DELETION_VECTORS,
    DELTA_PREFIX,
    PROPERTIES,
    PROTECTED_BEFORE,
)
from puredelta.table.protocol.protocol import features_of, normal_form, schema_of
from puredelta.table.protocol.row_tracking import COLUMN_NAMES, ENABLED, SUSPENDED

PROTECTION = "checkpointProtection"

Uses = Callable[[Action], bool]


def _uses_nothing(action: Action) -> bool:
    del action
    return False


def _has_vectors(action: Action) -> bool:
    if isinstance(action, Metadata):
        return bool(DELETION_VECTORS.of(action.configuration))
    return isinstance(action, (AddFile, RemoveFile)) and action.deletion_vector is not None


def _maps_columns(action: Action) -> bool:
    return (
        isinstance(action, Metadata) and mapping_mode(action.configuration) is not MappingMode.NONE
    )


def _has_type_changes(action: Action) -> bool:
    changed = has_field_metadata(TYPE_CHANGES_KEY)
    return isinstance(action, Metadata) and changed({}, schema_of(action))


def _has_v2_checkpoints(action: Action) -> bool:
    if isinstance(action, Metadata):
        return CHECKPOINT_POLICY.of(action.configuration) == "v2"
    return isinstance(action, (CheckpointMetadata, Sidecar))


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """How one feature leaves.

    Attributes:
        protects_history: Whether readers without the feature cannot read older versions.
        uses: Says whether an action of the history needs the feature to be read.
        keys: Properties that go with the feature.
    """

    protects_history: bool = False
    uses: Uses = _uses_nothing
    keys: tuple[str, ...] = ()


REMOVALS: Mapping[str, Removal] = MappingProxyType(
    {
        # Writer features: a reader needs none of them for an older version.
        "checkConstraints": Removal(),
        "domainMetadata": Removal(),
        "inCommitTimestamp": Removal(),
        "rowTracking": Removal(keys=(ENABLED, SUSPENDED, *COLUMN_NAMES)),
        # Reader-writer features, and the protection that they leave behind.
        "columnMapping": Removal(protects_history=True, uses=_maps_columns),
        "deletionVectors": Removal(protects_history=True, uses=_has_vectors),
        "typeWidening": Removal(protects_history=True, uses=_has_type_changes),
        "typeWidening-preview": Removal(protects_history=True, uses=_has_type_changes),
        "v2Checkpoint": Removal(protects_history=True, uses=_has_v2_checkpoints),
        "vacuumProtocolCheck": Removal(protects_history=True),
        PROTECTION: Removal(protects_history=True),
    }
)


def check_droppable(protocol: Protocol, name: str, *, truncates: bool) -> Removal:
    """Refuse a DROP FEATURE that cannot be, whatever the table holds.

    Args:
        protocol: The table's protocol.
        name: The feature, spelled as the protocol spells it.
        truncates: Is the history that uses the feature to go as well?

    Raises:
        DeltaTableFeatureError: DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY,
            DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE, DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT,
            DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE,
            DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED,
            DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION,
            DELTA_FEATURE_DROP_DEPENDENT_FEATURE.
    """
    present = features_of(protocol)
    if name in PROPERTIES or name.lower().startswith(DELTA_PREFIX):
        raise DeltaTableFeatureError("DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY", property=name)
    if find_feature(name) is None:
        raise DeltaTableFeatureError(
            "DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE",
            feature=name,
            like=like_it(name, FEATURES),
        )
    if name not in present:
        raise DeltaTableFeatureError("DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT", feature=name)
    if name not in REMOVALS:
        raise DeltaTableFeatureError("DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE", feature=name)
    removal = REMOVALS[name]
    if truncates and not removal.protects_history:
        raise DeltaTableFeatureError("DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED")
    if name == PROTECTION and not truncates:
        raise DeltaTableFeatureError(
            "DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION"
        )
    _check_dependents(present, name)
    return removal


def _check_dependents(present: frozenset[str], name: str) -> None:
    dependents = sorted(
        other for other in present if other in FEATURES and name in FEATURES[other].requires
    )
    if dependents:
        raise DeltaTableFeatureError(
            "DELTA_FEATURE_DROP_DEPENDENT_FEATURE",
            feature=name,
            dependentFeatures=", ".join(dependents),
        )


def without_feature(protocol: Protocol, name: str, *, protect: bool) -> Protocol:
    """Return the smallest protocol that has all features but one.

    Args:
        protocol: The table's protocol.
        name: The feature that goes.
        protect: Whether to require the feature that keeps the checkpoints of older versions.
    """
    left = features_of(protocol) - {name}
    return normal_form(left | {PROTECTION} if protect else left)


def without_traces(metadata: Metadata, removal: Removal, protected: int | None) -> Metadata:
    """Return metadata without the properties of a feature.

    Args:
        metadata: The metadata of the version before.
        removal: How the feature leaves.
        protected: The version that drops the feature, when checkpoints before it must stay.
    """
    kept = {k: v for k, v in metadata.configuration.items() if k not in removal.keys}
    if protected is not None:
        kept[PROTECTED_BEFORE.key] = str(protected)
    return msgspec.structs.replace(metadata, configuration=kept)
