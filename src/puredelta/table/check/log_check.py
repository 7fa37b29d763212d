"""The log from its first version to its last: no gap, no damage, checkpoints and checksums true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from puredelta.errors import DeltaError
from puredelta.log.actions import Action, AddFile, RemoveFile, decode_commit
from puredelta.log.checkpoint.hint import read_last_checkpoint
from puredelta.log.checksum import Checksum, contradictions, is_same_protocol
from puredelta.log.files import FileKey, file_key, qualified
from puredelta.log.listing import Compaction, LogListing, list_log
from puredelta.log.names import LAST_CHECKPOINT, LOG_FOLDER, LogFileKind, parse
from puredelta.storage.store import ObjectInfo, ObjectNotFound, Store
from puredelta.table.check.checkpoints import checkpoint_differences, read_back
from puredelta.table.check.commit_clock import CommitClock
from puredelta.table.check.finding import Finding, error, examples, info, warning
from puredelta.table.check.naive_replay import ReplayedFiles, path_of

# Commits are fetched so many at a time, side by side.
_BATCH = 256


@dataclass(frozen=True)
class CheckedLog:
    """What came of reading the log.

    Attributes:
        version: The newest version; None when there is no log.
        state: The table at that version; None when it could not be rebuilt.
        findings: What is wrong with the log.
    """

    version: int | None
    state: ReplayedFiles | None
    findings: list[Finding]


def walk_log(store: Store) -> CheckedLog:
    """Read every commit, checkpoint, compaction and checksum that is still there."""
    try:
        return _walked(store)
    except ObjectNotFound:
        # Log cleanup ran between the listing and the reading; the next listing is right.
        return _walked(store)


def _walked(store: Store) -> CheckedLog:
    listing = list_log(store)
    if listing.latest is None:
        return CheckedLog(None, None, [])
    names = [info.name for info in store.list_from(LOG_FOLDER)]
    walk = _Walk(store, listing, _checksums(names))
    walk.run()
    findings = [
        *walk.findings,
        *_compaction_findings(store, listing),
        *_hint(store, listing),
        *_leftovers(names),
    ]
    return CheckedLog(listing.latest, walk.state, findings)


class _Walk:
    """Goes from version to version; the state is None while it cannot be known."""

    def __init__(self, store: Store, listing: LogListing, checksums: dict[int, str]) -> None:
        self.findings: list[Finding] = []
        # Without version 0 the state is unknown until the first checkpoint that can be read.
        self.state: ReplayedFiles | None = ReplayedFiles() if 0 in listing.commits else None
        self._store = store
        self._listing = listing
        self._checksums = checksums
        self._clock = CommitClock()

    def run(self) -> None:
        listing = self._listing
        contents = self._contents()
        previous: int | None = None
        for version in sorted({*listing.commits, *listing.checkpoints}):
            if version in listing.commits:
                if previous is not None and version != previous + 1:
                    self._gap(previous + 1, version - 1)
                previous = version
                self._commit(version, *next(contents))
            else:
                # The state starts anew from a checkpoint whose commit log cleanup has removed.
                self.state = None
            # Every checkpoint of the version is compared: readers may choose any of them.
            for parts in listing.spares.get(version, ()):
                self._checkpoint(parts)
            if version in self._checksums:
                self._checksum(version)
        if self.state is None:
            text = "The latest version cannot be rebuilt from what is there."
            self.findings.append(error("log-unreadable", LOG_FOLDER, text))

    def _contents(self) -> Iterator[tuple[str, bytes]]:
        names = [info.name for _, info in sorted(self._listing.commits.items())]
        for start in range(0, len(names), _BATCH):
            batch = names[start : start + _BATCH]
            yield from zip(batch, self._store.read_all(batch), strict=True)

    def _commit(self, version: int, name: str, data: bytes) -> None:
        try:
            actions = qualified(decode_commit(data, name), self._store.url)
        except DeltaError as reason:
            self.findings.append(error("commit-damaged", name, reason.message))
            self.state = None
            return
        if not actions:
            self.findings.append(error("commit-damaged", name, "The commit holds no action."))
        if self.state is not None:
            self.state.apply(actions)
        self.findings += self._clock.findings(version, name, actions)

    def _gap(self, first: int, last: int) -> None:
        which = f"version {first}" if first == last else f"the versions {first} to {last}"
        text = f"The commits of {which} are missing, and older ones are there."
        self.findings.append(error("log-gap", LOG_FOLDER, text))
        self.state = None

    def _checkpoint(self, parts: tuple[ObjectInfo, ...]) -> None:
        name = parts[0].name
        try:
            found = read_back(self._store, parts)
        except DeltaError as reason:
            self.findings.append(error("checkpoint-damaged", name, reason.message))
            return
        self._clock.follow(found.metadata)
        if self.state is None:
            self.state = found
        else:
            self.findings += checkpoint_differences(name, self.state, found)

    def _checksum(self, version: int) -> None:
        if self.state is not None:
            name = self._checksums[version]
            self.findings += _checksum_findings(self._store, name, self.state)


def _checksums(names: list[str]) -> dict[int, str]:
    found = ((parse(name), name) for name in names)
    return {
        parsed.version: name
        for parsed, name in found
        if parsed is not None and parsed.kind is LogFileKind.CHECKSUM
    }


def _hint(store: Store, listing: LogListing) -> Iterator[Finding]:
    """Look at the hint where the newest checkpoint is; readers get by without."""
    hint = read_last_checkpoint(store)
    if hint is None:
        if store.info(LAST_CHECKPOINT) is not None:
            text = "It cannot be read, or does not agree with its own checksum."
            yield warning("last-checkpoint-damaged", LAST_CHECKPOINT, text)
    elif hint.version not in listing.checkpoints:
        text = f"It names version {hint.version}, which has no complete checkpoint."
        yield warning("last-checkpoint-wrong", LAST_CHECKPOINT, text)


def _leftovers(names: list[str]) -> Iterator[Finding]:
    for name in names:
        short = name.rpartition("/")[2]
        if short.startswith(".") and short.endswith(".tmp"):
            text = "A writer was stopped while it wrote this; no reader uses it, and it can go."
            yield info("log-leftover", name, text)


# -------------------------------------------------------------------------------- version checksums


def _checksum_findings(store: Store, name: str, state: ReplayedFiles) -> Iterator[Finding]:
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


def _figures(checksum: Checksum, state: ReplayedFiles) -> Iterator[tuple[str, int | None, int]]:
    yield "number of files", checksum.num_files, len(state.files)
    yield "size", checksum.table_size_bytes, state.size
    yield "number of deletion vectors", checksum.num_deletion_vectors_opt, state.vectors
    yield "number of deleted rows", checksum.num_deleted_records_opt, state.deleted_rows


def _actions(checksum: Checksum, state: ReplayedFiles) -> Iterator[tuple[str, bool]]:
    stated = checksum.protocol
    yield "protocol", stated is not None and not is_same_protocol(stated, state.protocol)
    yield "metadata", checksum.metadata is not None and checksum.metadata != state.metadata
    if checksum.set_transactions is not None:
        said = {
            transaction.app_id: transaction.version for transaction in checksum.set_transactions
        }
        true = {app: entry.version for app, entry in state.transactions.items()}
        # Those past their retention may be left out.
        yield "list of application transactions", bool(said.items() - true.items())
    if checksum.domain_metadata is not None:
        domains = {domain.domain: domain.configuration for domain in checksum.domain_metadata}
        known = {name: domain.configuration for name, domain in state.domains.items()}
        yield "list of metadata domains", domains != known
    if checksum.all_files is not None:
        keys = {file_key(add) for add in checksum.all_files}
        yield "list of files", keys != state.files.keys()


# ---------------------------------------------------------------------------------- log compactions


def _compaction_findings(store: Store, listing: LogListing) -> Iterator[Finding]:
    """Compare each compaction whose commits are all there with them."""
    for found in listing.compactions.values():
        for compaction in found:
            yield from _findings(store, listing, compaction)


def _findings(store: Store, listing: LogListing, compaction: Compaction) -> Iterator[Finding]:
    name = compaction.info.name
    versions = [
        commit for commit in listing.commits if compaction.start <= commit <= compaction.end
    ]
    names = [listing.commits[version].name for version in sorted(versions)]
    try:
        compacted = _newest(decode_commit(store.read(name), name))
    except DeltaError as reason:
        yield error("compaction-damaged", name, reason.message)
        return
    if len(names) != compaction.end - compaction.start + 1:
        # Log cleanup removed some of its commits, so that nothing is left to compare with.
        return
    contents = zip(names, store.read_all(names), strict=True)
    try:
        commits = _newest(
            action for content, data in contents for action in decode_commit(data, content)
        )
    except DeltaError:
        # The damaged commit is a finding of its own.
        return
    if commits != compacted:
        differing = {
            path_of(key)
            for key in commits.keys() | compacted.keys()
            if commits.get(key) != compacted.get(key)
        }
        text = f"It differs from its commits in {examples(sorted(differing))}."
        yield error("compaction-differs", name, text)


def _newest(actions: Iterable[Action]) -> dict[FileKey, bool]:
    """Return for each file that actions add or remove whether it is live afterwards."""
    affected = (action for action in actions if isinstance(action, AddFile | RemoveFile))
    return {file_key(action): isinstance(action, AddFile) for action in affected}
