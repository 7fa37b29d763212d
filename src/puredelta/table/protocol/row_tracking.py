"""Row ids: which ids the rows of new files get, and where the high-water mark is stored.

Protocol: Row Tracking. An `add` records `baseRowId`, the id of the first row of the file, and the
version that added the rows. The highest id ever assigned is domain metadata, so that no id is
assigned twice.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Collection, Iterable, Mapping

import msgspec

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import Action, AddFile, DomainMetadata

FEATURE = "rowTracking"
DOMAIN = "delta.rowTracking"

ENABLED = "delta.enableRowTracking"
SUSPENDED = "delta.rowTrackingSuspended"
ROW_ID_COLUMN = "delta.rowTracking.materializedRowIdColumnName"
COMMIT_VERSION_COLUMN = "delta.rowTracking.materializedRowCommitVersionColumnName"
COLUMN_NAMES = (ROW_ID_COLUMN, COMMIT_VERSION_COLUMN)

PRESERVED_TAG = "delta.rowTracking.preserved"
ENABLEMENT_TAG = "rowTrackingEnablementOnly"

NO_IDS = -1
"""The high-water mark of a table that has assigned no id."""

_PREFIXES = {
    ROW_ID_COLUMN: "_row-id-col-",
    COMMIT_VERSION_COLUMN: "_row-commit-version-col-",
}


class _Mark(msgspec.Struct, frozen=True, rename="camel"):
    row_id_high_water_mark: int
    domain_name: str = DOMAIN


class _Count(msgspec.Struct, frozen=True, rename="camel"):
    num_records: int | None = None


_MARK = msgspec.json.Decoder(_Mark)
_COUNT = msgspec.json.Decoder(_Count)


def is_enabled(configuration: Mapping[str, str]) -> bool:
    """Return whether every row of the table has an id that readers may ask for."""
    return _is_true(configuration, ENABLED)


def is_suspended(configuration: Mapping[str, str]) -> bool:
    """Return whether new files get no ids for the time being."""
    return _is_true(configuration, SUSPENDED)


def gives_ids(features: Collection[str], configuration: Mapping[str, str]) -> bool:
    """Return whether new files get ids: as soon as the protocol has the feature."""
    # Not only when enabled: readers may rely on the ids only once every file has them.
    return FEATURE in features and not is_suspended(configuration)


def check_properties(configuration: Mapping[str, str]) -> None:
    """Refuse a table that promises ids and assigns none.

    Raises:
        DeltaIllegalStateError: It is enabled and suspended at once.
    """
    if is_enabled(configuration) and is_suspended(configuration):
        raise DeltaIllegalStateError(
            "DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION",
            property1=ENABLED,
            property2=SUSPENDED,
        )


def with_column_names(
    features: Collection[str], configuration: Mapping[str, str]
) -> dict[str, str]:
    """Name the hidden columns that store the ids of rows which move to another file.

    Existing names stay: files have columns under them.

    Returns:
        The configuration, with both names where the protocol has the feature.
    """
    # A random name is one that no column of a user ever had.
    missing = [key for key in COLUMN_NAMES if key not in configuration]
    if FEATURE not in features or not missing:
        return dict(configuration)
    return {**configuration, **{key: _PREFIXES[key] + str(uuid.uuid4()) for key in missing}}


def stored_columns(configuration: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names under which files store the ids and the commit versions of moved rows.

    Returns:
        Nothing where rows have no ids that readers may ask for.
    """
    if not is_enabled(configuration) or any(key not in configuration for key in COLUMN_NAMES):
        return ()
    return tuple(configuration[key] for key in COLUMN_NAMES)


def enables_only(before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Return whether a change of properties turns row tracking on and does nothing else."""
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    # The names of the hidden columns are set together with the feature.
    turned_on = is_enabled(after) and not is_enabled(before)
    return turned_on and changed <= {ENABLED, *COLUMN_NAMES}


def high_water_mark(domains: Iterable[DomainMetadata]) -> int:
    """Return the highest id assigned so far; `NO_IDS` when there is none.

    Raises:
        DeltaIllegalStateError: The domain has another content.
    """
    found = next(
        (domain for domain in domains if domain.domain == DOMAIN and not domain.removed), None
    )
    if found is None:
        return NO_IDS
    try:
        return _MARK.decode(found.configuration).row_id_high_water_mark
    except msgspec.DecodeError as reason:
        raise DeltaIllegalStateError("DELTA_ROW_ID_MARK_MALFORMED", reason=reason) from reason


def with_ids(actions: Iterable[Action], mark: int, version: int) -> list[Action]:
    """Assign ids to the files that have none.

    Args:
        actions: What is to be committed, without the domain of row tracking.
        mark: The highest id assigned so far.
        version: The version that the commit is to become.

    Returns:
        The actions, with the domain at the end when the mark has moved.

    Raises:
        DeltaIllegalStateError: A file has no row count in its statistics.
    """
    highest = mark
    completed: list[Action] = []
    for action in actions:
        if not isinstance(action, AddFile):
            completed.append(action)
            continue
        completed.append(_with_id(action, highest + 1, version))
        if action.base_row_id is None:
            rows = row_count(action)
            # Without the count the first id of the next file is unknown, and ids could be assigned
            # twice.
            if rows is None:
                raise DeltaIllegalStateError(
                    "DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS", path=action.path
                )
            highest += rows
    if highest != mark:
        completed.append(_domain(highest))
    return completed


def row_count(add: AddFile) -> int | None:
    """Count the rows in a file, those that a deletion vector hides among them.

    Returns:
        None when the statistics do not say.
    """
    try:
        return _COUNT.decode(add.stats).num_records if add.stats else None
    except msgspec.DecodeError:
        return None


def _with_id(add: AddFile, base_row_id: int, version: int) -> AddFile:
    """Return a file with its ids; a file that is added again keeps those it has."""
    known, since = add.base_row_id, add.default_row_commit_version
    return msgspec.structs.replace(
        add,
        base_row_id=base_row_id if known is None else known,
        default_row_commit_version=version if since is None else since,
    )


def _domain(mark: int) -> DomainMetadata:
    text = msgspec.json.encode(_Mark(row_id_high_water_mark=mark)).decode()
    return DomainMetadata(domain=DOMAIN, configuration=text, removed=False)


def _is_true(configuration: Mapping[str, str], key: str) -> bool:
    return re.fullmatch(r"\s*true\s*", configuration.get(key, ""), re.IGNORECASE) is not None
