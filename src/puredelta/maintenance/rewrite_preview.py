"""What a rewrite would do, for people: as text, and as HTML in notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from puredelta._util.preview_text import preview_text
from puredelta._util.size_text import size_text
from puredelta.log.files import total_bytes
from puredelta.maintenance.bins import Bin
from puredelta.maintenance.rewrite_plan import RewritePlan
from puredelta.notebook.preview import preview_html

_PARTITIONS_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionRewrite:
    """What a rewrite would do in one partition.

    Attributes:
        partition: its values, `p=1/q=x`; empty where the table has no partitions.
        files: how many files would be read.
        bytes: their size.
        bins: how many groups of files would be written, each by itself.
    """

    partition: str
    files: int
    bytes: int
    bins: int

    def __str__(self) -> str:
        bins = f" in {self.bins:,} bins" if self.bins > 1 else ""
        return f"{self.files:,} files, {size_text(self.bytes)}{bins}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizePreview:
    """What OPTIMIZE would do to a table; nothing was written.

    Attributes:
        table: the table.
        version: the version that was looked at.
        considered_files: how many files the partitions have that were asked for.
        considered_bytes: their size.
        files: how many of them would be rewritten.
        bytes: their size.
        deleted_rows: how many rows that are deleted already would leave storage with old versions.
        bins: how many groups of files would be written, each by itself.
        commits: how many versions would be made.
        partitions: the partitions in which files would be rewritten.
    """

    table: str
    version: int
    considered_files: int
    considered_bytes: int
    files: int
    bytes: int
    deleted_rows: int
    bins: int
    commits: int
    partitions: tuple[PartitionRewrite, ...]

    def __str__(self) -> str:
        return preview_text(self._head(), self._lines())

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        return preview_html(self._head(), self._lines())

    def _head(self) -> str:
        return f"OPTIMIZE of {self.table}, version {self.version} (dry run)"

    def _lines(self) -> Iterator[tuple[str, str]]:
        yield "considers", f"{self.considered_files:,} files, {size_text(self.considered_bytes)}"
        if not self.bins:
            yield "rewrites", "nothing: no partition has two files that belong together"
            return
        yield "rewrites", f"{self.files:,} files, {size_text(self.bytes)}"
        yield "bins", f"{self.bins:,}"
        yield "commits", f"{self.commits:,}"
        if self.deleted_rows:
            yield "deleted rows left behind", f"{self.deleted_rows:,}"
        for found in self.partitions[:_PARTITIONS_SHOWN]:
            if found.partition:
                yield found.partition, str(found)
        more = len(self.partitions) - _PARTITIONS_SHOWN
        if more > 0:
            yield "other partitions", f"{more:,}"


def preview_rewrite(
    plan: RewritePlan, *, table: str, version: int, deleted_rows: int, commits: int
) -> OptimizePreview:
    """Return what a plan would do, for people.

    Args:
        plan: which files, in which bins.
        table: what the table is called.
        version: the version that the plan is made of.
        deleted_rows: how many rows of the files are deleted already.
        commits: how many versions would be made.
    """
    return OptimizePreview(
        table=table,
        version=version,
        considered_files=plan.considered.num_rows,
        considered_bytes=total_bytes(plan.considered),
        files=sum(len(group.places) for group in plan.bins),
        bytes=plan.bytes,
        deleted_rows=deleted_rows,
        bins=len(plan.bins),
        commits=commits,
        partitions=tuple(sorted(_by_partition(plan), key=lambda found: found.partition)),
    )


def _by_partition(plan: RewritePlan) -> Iterator[PartitionRewrite]:
    bins: dict[str, list[Bin]] = {}
    for group in plan.bins:
        bins.setdefault(group.partition, []).append(group)
    values = plan.files["partition_values"]
    for groups in bins.values():
        yield PartitionRewrite(
            partition=_partition_text(dict(values[groups[0].places[0]].as_py() or ())),
            files=sum(len(group.places) for group in groups),
            bytes=sum(group.bytes for group in groups),
            bins=len(groups),
        )


def _partition_text(values: Mapping[str, str | None]) -> str:
    return "/".join(f"{name}={'null' if text is None else text}" for name, text in values.items())
