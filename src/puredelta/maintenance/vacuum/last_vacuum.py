"""`_delta_log/_last_vacuum_info`: up to which version the removed files are deleted.

Other engines read and write this file, too; it is no part of the protocol.
"""

from __future__ import annotations

import logging

import msgspec

from puredelta.log.names import LOG_FOLDER
from puredelta.storage.store import ObjectNotFound, Store

_log = logging.getLogger(__name__)

LAST_VACUUM = f"{LOG_FOLDER}/_last_vacuum_info"


class LastVacuum(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The content of the file.

    Attributes:
        latest_commit_version_outside_of_retention_window: The files that commits up to this
            version removed are deleted; None where nobody knows.
    """

    latest_commit_version_outside_of_retention_window: int | None = None


def last_vacuumed(store: Store, latest: int) -> int | None:
    """Return up to which version removed files are deleted; None where nobody knows.

    Args:
        store: The table.
        latest: Its newest version. A version behind it was one of another table at this place.
    """
    try:
        found = msgspec.json.decode(store.read(LAST_VACUUM), type=LastVacuum)
    except ObjectNotFound:
        return None
    except (msgspec.DecodeError, UnicodeDecodeError) as reason:
        _log.warning("%s/%s cannot be read: %s", store.url, LAST_VACUUM, reason)
        return None
    version = found.latest_commit_version_outside_of_retention_window
    return None if version is None or version > latest else version


def record_vacuum(store: Store, version: int | None) -> None:
    """Record up to which version removed files are deleted.

    Args:
        store: The table.
        version: The version; None where nobody knows.
    """
    store.put(LAST_VACUUM, msgspec.json.encode(LastVacuum(version)) + b"\n")
