"""Tables whose VACUUM is to delete what is not theirs, or what they still need."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.endurance.hostile.edits import (
    commit,
    commits,
    fields,
    link,
    newest_add,
    rewrite,
    setting,
)
from tests.endurance.hostile.kind import Change, Kinds

KINDS = Kinds("vacuum", "overwritten")


def removes(path: str, **values: Any) -> Change:
    """Append a commit that removed a file long ago."""
    return commit({"remove": {"path": path, "dataChange": True, "deletionTimestamp": 1, **values}})


def _vector(**values: Any) -> Change:
    plain = {"storageType": "p", "pathOrInlineDv": "x", "sizeInBytes": 1, "cardinality": 1}
    return removes("gone.parquet", deletionVector={**plain, **values})


def _move(name: str, place: str) -> Change:
    """Move a folder of the table, and leave a link to it."""

    def change(path: Path) -> None:
        target = path / place
        target.parent.mkdir(parents=True, exist_ok=True)
        (path / name).rename(target)
        (path / name).symlink_to(target)

    return change


def _absolute(name: str) -> Change:
    return lambda path: removes(f"{path.parent}/outside/{name}")(path)


def _live_under_another_name(spell: str) -> Change:
    """Let the log call its newest file by another name."""
    return lambda path: rewrite(
        "add", lambda add: {**add, "path": spell.format(path=path, name=add["path"])}
    )(path)


def _named_twice(path: Path) -> None:
    """Remove the newest file under another spelling that means another place."""
    removes("x/../../table2/" + str(newest_add(path)["path"]))(path)


def _first_live(path: Path) -> None:
    """Bring a file back that was removed, under another spelling."""
    for line in commits(path)[0].read_text("utf-8").splitlines():
        plain = json.loads(line)
        if "add" in plain:
            commit({"add": {**plain["add"], "path": "./" + plain["add"]["path"]}})(path)


_UUID = "a" * 20  # Z85 of sixteen bytes

KINDS.sound("removes_text_outside", removes("../outside/canary.txt"))
KINDS.sound("removes_escaped_text_outside", removes("%2e%2e/outside/canary.txt"))
KINDS.sound("removes_by_dots_inside", removes("a/b/../../../outside/canary.txt"))
KINDS.sound("removes_by_many_dots", removes("../" * 60 + "tmp/x"))
KINDS.sound("removes_by_an_absolute_path", _absolute("canary.txt"))
KINDS.sound(
    "removes_by_a_url", lambda path: removes(f"file://{path.parent}/outside/canary.txt")(path)
)
KINDS.sound(
    "removes_by_a_url_of_dots", lambda path: removes(f"file://{path}/../outside/canary.txt")(path)
)
KINDS.sound(
    "removes_by_a_url_of_this_host",
    lambda path: removes(f"file://localhost{path}/../outside/canary.txt")(path),
)
KINDS.sound(
    "removes_by_slashes", lambda path: removes(f"//{path.parent}//outside/canary.txt")(path)
)
KINDS.sound("removes_the_folder_outside", removes("../outside"))
KINDS.sound("removes_the_folder_above", removes(".."))
KINDS.sound("removes_the_table", removes("."))
KINDS.sound("removes_nothing", removes(""))
KINDS.sound("removes_a_slash", removes("/"))
KINDS.sound("removes_a_name_of_nul", removes("a\0b"))
KINDS.sound("removes_an_escaped_nul", removes("../outside/canary.txt%00"))
KINDS.sound("removes_a_long_name", removes("x" * 50_000))
KINDS.sound("removes_a_commit", removes("_delta_log/00000000000000000001.json"))
KINDS.sound("removes_the_log", removes("_delta_log"))
KINDS.sound("removes_a_commit_by_dots", removes("x/../_delta_log/00000000000000000001.json"))
KINDS.sound(
    "removes_a_commit_by_its_url",
    lambda path: removes(f"file://{path}/_delta_log/00000000000000000001.json")(path),
)
KINDS.sound(
    "removes_a_commit_by_a_link",
    link("alias", "."),
    removes("alias/_delta_log/00000000000000000001.json"),
)
KINDS.sound("removes_by_a_link_outside", link("deep", "../outside"), removes("deep/canary.txt"))
KINDS.sound(
    "removes_by_a_link_of_a_link",
    link("one", "two"),
    link("two", "../outside"),
    removes("one/deep/canary.parquet"),
)
KINDS.sound(
    "removes_a_live_file_by_a_link",
    link("alias", "."),
    lambda path: removes(f"alias/{newest_add(path)['path']}")(path),
)
KINDS.sound(
    "removes_a_live_file_by_a_folder_that_is_not_there",
    lambda path: commit(
        {
            "remove": {
                "path": f"nowhere/{newest_add(path)['path']}",
                "dataChange": True,
                "deletionTimestamp": 1,
            }
        }
    )(path),
)
KINDS.sound("removes_a_namesake_elsewhere", _named_twice)
KINDS.sound("removes_a_vector_outside", _vector(pathOrInlineDv="../outside/canary.txt"))
KINDS.sound(
    "removes_a_vector_by_a_url",
    lambda path: _vector(pathOrInlineDv=f"file://{path.parent}/outside/canary.txt")(path),
)
KINDS.sound(
    "removes_a_vector_of_a_prefix", _vector(storageType="u", pathOrInlineDv="../outside" + _UUID)
)
KINDS.sound(
    "removes_a_vector_of_a_deep_prefix",
    _vector(storageType="u", pathOrInlineDv="x/../../outside" + _UUID),
)
KINDS.sound("removes_a_vector_of_no_kind", _vector(storageType="?"))
KINDS.sound(
    "change_file_outside",
    commit(
        {
            "cdc": {
                "path": "../outside/canary.txt",
                "partitionValues": {},
                "size": 1,
                "dataChange": False,
            }
        }
    ),
)
KINDS.sound("link_to_a_folder_outside", link("deep", "../outside"))
KINDS.sound("link_to_the_root", link("deep", "/"))
KINDS.sound("link_to_the_folder_above", link("deep", ".."))
KINDS.sound("link_to_a_file_outside", link("old.parquet", "../outside/deep/canary.parquet"))
KINDS.sound("link_to_the_table", link("deep", "."))
KINDS.sound("link_to_the_log", link("deep", "_delta_log"))
KINDS.sound("links_in_a_circle", link("one", "two"), link("two", "one"))
KINDS.sound("partition_moved_outside", _move("day=2024-01-03", "../moved"), table="partitioned")
KINDS.sound("partition_moved_inside", _move("day=2024-01-03", "moved/deep"), table="partitioned")
KINDS.sound(
    "partition_moved_to_a_hidden_folder",
    _move("day=2024-01-03", "_moved/deep"),
    table="partitioned",
)
KINDS.sound("live_file_by_dots", _live_under_another_name("./x/../{name}"))
KINDS.sound("live_file_by_its_path", _live_under_another_name("{path}/{name}"))
KINDS.sound("live_file_by_its_url", _live_under_another_name("file:{path}/./{name}"))
KINDS.sound("live_file_by_the_folder_above", _live_under_another_name("../table/{name}"))
KINDS.unknown("live_file_that_was_removed", _first_live)
KINDS.sound("removal_of_the_last_time", removes("x", deletionTimestamp=2**63 - 1))
KINDS.either("removal_of_a_time_in_text", removes("x", deletionTimestamp="1"))
KINDS.either("retention_of_garbage", setting("delta.deletedFileRetentionDuration", "garbage"))
KINDS.either(
    "retention_that_is_negative",
    setting("delta.deletedFileRetentionDuration", "interval -100 years"),
)
KINDS.either("protocol_that_is_not_known", fields("protocol", minWriterVersion=9))
