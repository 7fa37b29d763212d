"""What lies in the log folder, by version."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from puredelta.log.names import LOG_FOLDER, LogFile, LogFileKind, parse, version_prefix
from puredelta.storage.store import ObjectInfo, Store

CHECKPOINT_KINDS = (
    LogFileKind.CHECKPOINT,
    LogFileKind.CHECKPOINT_PART,
    LogFileKind.V2_CHECKPOINT,
)


@dataclass(frozen=True, slots=True)
class Compaction:
    """A file that stands in for the commits from `start` to `end`."""

    start: int
    end: int
    info: ObjectInfo


@dataclass(frozen=True)
class LogListing:
    """What lies in the log folder from some version on.

    Attributes:
        commits: Commit files by version.
        checkpoints: The best complete checkpoint of each version that has one.
        spares: All complete checkpoints of each version that has one, the best first.
        compactions: Files that stand in for runs of commits, by their first version.
    """

    commits: Mapping[int, ObjectInfo]
    checkpoints: Mapping[int, tuple[ObjectInfo, ...]]
    spares: Mapping[int, tuple[tuple[ObjectInfo, ...], ...]] = field(default_factory=dict)
    compactions: Mapping[int, tuple[Compaction, ...]] = field(default_factory=dict)

    @property
    def latest(self) -> int | None:
        """The newest version there is, or None when the log is empty."""
        return max((*self.commits, *self.checkpoints), default=None)

    def checkpoint_before(self, version: int) -> int | None:
        """Return the newest version with a checkpoint, up to `version`."""
        return max((found for found in self.checkpoints if found <= version), default=None)

    def earliest_readable(self) -> int | None:
        """Return the oldest version from which on all can be read, or None when there is none."""
        first = latest = self.latest
        if first is None or latest is None:
            return None
        while first in self.commits:
            first -= 1
        # `first` is now the newest version whose commit is missing.
        if first < 0:
            return 0
        return min((found for found in self.checkpoints if found >= first), default=None)

    def compactions_between(self, first: int, last: int) -> tuple[Compaction, ...]:
        """Choose compactions that fit between two versions, each the longest, without overlaps."""
        chosen: list[Compaction] = []
        version = first
        for start in sorted(start for start in self.compactions if first <= start < last):
            # A compaction that ends later contains actions of versions after `last`.
            fitting = [
                compaction for compaction in self.compactions[start] if compaction.end <= last
            ]
            if start >= version and fitting:
                chosen.append(max(fitting, key=lambda compaction: compaction.end))
                version = chosen[-1].end + 1
        return tuple(chosen)


def list_log(store: Store, start: int = 0) -> LogListing:
    """List what versions are read from: commits, complete checkpoints, compactions.

    Args:
        store: Where the table lies.
        start: Files of older versions are passed over.
    """
    commits: dict[int, ObjectInfo] = {}
    checkpoints: dict[int, list[tuple[LogFile, ObjectInfo]]] = {}
    compactions: dict[int, list[Compaction]] = {}
    for info in store.list_from(LOG_FOLDER, version_prefix(start)):
        file = parse(info.name)
        if file is None:
            continue
        if file.kind is LogFileKind.COMMIT:
            commits[file.version] = info
        # An empty checkpoint, which a writer that died can leave, is none; delta-spark passes over
        # it.
        elif file.kind in CHECKPOINT_KINDS and info.size:
            checkpoints.setdefault(file.version, []).append((file, info))
        elif file.end_version is not None and file.version < file.end_version and info.size:
            found = Compaction(file.version, file.end_version, info)
            compactions.setdefault(file.version, []).append(found)
    complete = {version: complete_checkpoints(found) for version, found in checkpoints.items()}
    return LogListing(
        commits=commits,
        checkpoints={version: found[0] for version, found in complete.items() if found},
        spares=complete,
        compactions={start: tuple(found) for start, found in compactions.items()},
    )


def complete_checkpoints(
    found: Iterable[tuple[LogFile, ObjectInfo]],
) -> tuple[tuple[ObjectInfo, ...], ...]:
    """Put the files of one version together to whole checkpoints, the simplest kind first."""
    parts: dict[int, dict[int, ObjectInfo]] = {}
    singles: dict[LogFileKind, list[ObjectInfo]] = {}
    for file, info in found:
        if file.kind is LogFileKind.CHECKPOINT_PART:
            parts.setdefault(file.parts, {})[file.part] = info
        else:
            singles.setdefault(file.kind, []).append(info)
    # Writers may have divided one version into different numbers of parts. Protocol: Checkpoints. A
    # multi-part checkpoint counts only with all of its parts.
    in_parts = [
        tuple(info for _, info in sorted(parts[count].items()))
        for count in sorted(parts)
        if len(parts[count]) == count and min(parts[count]) == 1 and max(parts[count]) == count
    ]
    classic = [(info,) for info in singles.get(LogFileKind.CHECKPOINT, ())]
    v2 = [(info,) for info in singles.get(LogFileKind.V2_CHECKPOINT, ())]
    return (*classic, *in_parts, *v2)
