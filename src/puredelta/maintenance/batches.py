"""Which bins share a commit: all of them, or so many that each commit has about a size."""

from __future__ import annotations

from collections.abc import Sequence

from puredelta.maintenance.bins import Bin


def batches_of(
    bins: Sequence[Bin], most_bytes: int | None = None, most_bins: int | None = None
) -> list[list[Bin]]:
    """Divide bins into batches, each of which is a commit of its own.

    Args:
        bins: the bins; small ones come first where there is a limit.
        most_bytes: the bins of a batch have so many bytes at most; one that is larger is alone.
        most_bins: a batch has so many bins at most.

    >>> [len(batch) for batch in batches_of([Bin("", (n, n + 1), 10) for n in range(5)], 25)]
    [2, 2, 1]
    """
    if not bins:
        return []
    if most_bytes is None and most_bins is None:
        return [list(bins)]
    batches: list[list[Bin]] = []
    filled = 0
    for group in sorted(bins, key=lambda group: group.bytes):
        is_full = bool(batches) and len(batches[-1]) == most_bins
        is_heavy = most_bytes is not None and filled + group.bytes > most_bytes
        if not batches or is_full or is_heavy:
            batches.append([])
            filled = 0
        batches[-1].append(group)
        filled += group.bytes
    return batches
