"""Changes of a table's files of which hostile kinds are made."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from puredelta.log.actions import Record
from tests.endurance.hostile.kind import Change

Plain = dict[str, Any]


def as_plain(record: Record) -> Plain:
    """Turn a record of the log into plain JSON values."""
    found: Plain = json.loads(msgspec.json.encode(record))
    return found


def log(path: Path) -> Path:
    """Return the folder of the log."""
    return path / "_delta_log"


def commits(path: Path) -> list[Path]:
    """Return the commit files, oldest first."""
    return sorted(found for found in log(path).glob("*.json") if found.stem.isdigit())


def text_of(*actions: Plain | str | bytes) -> bytes:
    """Write lines of the log, whatever they are."""
    lines = [
        action
        if isinstance(action, bytes)
        else (action if isinstance(action, str) else json.dumps(action)).encode(
            "utf-8", "surrogatepass"
        )
        for action in actions
    ]
    return b"\n".join(lines) + b"\n"


def commit(*actions: Plain | str | bytes) -> Change:
    """Append a commit of these lines."""

    def change(path: Path) -> None:
        number = int(commits(path)[-1].stem) + 1
        (log(path) / f"{number:020}.json").write_bytes(text_of(*actions))

    return change


def put(name: str, data: bytes | str) -> Change:
    """Write a file of the log."""

    def change(path: Path) -> None:
        place = log(path) / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data.encode() if isinstance(data, str) else data)

    return change


def drop(pattern: str) -> Change:
    """Delete files of the log; one at least has to be there."""

    def change(path: Path) -> None:
        found = list(log(path).glob(pattern))
        assert found, pattern
        for one in found:
            one.unlink()

    return change


def edit_bytes(pattern: str, edit: Callable[[bytes], bytes]) -> Change:
    """Change the content of the last file of the log that fits a pattern."""

    def change(path: Path) -> None:
        place = max(log(path).glob(pattern))
        place.write_bytes(edit(place.read_bytes()))

    return change


def edit_json(pattern: str, edit: Callable[[Plain], Plain | None]) -> Change:
    """Change the last file of the log that fits a pattern and is one object of JSON."""

    def edited(data: bytes) -> bytes:
        plain = json.loads(data)
        return json.dumps(edit(plain) or plain).encode()

    return edit_bytes(pattern, edited)


def fields(tag: str, **values: Any) -> Change:
    """Replace fields of the newest action with a tag; `...` takes a field away.

    Checksums are deleted, which would be passed over otherwise.
    """

    def edit(action: Plain) -> Plain:
        for name, value in values.items():
            if value is ...:
                action.pop(name, None)
            else:
                action[name] = value
        return action

    return rewrite(tag, edit)


def nested(tag: str, member: str, **values: Any) -> Change:
    """Replace fields of an object in the newest action with a tag; see `fields`."""

    def edit(action: Plain) -> Plain:
        for name, value in values.items():
            if value is ...:
                action[member].pop(name, None)
            else:
                action[member][name] = value
        return action

    return rewrite(tag, edit, having=member)


def rewrite(tag: str, edit: Callable[[Plain], Plain], having: str = "") -> Change:
    """Change the newest action with a tag, and with a member if one is named."""

    def change(path: Path) -> None:
        for place in reversed(commits(path)):
            lines = place.read_text("utf-8").splitlines()
            for at in reversed(range(len(lines))):
                plain = json.loads(lines[at])
                if tag in plain and (not having or having in plain[tag]):
                    lines[at] = json.dumps({tag: edit(plain[tag])})
                    place.write_bytes(text_of(*lines))
                    without_checksums(path)
                    return
        raise AssertionError(f"no {tag}")

    return change


def raw_field(tag: str, name: str, text: str) -> Change:
    """Replace a field of the newest action with a tag by text that need not be JSON."""
    mark = "\N{BLACK SQUARE}"

    def change(path: Path) -> None:
        fields(tag, **{name: mark})(path)
        for place in commits(path):
            data = place.read_bytes()
            place.write_bytes(
                data.replace(json.dumps(mark).encode(), text.encode("utf-8", "surrogatepass"))
            )

    return change


def schema(edit: Callable[[Plain], Any]) -> Change:
    """Change the schema, as JSON values; what `edit` returns replaces it, if anything."""

    def edited(action: Plain) -> Plain:
        plain = json.loads(action["schemaString"])
        result = edit(plain)
        action["schemaString"] = json.dumps(plain if result is None else result)
        return action

    return rewrite("metaData", edited)


def configuration(**values: str) -> Change:
    """Set table properties; `__` in a name stands for a dot."""

    def edited(action: Plain) -> Plain:
        for name, value in values.items():
            action["configuration"][name.replace("__", ".")] = value
        return action

    return rewrite("metaData", edited)


def setting(name: str, value: str) -> Change:
    """Set one table property."""

    def edited(action: Plain) -> Plain:
        action["configuration"][name] = value
        return action

    return rewrite("metaData", edited)


def features(*names: str) -> Change:
    """Upgrade the protocol to these features, for readers and writers."""
    return rewrite(
        "protocol",
        lambda _: {
            "minReaderVersion": 3,
            "minWriterVersion": 7,
            "readerFeatures": list(names),
            "writerFeatures": list(names),
        },
    )


def newest_add(path: Path) -> Plain:
    """Return the newest add of a table."""
    for place in reversed(commits(path)):
        for line in reversed(place.read_text("utf-8").splitlines()):
            plain = json.loads(line)
            if "add" in plain:
                found: Plain = plain["add"]
                return found
    raise AssertionError("no add")


def copied_add(**values: Any) -> Change:
    """Append a commit whose add is the newest one with other fields."""

    def change(path: Path) -> None:
        commit({"add": {**newest_add(path), **values}})(path)

    return change


def stats(edit: Callable[[Plain], Any]) -> Change:
    """Change the statistics of the newest add, as JSON values."""

    def edited(action: Plain) -> Plain:
        plain = json.loads(action["stats"])
        result = edit(plain)
        action["stats"] = json.dumps(plain if result is None else result)
        return action

    return rewrite("add", edited)


def without_checksums(path: Path) -> None:
    """Delete all checksums."""
    for found in log(path).glob("*.crc"):
        found.unlink()


def parquet(pattern: str, edit: Callable[[pa.Table], pa.Table]) -> Change:
    """Change the table in the last Parquet file of the log that fits a pattern."""

    def change(path: Path) -> None:
        place = max(log(path).glob(pattern))
        table = edit(pq.read_table(place))
        pq.write_table(table, place)
        without_checksums(path)

    return change


def cells(pattern: str, column: str, edit: Callable[[Any], Any]) -> Change:
    """Change the values of one column of a checkpoint, nulls left out."""

    def edited(table: pa.Table) -> pa.Table:
        at = table.schema.get_field_index(column)
        values = [None if value is None else edit(_dicts(value)) for value in table[at].to_pylist()]
        return table.set_column(at, column, pa.array(values, table.schema.field(at).type))

    return parquet(pattern, edited)


def _dicts(value: Any) -> Any:
    return {
        key: dict(part) if isinstance(part, list) and part and isinstance(part[0], tuple) else part
        for key, part in value.items()
    }


def only_checkpoint(path: Path) -> None:
    """Delete the commits up to the newest checkpoint, and all checksums."""
    newest = max(
        int(one.name[:20]) for one in log(path).glob("*.checkpoint*") if one.name[:20].isdigit()
    )
    for place in commits(path):
        if int(place.stem) <= newest:
            place.unlink()
    without_checksums(path)


def link(name: str, target: str) -> Change:
    """Make a link in the table, to a place given relative to the table's folder."""

    def change(path: Path) -> None:
        place = path / name
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(path / target)

    return change


def pipe(name: str) -> Change:
    """Put a named pipe in the place of a file: whoever opens it waits for ever."""

    def change(path: Path) -> None:
        place = path / name
        place.unlink(missing_ok=True)
        os.mkfifo(place)

    return change


def folder(name: str) -> Change:
    """Put a folder in the place of a file."""

    def change(path: Path) -> None:
        place = path / name
        place.unlink(missing_ok=True)
        place.mkdir(parents=True)

    return change
