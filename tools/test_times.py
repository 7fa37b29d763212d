"""Say where the time of the tests goes, and keep it for the order in which they run.

    pytest -n 2 --junitxml=FILE        a run that measures
    test_times.py FILE ...             its folders and its slowest fifty tests, as Markdown
    test_times.py FILE ... --keep      and the seconds of each scope into tests/times.tsv

Seconds are those of a process, the making of what a test asks for included.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
SLOWEST = 50
# Seconds of a scope from which on it matters when it runs.
NOTABLE = 2.0

sys.path.insert(0, str(ROOT))

from tests.parts import TIMES, recorded_times, scope_of  # noqa: E402  # the root is not on the path before


@dataclass(frozen=True)
class Timed:
    """How long a test took.

    Attributes:
        nodeid: Its name, as pytest takes it.
        seconds: From the beginning of its set-up to the end of its tear-down.
    """

    nodeid: str
    seconds: float


def read(file: Path) -> Iterator[Timed]:
    """Yield the tests of a results file in JUnit's format."""
    for case in ElementTree.parse(file).iter("testcase"):
        module = case.get("classname", "").replace(".", "/") + ".py"
        yield Timed(f"{module}::{case.get('name')}", float(case.get("time", 0)))


def sums(tests: Sequence[Timed]) -> Mapping[str, float]:
    """Return the seconds of each scope."""
    found: dict[str, float] = defaultdict(float)
    for test in tests:
        found[scope_of(test.nodeid)] += test.seconds
    return found


def folders(tests: Sequence[Timed]) -> str:
    """Return a table of how many tests each folder has, and of their seconds."""
    found: dict[str, list[float]] = defaultdict(list)
    for test in tests:
        found["/".join(test.nodeid.split("/")[:2])].append(test.seconds)
    whole = sum(test.seconds for test in tests)
    rows = sorted(found.items(), key=lambda item: -sum(item[1]))
    lines = [
        f"| `{name}` | {len(seconds):,} | {sum(seconds):,.0f} | {sum(seconds) / whole:.0%} |"
        for name, seconds in rows
    ]
    head = ["| Folder | Tests | Seconds | Share |", "|---|---:|---:|---:|"]
    return "\n".join([*head, *lines, f"| all | {len(tests):,} | {whole:,.0f} | 100% |"])


def slowest(tests: Sequence[Timed]) -> str:
    """Return a table of the slowest tests."""
    first = sorted(tests, key=lambda test: -test.seconds)[:SLOWEST]
    lines = [f"| {test.seconds:.1f} | `{test.nodeid}` |" for test in first]
    return "\n".join(["| Seconds | Test |", "|---:|---|", *lines])


def keep(tests: Sequence[Timed]) -> None:
    """Write the seconds of scopes, the longest first; scopes that did not run keep theirs."""
    known = {**recorded_times(), **sums(tests)}
    longest = sorted(known.items(), key=lambda one: (-one[1], one[0]))
    lines = [f"{took:.1f}\t{scope}" for scope, took in longest if took >= NOTABLE]
    TIMES.write_text("\n".join(lines) + "\n", "utf-8")


def main() -> None:
    """Read results, and print or keep what they say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", type=Path, nargs="+")
    parser.add_argument("--keep", action="store_true", help="into tests/times.tsv")
    arguments = parser.parse_args()
    tests = [test for file in arguments.file for test in read(file)]
    print(folders(tests), slowest(tests), sep="\n\n")
    if arguments.keep:
        keep(tests)


if __name__ == "__main__":
    main()
