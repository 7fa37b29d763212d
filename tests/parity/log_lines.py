"""The commits of a Delta log as comparable lines: what each says, without what varies."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.parity.render import map_text, metric_texts

if TYPE_CHECKING:
    from collections.abc import Iterable

FILE_ACTIONS = ("add", "remove", "cdc")
# Where these stand in a commit says nothing.
ANYWHERE = (*FILE_ACTIONS, "domainMetadata")


def log_lines(folder: Path, first: int = 0) -> list[str]:
    """The actions of all commits from version `first` on, in file order, files summed up."""
    lines: list[str] = []
    for commit in sorted((folder / "_delta_log").glob("*.json")):
        if commit.stem.isdigit() and int(commit.stem) >= first:
            lines += [f"v{int(commit.stem)} {line}" for line in _commit_lines(commit)]
    return lines


def _commit_lines(commit: Path) -> list[str]:
    actions = [json.loads(line) for line in commit.read_text("utf-8").splitlines()]
    pairs = [next(iter(action.items())) for action in actions]
    lines = ["order " + " ".join(_ordered(dict.fromkeys(name for name, _ in pairs)))]
    lines += [_action_line(name, body) for name, body in pairs if name not in FILE_ACTIONS]
    return lines + _file_lines([pair for pair in pairs if pair[0] in FILE_ACTIONS])


def _ordered(names: Iterable[str]) -> list[str]:
    """The kinds of actions in their order, as far as it says something."""
    kinds = list(names)
    anywhere = iter(sorted(kind for kind in kinds if kind in ANYWHERE))
    return [next(anywhere) if kind in ANYWHERE else kind for kind in kinds]


def _action_line(name: str, body: dict[str, Any]) -> str:
    shown = SHOWN.get(name, dict)(body)
    return f"{name} {_json(shown)}"


def _commit_info(body: dict[str, Any]) -> dict[str, Any]:
    """The facts of a commit; of what varies only that it is there."""
    shown = {key: body[key] for key in sorted(body)}
    for key in ("timestamp", "engineInfo", "txnId", "inCommitTimestamp"):
        if key in shown:
            shown[key] = "<...>"
    metrics = shown.get("operationMetrics", {})
    if metrics:
        shown["operationMetrics"] = metric_texts(metrics)
    parameters = shown.get("operationParameters")
    if parameters:
        shown["operationParameters"] = {k: map_text(parameters[k]) for k in sorted(parameters)}
    return shown


def _metadata(body: dict[str, Any]) -> dict[str, Any]:
    shown = dict(body)
    shown["createdTime"] = "<...>" if "createdTime" in body else None
    shown["schemaString"] = json.loads(body["schemaString"])
    shown["configuration"] = dict(sorted(body.get("configuration", {}).items()))
    return shown


def _protocol(body: dict[str, Any]) -> dict[str, Any]:
    """The features are a set, whatever order they are written in."""
    return {key: sorted(v) if isinstance(v, list) else v for key, v in body.items()}


def _transaction(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "lastUpdated": "<...>" if "lastUpdated" in body else None}


SHOWN = {
    "txn": _transaction,
    "commitInfo": _commit_info,
    "metaData": _metadata,
    "protocol": _protocol,
}


def _file_lines(pairs: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Files of one kind and partition as one line: how many there are is the writer's matter."""
    rows: dict[str, int] = defaultdict(int)
    for name, body in pairs:
        shown = {"partitionValues": _partition(name, body), "dataChange": body["dataChange"]}
        # Statistics of nested values differ in depth by design; the interop tests compare them.
        keys = sorted(key for key in body if key != "stats")
        rows[f"{name} {_json(shown)} keys={','.join(keys)}"] += _rows_of(name, body)
    return [f"{key} rows={count}" for key, count in sorted(rows.items())]


def _partition(name: str, body: dict[str, Any]) -> dict[str, Any]:
    """The partition values; in a remove nulls may be left out, so there they always are."""
    values = body.get("partitionValues") or {}
    return {k: v for k, v in values.items() if v is not None or name == "add"}


def _rows_of(name: str, body: dict[str, Any]) -> int:
    # Whether a remove repeats the statistics of its file is up to the writer.
    return int(json.loads(body.get("stats") or "{}").get("numRecords", 0)) if name == "add" else 0


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
