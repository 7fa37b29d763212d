"""Compares what a scenario shows here with what it showed on delta-spark."""

from __future__ import annotations

import difflib
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyspark

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Observation = dict[str, Any]

DECLARED = Path(__file__).parent / "differences.toml"
# What stands before the metadata in a line of a log.
METADATA = " metaData {"
# What stands before the metadata of a column in a text of JSON, as it is or within another one.
COLUMN_METADATA = re.compile(r'\\?"metadata\\?":(?=\{)')
KINDS = ("gap", "better", "spark")
# What delta-spark raises without a class that Python code could catch, or without a real condition.
BARE = ("Py4JJavaError", "Py4JError")
NO_CONDITION = ("-", "_LEGACY_ERROR_TEMP_", "UNSUPPORTED_TABLE_CHANGE")


@dataclass(frozen=True)
class Difference:
    """Steps of a scenario that we know to differ, and why.

    Attributes:
        case: `module::scenario`.
        kind: `gap` (we should still do as they do), `better` (ours is right on purpose) or
            `spark` (the other Spark beneath us differs, not we).
        reason: Why, for readers of the file.
        steps: The steps that differ; empty for "some of them".
        ours: What our steps show instead, by step; checked when given.
        since: The PySpark version from which on it applies, `None` for all.
        before: The PySpark version from which on it applies no more, `None` for none.
    """

    case: str
    kind: str
    reason: str
    steps: tuple[str, ...] = ()
    ours: dict[str, Observation] = field(default_factory=dict)
    since: str | None = None
    before: str | None = None

    def covers(self, step: str) -> bool:
        """Whether the step is among the declared ones."""
        return not (self.steps or self.ours) or step in self.steps or step in self.ours

    @property
    def applies(self) -> bool:
        """Whether it is about the PySpark that runs."""
        running = _version(pyspark.__version__)
        return (self.since is None or running >= _version(self.since)) and (
            self.before is None or running < _version(self.before)
        )


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:3] if part.isdigit())


def declared_differences(path: Path = DECLARED) -> list[Difference]:
    """The declared differences, each with a known kind and a reason."""
    entries = tomllib.loads(path.read_text("utf-8")).get("difference", [])
    found = [Difference(**{**e, "steps": tuple(e.get("steps", ()))}) for e in entries]
    for difference in found:
        assert difference.kind in KINDS, f"{difference.case}: kind {difference.kind}"
        assert difference.reason.strip(), f"{difference.case}: no reason"
    return found


def problems(
    theirs: list[Observation], ours: list[Observation], declared: list[Difference]
) -> list[str]:
    """What differs without being declared, and what is declared but does not differ."""
    unexpected: list[str] = []
    used: set[int] = set()
    seen_different: set[str] = set()
    for step, (their, our) in _pairs(theirs, ours).items():
        if same(their, our):
            continue
        seen_different.add(step)
        covering = [n for n, d in enumerate(declared) if d.applies and d.covers(step)]
        used.update(covering)
        if not covering:
            unexpected.append(_told(step, their, our))
        unexpected += [
            _told(f"{step} (declared otherwise)", declared[n].ours[step], our)
            for n in covering
            if step in declared[n].ours and declared[n].ours[step] != _shown(our)
        ]
    return unexpected + _vanished(declared, used, seen_different)


def _pairs(
    theirs: list[Observation], ours: list[Observation]
) -> dict[str, tuple[Observation | None, Observation | None]]:
    by_step = {o["step"]: o for o in ours}
    pairs = {o["step"]: (o, by_step.pop(o["step"], None)) for o in theirs}
    return {**pairs, **{step: (None, our) for step, our in by_step.items()}}


def _vanished(declared: list[Difference], used: set[int], different: set[str]) -> list[str]:
    gone = [
        f"declared as a {d.kind}, but nothing differs: {d.reason}"
        for n, d in enumerate(declared)
        if d.applies and n not in used
    ]
    for d in declared:
        steps = {*d.steps, *d.ours} - different if d.applies else set()
        gone += [f"declared as a {d.kind}, but this step does not differ: {s}" for s in steps]
    return gone


def _told(step: str, their: Observation | None, our: Observation | None) -> str:
    """The step with the lines that only one side shows: `-` theirs, `+` ours."""
    changed = difflib.ndiff(_lines(their), _lines(our))
    return "\n".join([step, *(f"    {line.rstrip()}" for line in changed if line[0] in "-+")])


def _lines(observation: Observation | None) -> list[str]:
    if observation is None:
        return ["no such step"]
    shown = {key: value for key, value in observation.items() if key not in {"step", "rows"}}
    return [*(f"{k}: {v}" for k, v in shown.items()), *observation.get("rows", [])]


def _shown(observation: Observation | None) -> Observation | None:
    return observation and {key: value for key, value in observation.items() if key != "step"}


def same(their: Observation | None, our: Observation | None) -> bool:
    """Whether two observations are equal, errors by what Python code can tell."""
    if their is None or our is None:
        return False
    if "error" in their and "error" in our:
        return same_error(their["error"], our["error"])
    return _meant(their) == _meant(our)


def _meant(observation: Observation) -> Observation:
    """The rows with JSON objects as values: the keys of an object have no order."""
    rows = observation.get("rows", [])
    if not any(METADATA in line or COLUMN_METADATA.search(line) for line in rows):
        return observation
    return {**observation, "rows": [_meant_line(line) for line in rows]}


def _meant_line(line: str) -> tuple[str, Any]:
    """A line in two: the text before the metadata of a commit, and the metadata as a value."""
    head, _, body = line.partition(METADATA)
    if body:
        return head, json.loads("{" + body)
    # The columns that an operation changes are JSON in a parameter, which is JSON in the log.
    objects: list[Any] = []
    while found := COLUMN_METADATA.search(head):
        text = head[found.end() :]
        plain = text.replace('\\"', '"') if found[0].startswith("\\") else text
        value, length = json.JSONDecoder().raw_decode(plain)
        objects.append(value)
        head = head[: found.start()] + "<metadata>" + plain[length:]
    return head, objects


def same_error(their: str, our: str) -> bool:
    """Whether an error is as good as theirs: equal where theirs says something, never worse."""
    kind, condition, state = their.split(" ")
    our_kind, our_condition, our_state = our.split(" ")
    if our_kind in BARE:
        # Spark's own error is what it is; one of Delta has to be a class to catch.
        return their == our and not condition.startswith("DELTA_")
    if kind not in BARE and kind != our_kind:
        return False
    if condition.startswith(NO_CONDITION):
        return True
    return condition == our_condition and state in {"-", our_state}
