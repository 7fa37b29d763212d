"""What a commit of our own did, in numbers: the base of what methods of `DeltaTable` return."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import msgspec

from puredelta._util.size_text import size_text
from puredelta.errors.classes import DeltaError
from puredelta.log.actions import AddFile, RemoveFile, decode_file_actions
from puredelta.log.names import commit_name
from puredelta.log.snapshot import Snapshot
from puredelta.notebook.preview import preview_html
from puredelta.storage.store import Store
from puredelta.txn.transaction import committed_and_not_read


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitOutcome:
    """Whether a commit was made, and the version that the table has since.

    Attributes:
        version: the version that was made; the newest one when none was made.
        changed: whether a version was made.
    """

    version: int
    changed: bool = False

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        done = f"version {self.version}" if self.changed else "nothing to do"
        return preview_html(f"{type(self).__name__}: {done}", _lines(self), "puredelta-result")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitStats(CommitOutcome):
    """What a commit did to rows and files.

    Attributes:
        version: the version that was made; the newest one when none was made.
        changed: whether a version was made.
        rows: how many rows it wrote, without those that only moved; None when neither history nor
            statistics say.
        files: how many files it added.
        bytes: their size.
        removed_files: how many files it removed.
        removed_bytes: their size, as far as the log says.
    """

    rows: int | None = 0
    files: int = 0
    bytes: int = 0
    removed_files: int = 0
    removed_bytes: int = 0


Stats = TypeVar("Stats", bound=CommitStats)


def commit_stats_of(before: Snapshot, after: Snapshot, kind: type[Stats]) -> Stats:
    """Return what the commit did that led to a version.

    Args:
        before: the version that it built on.
        after: the version that it made, or the same as `before`.
        kind: what a method calls it: `CommitStats`, or a class derived from it without fields.

    Raises:
        DeltaRuntimeError: DELTA_COMMITTED_AND_NOT_READ.
    """
    if after is before:
        return kind(version=before.version)
    metrics = (after.commit_info.operation_metrics if after.commit_info else None) or {}
    return read_commit_stats(after.store, after.version, metrics, kind)


def read_commit_stats(
    store: Store, version: int, metrics: Mapping[str, str], kind: Callable[..., Stats]
) -> Stats:
    """Return what a commit did, from its file in the log.

    Args:
        store: the folder of the log.
        version: the version that the commit made.
        metrics: what history counts of it.
        kind: makes the result of the values of `CommitStats`, by name.

    Raises:
        DeltaRuntimeError: DELTA_COMMITTED_AND_NOT_READ.
    """
    name = commit_name(version)
    try:
        pieces = decode_file_actions(store.read(name), name)
        actions = [action for some in pieces for action in some]
    except (DeltaError, OSError) as reason:
        raise committed_and_not_read(version, store.url, reason) from reason
    adds = {action.path: action for action in actions if isinstance(action, AddFile)}
    removes = {action.path: action for action in actions if isinstance(action, RemoveFile)}
    # A file that is removed and added again has only got another deletion vector.
    added = [file for path, file in adds.items() if path not in removes]
    removed = [file for path, file in removes.items() if path not in adds]
    return kind(
        version=version,
        changed=True,
        rows=_rows(metrics, added, moved=bool(adds and removes)),
        files=len(added),
        bytes=sum(add.size for add in added),
        removed_files=len(removed),
        removed_bytes=sum(file.size or 0 for file in removed),
    )


def _lines(outcome: CommitOutcome) -> Iterator[tuple[str, str]]:
    for each in fields(outcome):
        value = getattr(outcome, each.name)
        if each.name == "changed" or (each.name == "version" and outcome.changed):
            continue
        yield each.name.replace("_", " "), _figure_text(each.name, value)


def _figure_text(name: str, value: int | None) -> str:
    if value is None:
        return "unknown"
    if name == "version":
        return str(value)
    return size_text(value) if name.endswith("bytes") else f"{value:,}"


def _rows(metrics: Mapping[str, str], added: list[AddFile], *, moved: bool) -> int | None:
    if "numOutputRows" in metrics:
        return int(metrics["numOutputRows"]) - int(metrics.get("numCopiedRows", "0"))
    if moved:
        return None  # statistics do not say which rows of a file are new
    stats: list[Any] = [msgspec.json.decode(add.stats) if add.stats else {} for add in added]
    counts = [text.get("numRecords") for text in stats]
    return None if None in counts else sum(counts)
