"""Does a version checksum say what the log says?

Protocol: Version Checksum File.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from puredelta.errors import DeltaError
from puredelta.log.checksum.read import Checksum, contradictions
from puredelta.log.files import file_key
from puredelta.storage.store import Store
from puredelta.table.check.finding import Finding, error, warning
from puredelta.table.check.naive_replay import Replayed


def checksum_findings(store: Store, name: str, state: Replayed) -> Iterator[Finding]:
    """Compare a checksum with the state of its version.

    Args:
        store: Where the table lies.
        name: The name of the checksum.
        state: The table at its version.
    """
    try:
        checksum = msgspec.json.decode(store.read(name), type=Checksum)
    except (DeltaError, ValueError, RecursionError) as reason:
        yield warning("checksum-damaged", name, f"It cannot be read: {reason}")
        return
    for fault in contradictions(checksum):
        yield warning("checksum-damaged", name, f"It contradicts itself: {fault}.")
    for what, said, true in _figures(checksum, state):
        if said is not None and said != true:
            text = f"Its {what} is not that of the log: {said} where {true} is right."
            yield error("checksum-differs", name, text)
    for what, differs in _actions(checksum, state):
        if differs:
            yield error("checksum-differs", name, f"Its {what} is not that of the log.")


def _figures(checksum: Checksum, state: Replayed) -> Iterator[tuple[str, int | None, int]]:
    yield "number of files", checksum.num_files, len(state.files)
    yield "size", checksum.table_size_bytes, state.size
    yield "number of deletion vectors", checksum.num_deletion_vectors_opt, state.vectors
    yield "number of deleted rows", checksum.num_deleted_records_opt, state.deleted_rows


def _actions(checksum: Checksum, state: Replayed) -> Iterator[tuple[str, bool]]:
    yield "protocol", checksum.protocol is not None and checksum.protocol != state.protocol
    yield "metadata", checksum.metadata is not None and checksum.metadata != state.metadata
    if checksum.set_transactions is not None:
        said = {one.app_id: one.version for one in checksum.set_transactions}
        true = {app: one.version for app, one in state.transactions.items()}
        # Those past their retention may be left out.
        yield "list of application transactions", bool(said.items() - true.items())
    if checksum.domain_metadata is not None:
        domains = {one.domain: one.configuration for one in checksum.domain_metadata}
        known = {name: one.configuration for name, one in state.domains.items()}
        yield "list of metadata domains", domains != known
    if checksum.all_files is not None:
        keys = {file_key(add) for add in checksum.all_files}
        yield "list of files", keys != state.files.keys()
