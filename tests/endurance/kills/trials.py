"""Where the trials of a statement kill it, and how they ended."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tests.endurance.kills.interposer import Call, KillAt, first_of_commit
from tests.endurance.kills.verdict import Verdict


@dataclass
class Tally:
    """How the trials of a statement ended.

    Attributes:
        kills: how many processes were killed.
        inside: how many of them inside the commit.
        done: after how many the statement had happened.
        told: how many had told of success.
        leftovers: how many files were left by one kill at most.
        kept: what VACUUM left of them.
    """

    kills: int = 0
    inside: int = 0
    done: int = 0
    told: int = 0
    leftovers: int = 0
    kept: list[str] = field(default_factory=list)

    def add(self, verdict: Verdict, *, inside: bool, told: bool) -> None:
        """Count a trial."""
        self.kills += 1
        self.inside += inside
        self.done += verdict.is_done
        self.told += told
        self.leftovers = max(self.leftovers, verdict.leftovers)
        self.kept.extend(verdict.kept)

    def __str__(self) -> str:
        return (
            f"{self.kills} kills, {self.inside} inside the commit, {self.done} done, "
            f"{self.told} told of, {self.leftovers} leftovers at most, {len(self.kept)} kept"
        )


def chosen(
    calls: Sequence[Call], kills: int, seed: int, *, group: bool = False
) -> Iterator[KillAt]:
    """Yield places to die, spread over the calls of a run: half of them inside the commit.

    Args:
        calls: those of a run that nobody killed.
        kills: how many places.
        seed: of the choice which writes are torn.
        group: whether the process group dies.
    """
    chance = random.Random(seed)
    begin, end = first_of_commit(list(calls)), len(calls)
    outside = min(kills // 2, begin)
    for numbers, count in ((range(begin), outside), (range(begin, end), kills - outside)):
        for number in spread(numbers, count):
            torn = calls[number].what == "write" and chance.random() < 0.5
            yield KillAt(number, torn=torn, group=group)


def spread(numbers: Sequence[int], count: int) -> Iterable[int]:
    """Return so many numbers at even distances; each of them several times where there are few."""
    if not numbers:
        return ()
    rounds, rest = divmod(count, len(numbers))
    some = [numbers[(2 * one + 1) * len(numbers) // (2 * rest)] for one in range(rest)]
    return [*list(numbers) * rounds, *some]
