"""What a table is after RESTORE: the metadata of the older version, with what must never go back.

High-water marks and column ids are given once. A table that handed them out again would number two
rows, or two columns, alike; that is why they stay where the newest version has them.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from puredelta.log.actions import DomainMetadata, Metadata, Protocol
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import StructField
from puredelta.schema.physical import name_in_files
from puredelta.table.clustering import DOMAIN as CLUSTERING
from puredelta.table.clustering import FEATURE as CLUSTERING_FEATURE
from puredelta.table.clustering import NOT_CLUSTERED
from puredelta.table.expressions.identity_columns import identity_of, with_high_water_marks
from puredelta.table.protocol.active_definitions import active_definitions
from puredelta.table.protocol.properties import MAX_COLUMN_ID, PROTECTED_BEFORE
from puredelta.table.protocol.protocol import features_of, normal_form, schema_of
from puredelta.table.protocol.row_tracking import COLUMN_NAMES


def restored_metadata(before: Snapshot, target: Snapshot) -> Metadata:
    """Return the metadata of an older version, as the next version is to have it.

    Args:
        before: The newest version.
        target: The older one.
    """
    # Definitions that did not count there must not come into force by the newer protocol.
    found = active_definitions(target.metadata, target.protocol)
    found = with_high_water_marks(found, _high_water_marks(before, found))
    kept = _kept_properties(before, found)
    return msgspec.structs.replace(found, configuration={**found.configuration, **kept})


def _high_water_marks(before: Snapshot, found: Metadata) -> dict[str, int]:
    """Return the identity columns whose high-water mark has moved on since, with that mark."""
    # Files know a column by its physical name, which a rename does not change.
    newest = {name_in_files(field): field for field in before.schema}
    marks: dict[str, int] = {}
    for field in schema_of(found):
        mark = _newer_mark(field, newest.get(name_in_files(field)))
        if mark is not None:
            marks[field.name] = mark
    return marks


def _newer_mark(field: StructField, newest: StructField | None) -> int | None:
    column = identity_of(field.name, field.metadata)
    now = None if newest is None else identity_of(newest.name, newest.metadata)
    if column is None or now is None or now.mark is None or (column.step > 0) != (now.step > 0):
        return None
    return now.mark if column.mark is None or column.is_past(now.mark, column.mark) else None


def _kept_properties(before: Snapshot, found: Metadata) -> dict[str, str]:
    """Return the properties that stay as the newest version has them."""
    now, then = before.configuration, found.configuration
    # Files written since have the ids of moved rows in the columns of these names.
    kept = {key: now[key] for key in COLUMN_NAMES if key in now and key not in then}
    for prop in (MAX_COLUMN_ID, PROTECTED_BEFORE):
        is_wanted = prop.key in then or prop is PROTECTED_BEFORE
        if prop.key in now and is_wanted and (prop.of(now) or 0) > (prop.of(then) or 0):
            kept[prop.key] = now[prop.key]
    return kept


def restored_protocol(before: Snapshot, target: Snapshot, *, lowers_protocol: bool) -> Protocol:
    """Return the protocol after RESTORE: the features of both versions.

    The newer features stay because the log between the two versions needs them to be read.

    Args:
        before: The newest version.
        target: The older one.
        lowers_protocol: Take the protocol of the older version as it is.
    """
    now = features_of(before.protocol)
    if lowers_protocol:
        lowered = features_of(target.protocol)
        if CLUSTERING not in before.domains:
            return target.protocol
        # A table that is clustered now needs them to say that it is clustered no longer.
        needed = now & {CLUSTERING_FEATURE, "domainMetadata"}
        return target.protocol if needed <= lowered else normal_form(lowered | needed)
    both = now | features_of(target.protocol)
    return before.protocol if both == now else normal_form(both)


def restored_domains(before: Snapshot, target: Snapshot) -> Iterator[DomainMetadata]:
    """Yield the domains that go back: the clustering columns. All others stay as they are."""
    then = target.domains.get(CLUSTERING)
    if then is not None and not then.removed:
        yield then
    elif CLUSTERING in before.domains:
        yield NOT_CLUSTERED
