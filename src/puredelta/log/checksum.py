"""Version checksums: what a `.crc` file says of a version, read with mistrust.

A checksum repeats what the log says, so a missing or wrong one costs time and never an answer.

Protocol: Version Checksum File.
"""

import logging

import msgspec

from puredelta.errors import DeltaError
from puredelta.log.actions import (
    AddFile,
    CommitInfo,
    Count,
    DomainMetadata,
    Metadata,
    Protocol,
    Record,
    SetTransaction,
)
from puredelta.log.checksum_histograms import DeletedHistogram, SizeHistogram
from puredelta.log.names import checksum_name
from puredelta.storage.store import ObjectNotFound, Store

_logger = logging.getLogger(__name__)


class Checksum(Record, frozen=True, kw_only=True):
    """What a version is, in figures, along with its small actions.

    Attributes:
        txn_id: The id of the commit.
        table_size_bytes: The size of the live files.
        num_files: How many there are.
        num_deleted_records_opt: How many rows deletion vectors hide, where the table may have them.
        num_deletion_vectors_opt: How many files have one.
        num_metadata: How many metadata actions there are: one.
        num_protocol: How many protocol actions there are: one.
        in_commit_timestamp_opt: The time of the commit, where the table keeps it in commits.
        set_transactions: The newest entry of each application; None when they are too many.
        domain_metadata: The domains that were not removed; None when they are too many.
        metadata: The metadata.
        protocol: The protocol.
        file_size_histogram: How many files have which size.
        histogram_opt: The same, under the name that older releases of the reference had for it.
        deleted_record_counts_histogram_opt: How many files have how many deleted rows.
        all_files: The live files, where they are few.
    """

    txn_id: str | None = None
    table_size_bytes: Count
    num_files: Count
    num_deleted_records_opt: Count | None = None
    num_deletion_vectors_opt: Count | None = None
    num_metadata: int
    num_protocol: int
    in_commit_timestamp_opt: int | None = None
    set_transactions: list[SetTransaction] | None = None
    domain_metadata: list[DomainMetadata] | None = None
    metadata: Metadata | None = None
    protocol: Protocol | None = None
    file_size_histogram: SizeHistogram | None = None
    histogram_opt: SizeHistogram | None = None
    deleted_record_counts_histogram_opt: DeletedHistogram | None = None
    all_files: list[AddFile] | None = None

    @property
    def sizes(self) -> SizeHistogram | None:
        """The histogram of sizes, under whichever name it was written."""
        return self.file_size_histogram or self.histogram_opt

    @property
    def is_proven(self) -> bool:
        """Do other parts confirm the number and size of files, so that they can answer a query?"""
        return self.sizes is not None or self.all_files is not None


def read_checksum(store: Store, version: int) -> Checksum | None:
    """Read the checksum of a version; None when there is none or it cannot be right.

    `disagreements` states whether it is of this version.
    """
    name = checksum_name(version)
    try:
        found = msgspec.json.decode(store.read(name), type=Checksum)
    except ObjectNotFound:
        return None
    except (DeltaError, OSError, ValueError, RecursionError) as error:
        _logger.warning("passing over %s/%s: %s", store.url, name, error)
        return None
    if faults := contradictions(found):
        _logger.warning("passing over %s/%s: %s", store.url, name, "; ".join(faults))
        return None
    return found


def write_checksum(store: Store, version: int, checksum: Checksum) -> bool:
    """Write the checksum of a version unless there is one.

    Returns:
        Was there none?
    """
    # Protocol: Version Checksum File. A checksum is never overwritten.
    return store.put_if_absent(checksum_name(version), encode_checksum(checksum))


def encode_checksum(checksum: Checksum) -> bytes:
    """Write a checksum as the content of its file."""
    return msgspec.json.encode(checksum) + b"\n"


def contradictions(checksum: Checksum) -> list[str]:
    """Return where a checksum contradicts itself; it is of no use then."""
    files, size = checksum.num_files, checksum.table_size_bytes
    faults = []
    if files == 0 and size > 0:
        faults.append("it counts bytes and no files")
    if (checksum.num_metadata, checksum.num_protocol) != (1, 1):
        faults.append("it counts more or less than one metadata and one protocol")
    if (sizes := checksum.sizes) is not None and not sizes.is_sound(files, size):
        faults.append("the histogram of sizes does not match the number and size of files")
    deleted = checksum.deleted_record_counts_histogram_opt
    if deleted is not None and not deleted.is_sound(files):
        faults.append("the histogram of deleted rows does not match the number of files")
    if not _lists_all_files(checksum):
        faults.append("the list of files does not match their number and size")
    return faults


def disagreements(
    checksum: Checksum, protocol: Protocol, metadata: Metadata, info: CommitInfo | None
) -> list[str]:
    """Return where a checksum is not of the version that the log says of."""
    faults = []
    if checksum.protocol is not None and not is_same_protocol(checksum.protocol, protocol):
        faults.append("another protocol than in the log")
    if checksum.metadata is not None and checksum.metadata != metadata:
        faults.append("another metadata than in the log")
    # A checksum can outlive its commit: a table may be created again in the same folder.
    if info is not None and _differ(checksum.txn_id, info.txn_id):
        faults.append("another txnId than the commit")
    if info is not None and _differ(checksum.in_commit_timestamp_opt, info.in_commit_timestamp):
        faults.append("another in-commit timestamp than the commit")
    return faults


def _differ(stated: object, logged: object) -> bool:
    # Writers may leave either out, which contradicts nothing.
    return None not in (stated, logged) and stated != logged


def is_same_protocol(one: Protocol | None, other: Protocol | None) -> bool:
    """Return whether two protocols ask for the same.

    The order of features means nothing, and no list is as good as an empty one.
    """
    return _plain(one) == _plain(other)


def _plain(
    protocol: Protocol | None,
) -> tuple[int, int, frozenset[str], frozenset[str]] | None:
    if protocol is None:
        return None
    return (
        protocol.min_reader_version,
        protocol.min_writer_version,
        frozenset(protocol.reader_features or ()),
        frozenset(protocol.writer_features or ()),
    )


def _lists_all_files(checksum: Checksum) -> bool:
    listed = checksum.all_files
    if listed is None:
        return True
    total = sum(file.size for file in listed)
    return (len(listed), total) == (checksum.num_files, checksum.table_size_bytes)
