"""Making version checksums: from the one before and a commit, or from all files of a version.

Protocol: Version Checksum File.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from puredelta.log.actions import Action, AddFile, RemoveFile
from puredelta.log.checkpoint.hint import read_last_checkpoint
from puredelta.log.checksum import Checksum, disagreements, read_checksum
from puredelta.log.checksum_histograms import (
    NO_DELETIONS,
    NO_SIZES,
    DeletedHistogram,
    SizeHistogram,
    deleted_histogram,
    none_deleted,
    size_histogram,
)
from puredelta.log.files import add_files, file_key, num_deleted, total_bytes
from puredelta.log.history import in_commit_timestamps_from, read_commit_info

if TYPE_CHECKING:
    from puredelta.log.snapshot import Snapshot

MAX_FILES = 50
"""A table of more files does not list them in its checksums."""

MAX_STATS_LENGTH = 256 * 1024
"""Nor does one whose statistics are longer together, in characters."""

MAX_COUNTED = 10_000
"""So many files are counted in the course of a commit where the checksum before is missing."""

MAX_READ = 1024 * 1024
"""So many bytes of commits are read for it."""

MAX_TRANSACTIONS = 100
MAX_DOMAINS = 10


@dataclass(frozen=True)
class Figures:
    """What a checksum says of the live files.

    Attributes:
        num_files: How many there are.
        size: Their size in bytes.
        sizes: How many have which size.
        deleted_rows: How many rows their deletion vectors hide.
        vectors: How many have one.
        deletions: How many have how many deleted rows.
        listed: The files themselves; None when they are many.
    """

    num_files: int = 0
    size: int = 0
    sizes: SizeHistogram = NO_SIZES
    deleted_rows: int = 0
    vectors: int = 0
    deletions: DeletedHistogram = NO_DELETIONS
    listed: Sequence[AddFile] | None = field(default_factory=tuple)


def checksum_of(snapshot: "Snapshot") -> Checksum:
    """Make the checksum of a version from its files, all of which are looked at."""
    return checksum_with(snapshot, figures_of(snapshot.files))


def next_checksum(
    previous: Checksum | None, actions: Iterable[Action], snapshot: "Snapshot"
) -> Checksum | None:
    """Make the checksum of a version from the one before; takes no longer for a large table.

    Args:
        previous: The checksum of the version before; None for the first version.
        actions: The commit of the version.
        snapshot: The version.

    Returns:
        The checksum, or None when it does not follow from these.
    """
    before = Figures() if previous is None else _known(previous)
    after = None if before is None else figures_after(before, actions)
    return None if after is None else checksum_with(snapshot, after)


def following_checksum(
    known: "Snapshot | None", actions: Iterable[Action], snapshot: "Snapshot"
) -> Checksum | None:
    """Make the checksum of a version from the snapshot before and a commit.

    Args:
        known: The version before; None for the first version.
        actions: The commit of the version.
        snapshot: The version.

    Returns:
        The checksum, or None when it would take a look at all files of a large table.
    """
    before = Figures() if known is None else figures_before(known)
    after = None if before is None else figures_after(before, actions)
    return None if after is None else checksum_with(snapshot, after)


def figures_before(known: "Snapshot") -> Figures | None:
    """Return what is counted of the files of a version that another one is to follow.

    Returns:
        The figures, or None when it would take a look at all files of a large table.
    """
    previous, loaded = known.checksum, known.live.loaded
    # Loaded rows are what the log says: a checksum of other figures is not carried on.
    if previous is None or (loaded is not None and previous.num_files != loaded.num_rows):
        return figures_of(known.files) if _is_quickly_counted(known) else None
    return _known(previous)


def _is_quickly_counted(snapshot: "Snapshot") -> bool:
    if (loaded := snapshot.live.loaded) is not None:
        return int(loaded.num_rows) <= MAX_COUNTED
    # Without the hint a checkpoint counts as large: only reading it would show how many files it
    # has.
    segment, expected = snapshot.segment, 0
    if segment.checkpoint is not None:
        hint = read_last_checkpoint(snapshot.store)
        expected = MAX_COUNTED + 1 if hint is None else hint.num_of_add_files or MAX_COUNTED + 1
    newer = sum(info.size for info in segment.replay_files())
    return expected <= MAX_COUNTED and newer <= MAX_READ


def checksum_after_others(actions: Iterable[Action], snapshot: "Snapshot") -> Checksum | None:
    """Make the checksum of a version whose commit came after versions that we did not follow.

    The checksum of the version before is taken where its writer made one.
    """
    previous = read_checksum(snapshot.store, snapshot.version - 1)
    if previous is None or disagreements(previous, snapshot.protocol, snapshot.metadata, None):
        return None
    return next_checksum(previous, actions, snapshot)


def differences(checksum: Checksum, snapshot: "Snapshot") -> list[str]:
    """Return where a checksum is not what the log says, by the names of its fields.

    All files of the version are looked at.
    """
    right, found = (_comparable(content) for content in (checksum_of(snapshot), checksum))
    return [
        f"{name}: the checksum has {found[name]}, the log {right.get(name)}"
        for name in found
        if found[name] != right.get(name)
    ]


def figures_of(files: pa.Table) -> Figures:
    """Count files, given as `FILES`."""
    vectors = files["deletion_vector"]
    deleted = num_deleted(files)
    size = total_bytes(files)
    return Figures(
        num_files=files.num_rows,
        size=size,
        sizes=size_histogram(files["size"]),
        deleted_rows=int(pc.sum(deleted).as_py() or 0),
        vectors=len(vectors) - vectors.null_count,
        deletions=deleted_histogram(deleted),
        listed=_few(add_files(files)) if files.num_rows <= MAX_FILES else None,
    )


def checksum_with(snapshot: "Snapshot", figures: Figures) -> Checksum:
    """Make the checksum of a version whose files are counted, and are not looked at here."""
    info = snapshot.commit_info or read_commit_info(snapshot.store, snapshot.version)
    with_vectors = "deletionVectors" in (snapshot.protocol.reader_features or ())
    # The timestamp is part of a checksum only while the table has the property.
    timed = in_commit_timestamps_from(snapshot.metadata) is not None and info is not None
    transactions = list(snapshot.transactions.values())
    domains = list(snapshot.domains.values())
    return Checksum(
        txn_id=None if info is None else info.txn_id,
        table_size_bytes=figures.size,
        num_files=figures.num_files,
        num_deleted_records_opt=figures.deleted_rows if with_vectors else None,
        num_deletion_vectors_opt=figures.vectors if with_vectors else None,
        num_metadata=1,
        num_protocol=1,
        in_commit_timestamp_opt=info.in_commit_timestamp if info and timed else None,
        set_transactions=transactions if len(transactions) <= MAX_TRANSACTIONS else None,
        domain_metadata=domains if len(domains) <= MAX_DOMAINS else None,
        metadata=snapshot.metadata,
        protocol=snapshot.protocol,
        file_size_histogram=figures.sizes,
        deleted_record_counts_histogram_opt=figures.deletions if with_vectors else None,
        all_files=None if figures.listed is None else list(figures.listed),
    )


def _known(checksum: Checksum) -> Figures | None:
    """Take the figures of a checksum; None when one is missing that the next one needs."""
    if checksum.sizes is None:
        return None
    vectors, deletions = checksum.num_deletion_vectors_opt, NO_DELETIONS
    if vectors is None:
        # A table that could not have any has none.
        deletions = none_deleted(checksum.num_files)
    elif checksum.deleted_record_counts_histogram_opt is not None:
        deletions = checksum.deleted_record_counts_histogram_opt
    else:
        return None
    return Figures(
        num_files=checksum.num_files,
        size=checksum.table_size_bytes,
        sizes=checksum.sizes,
        deleted_rows=checksum.num_deleted_records_opt or 0,
        vectors=vectors or 0,
        deletions=deletions,
        listed=checksum.all_files,
    )


def figures_after(before: Figures, actions: Iterable[Action]) -> Figures | None:
    """Apply a commit to figures; None when it could change files that are already counted."""
    files = [action for action in actions if isinstance(action, AddFile | RemoveFile)]
    adds = [action for action in files if isinstance(action, AddFile)]
    removes = [action for action in files if isinstance(action, RemoveFile)]
    # A commit that only states files again, such as one that adds statistics or row ids, does not
    # show which of its files are counted already.
    is_update = bool(adds) and not removes and not any(add.data_change for add in adds)
    # Protocol: Add File and Remove File. Writers may leave out the size of a removed file.
    if is_update or any(remove.size is None for remove in removes):
        return None
    # A file that is both added and removed may or may not have been live before.
    if len({file_key(action) for action in files}) < len(files):
        return None
    added, removed = ([_rows_deleted(file) for file in some] for some in (adds, removes))
    listed = _listed_after(before.listed, adds, removes)
    after = Figures(
        num_files=before.num_files + len(adds) - len(removes),
        size=before.size + sum(map(_size, adds)) - sum(map(_size, removes)),
        sizes=before.sizes.changed(map(_size, adds), map(_size, removes)),
        deleted_rows=before.deleted_rows + sum(added) - sum(removed),
        vectors=before.vectors + _vectors(adds) - _vectors(removes),
        deletions=before.deletions.changed(added, removed),
        listed=listed,
    )
    return after if _is_possible(after) else None


def _listed_after(
    listed: Sequence[AddFile] | None, adds: Sequence[AddFile], removes: Sequence[RemoveFile]
) -> Sequence[AddFile] | None:
    if listed is None:
        return None
    gone = {*map(file_key, adds), *map(file_key, removes)}
    kept = [file for file in listed if file_key(file) not in gone]
    return _few([*kept, *adds])


def _few(files: Sequence[AddFile]) -> Sequence[AddFile] | None:
    """Return files as a checksum lists them; None when they are too many for it."""
    if len(files) > MAX_FILES or sum(len(file.stats or "") for file in files) > MAX_STATS_LENGTH:
        return None
    # The list describes a state and not a change, as in a checkpoint.
    return [msgspec.structs.replace(file, data_change=False) for file in files]


def _is_possible(figures: Figures) -> bool:
    listed = figures.listed
    return (
        min(figures.num_files, figures.size, figures.deleted_rows, figures.vectors) >= 0
        and figures.sizes.is_sound(figures.num_files, figures.size)
        and figures.deletions.is_sound(figures.num_files)
        and (listed is None or len(listed) == figures.num_files)
    )


def _size(action: AddFile | RemoveFile) -> int:
    return action.size or 0


def _rows_deleted(action: AddFile | RemoveFile) -> int:
    return 0 if action.deletion_vector is None else action.deletion_vector.cardinality


def _vectors(files: Iterable[AddFile | RemoveFile]) -> int:
    return sum(file.deletion_vector is not None for file in files)


def _comparable(checksum: Checksum) -> dict[str, object]:
    """Turn a checksum into values that are equal where they mean the same."""
    plain: dict[str, object] = {
        name: value
        for name, value in msgspec.structs.asdict(checksum).items()
        if value is not None and name not in _NOT_OF_THE_STATE
    }
    if checksum.set_transactions is not None:
        plain["set_transactions"] = {
            transaction.app_id: transaction for transaction in checksum.set_transactions
        }
    if checksum.domain_metadata is not None:
        plain["domain_metadata"] = {domain.domain: domain for domain in checksum.domain_metadata}
    if checksum.all_files is not None:
        plain["all_files"] = {file_key(file) for file in checksum.all_files}
    return plain


# The id of the commit is not part of the state, and each writer chooses its own bins.
_NOT_OF_THE_STATE = frozenset({"txn_id", "file_size_histogram", "histogram_opt"})
