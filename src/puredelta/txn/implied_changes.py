"""What a commit brings along without having been asked: `STEPS`, each from draft to draft."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec

from puredelta.schema.physical import logical_path
from puredelta.table.clustering import DOMAIN, NOT_CLUSTERED, clustering_columns
from puredelta.table.protocol.active_definitions import active_definitions
from puredelta.table.protocol.properties import IN_COMMIT_TIMESTAMPS
from puredelta.table.protocol.protocol import schema_of, upgrade
from puredelta.table.protocol.row_tracking import with_column_names
from puredelta.txn.commit_info import CLONE, RESTORE
from puredelta.txn.commit_lines import TIME_MARKS
from puredelta.txn.pending_commit import PendingCommit


def with_implied_changes(draft: PendingCommit) -> PendingCommit:
    """Complete a draft."""
    for step in STEPS:
        draft = step(draft)
    return draft


def stale_definitions_go(draft: PendingCommit) -> PendingCommit:
    """Definitions that do not count in a table do not come into force with its next metadata."""
    if draft.base_protocol is None or draft.new_metadata is None or draft.replaces_table:
        return draft
    # What counted in a restored version counts again; its features come back with it. A clone into
    # an empty table brings the definitions of another one, where they do count.
    if draft.operation in {RESTORE, CLONE}:
        return draft
    kept = active_definitions(draft.new_metadata, draft.base_protocol)
    return draft if kept is draft.new_metadata else replace(draft, new_metadata=kept)


def protocol_suffices(draft: PendingCommit) -> PendingCommit:
    """New metadata raises the protocol of a table that is there to what it needs."""
    # A new table states its protocol, which was made for its metadata.
    if draft.base_protocol is None or draft.new_metadata is None:
        return draft
    needed = upgrade(draft.new_protocol or draft.base_protocol, draft.new_metadata)
    return replace(draft, new_protocol=needed if needed != draft.base_protocol else None)


def row_id_columns_are_named(draft: PendingCommit) -> PendingCommit:
    """Where rows may get ids, metadata says in which columns they are kept when rows move."""
    metadata = draft.new_metadata
    if metadata is None or (draft.new_protocol or draft.base_protocol) is None:
        return draft
    named = with_column_names(draft.features, metadata.configuration)
    if named == metadata.configuration:
        return draft
    return replace(draft, new_metadata=msgspec.structs.replace(metadata, configuration=named))


def times_keep_their_start(draft: PendingCommit) -> PendingCommit:
    """A table that is replaced keeps the mark from where on commits carry their time."""
    old, new = draft.base_metadata, draft.new_metadata
    if old is None or new is None:
        return draft
    # Protocol: In-Commit Timestamps. Where they were on and stay on, the version from which they
    # count must not be lost: readers take file times before it. Turned on anew, the commit records
    # it.
    if not all(IN_COMMIT_TIMESTAMPS.of(metadata.configuration) for metadata in (old, new)):
        return draft
    marks = {k: v for k, v in old.configuration.items() if k in TIME_MARKS}
    if marks.items() <= new.configuration.items():
        return draft
    kept = msgspec.structs.replace(new, configuration={**new.configuration, **marks})
    return replace(draft, new_metadata=kept)


def clustering_ends(draft: PendingCommit) -> PendingCommit:
    """A table that is replaced, or loses a clustering column, is clustered no longer."""
    # A command that sets the clustering itself knows better.
    if draft.new_metadata is None or any(domain.domain == DOMAIN for domain in draft.own_domains):
        return draft
    columns = clustering_columns(draft.domains.values())
    if not columns:
        return draft
    schema = schema_of(draft.new_metadata)
    # The domain has physical names, so a rename keeps the clustering.
    stays = not draft.replaces_table and all(logical_path(column, schema) for column in columns)
    return draft if stays else replace(draft, actions=(NOT_CLUSTERED, *draft.actions))


# In this order: the protocol is raised to what the cleaned metadata needs, and the names of row id
# columns depend on the features that it then has.
STEPS: tuple[Callable[[PendingCommit], PendingCommit], ...] = (
    stale_definitions_go,
    protocol_suffices,
    row_id_columns_are_named,
    times_keep_their_start,
    clustering_ends,
)
