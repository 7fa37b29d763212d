"""Commits that no writer writes."""

import json
from pathlib import Path

from tests.endurance.hostile.edits import (
    commit,
    commits,
    copied_add,
    drop,
    edit_bytes,
    fields,
    folder,
    link,
    log,
    pipe,
    put,
    raw_field,
    rewrite,
    without_checksums,
)
from tests.endurance.hostile.kind import Kinds

KINDS = Kinds("commits")
_LAST = "0*2.json"
_NEXT = f"{3:020}.json"
_DEEP = 100_000


def _twice(path: Path) -> None:
    last = commits(path)[-1]
    data = last.read_bytes()
    last.write_bytes(data + data)
    without_checksums(path)


def _large_version(number: int) -> str:
    return f"{number:020}.json"


KINDS.refused("commit_of_bytes", edit_bytes(_LAST, lambda _: bytes(range(256))))
KINDS.refused("commit_cut_in_a_line", edit_bytes(_LAST, lambda data: data[:-20]))
KINDS.refused("commit_of_nulls", edit_bytes(_LAST, lambda data: bytes(len(data))))
KINDS.unknown("commit_that_is_empty", edit_bytes(_LAST, lambda _: b""))
KINDS.sound("commit_of_blanks_follows", put(_NEXT, b" \n\t\n\r\n"))
KINDS.sound("commit_of_unknown_actions", commit({"futureAction": {"a": [1, {"b": None}]}}))
KINDS.sound("commit_of_an_empty_object", commit({}))
KINDS.refused("commit_of_an_array", commit("[1, 2]"))
KINDS.refused("commit_of_a_number", commit("17"))
KINDS.refused("commit_of_a_string", commit('"add"'))
KINDS.refused("commit_of_null", commit("null"))
KINDS.refused("commit_of_deep_arrays", commit("[" * _DEEP))
KINDS.either("commit_of_deep_unknown", commit('{"x":' + "[" * _DEEP + "]" * _DEEP + "}"))
KINDS.either("commit_of_deep_objects", commit('{"x":' * _DEEP + "1" + "}" * _DEEP))
KINDS.refused(
    "commit_of_deep_tags",
    copied_add(tags={"a": json.loads("[" * 900 + "]" * 900)}),
)
KINDS.sound(
    "commit_info_of_depth",
    commit('{"commitInfo":{"operationParameters":{"a":' + "[" * 900 + "]" * 900 + "}}}"),
)
KINDS.either(
    "commit_info_of_more_depth",
    commit('{"commitInfo":{"operationParameters":{"a":' + "[" * _DEEP + "]" * _DEEP + "}}}"),
)
KINDS.sound("commit_info_of_a_number", commit({"commitInfo": 7}))
KINDS.sound("commit_info_of_null", commit({"commitInfo": None}))
KINDS.sound("commit_info_of_an_array", commit({"commitInfo": [1, 2]}))
KINDS.sound(
    "commit_info_of_other_types",
    commit(
        {
            "commitInfo": {
                "timestamp": "x",
                "operation": 9,
                "operationParameters": [],
                "readVersion": 2**200,
                "operationMetrics": {"a": {"b": 1}},
                "isBlindAppend": "no",
                "tags": 1,
                "userName": {"x": 1},
            }
        }
    ),
)
KINDS.sound(
    "commit_info_of_huge_numbers",
    commit(
        {
            "commitInfo": {
                "timestamp": 2**63 - 1,
                "inCommitTimestamp": -(2**63),
                "readVersion": 2**63,
                "operation": "WRITE",
                "operationParameters": {"x": 1e300},
                "operationMetrics": {"numFiles": "9" * 5000},
            }
        }
    ),
)
KINDS.either("commit_info_of_surrogates", commit('{"commitInfo":{"userName":"\\ud800"}}'))
KINDS.sound(
    "commit_info_that_is_not_text",
    commit(b'{"commitInfo":{"userName":"\xff\xfe","job":{"a":"\xff"}}}'),
)
KINDS.sound(
    "commit_info_of_terminal_codes",
    commit({"commitInfo": {"operation": "\x1b[2J\x07", "userName": "a\nb\r\0c"}}),
)
KINDS.sound("commit_with_byte_order_mark_only_follows", put(_NEXT, b"\n"))
KINDS.refused("commit_with_byte_order_mark", edit_bytes(_LAST, lambda data: b"\xef\xbb\xbf" + data))
KINDS.refused("commit_in_utf_16", edit_bytes(_LAST, lambda d: d.decode().encode("utf-16")))
KINDS.sound("commit_with_windows_lines", edit_bytes(_LAST, lambda d: d.replace(b"\n", b"\r\n")))
KINDS.either("commit_in_one_line", edit_bytes(_LAST, lambda data: data.replace(b"\n", b" ")))
KINDS.sound("commit_twice_in_a_file", _twice)
KINDS.refused("commit_that_is_gone", drop("0*1.json"))
KINDS.refused("first_commit_that_is_gone", drop("0*0.json"))
KINDS.refused("all_commits_gone", drop("0*.json"))
KINDS.refused("commit_that_is_a_folder", folder(f"_delta_log/{1:020}.json"))
KINDS.sound("next_commit_is_a_folder", folder(f"_delta_log/{_NEXT}"))
KINDS.refused("commit_that_is_a_pipe", pipe(f"_delta_log/{1:020}.json"))
KINDS.either("next_commit_is_a_pipe", pipe(f"_delta_log/{_NEXT}"))
KINDS.either("next_commit_leads_nowhere", link(f"_delta_log/{_NEXT}", "nowhere"))
KINDS.either("next_commit_leads_to_itself", link(f"_delta_log/{_NEXT}", f"_delta_log/{_NEXT}"))
KINDS.either("next_commit_is_a_device", link(f"_delta_log/{_NEXT}", "/dev/zero"))
KINDS.refused("next_commit_leads_to_text", link(f"_delta_log/{_NEXT}", "../outside/canary.txt"))
KINDS.refused("log_is_a_file", lambda path: (_remove_log(path), (path / "_delta_log").touch())[0])
KINDS.refused("version_far_away", put(_large_version(10**6), b"{}"))
KINDS.refused("version_of_the_largest_number", put(_large_version(2**63 - 1), b"{}"))
KINDS.sound("version_beyond_64_bits", put(_large_version(2**63), b"{}"))
KINDS.sound("version_of_a_thousand_digits", put("9" * 200 + ".json", b"{}"))
KINDS.sound("version_that_is_negative", put("-0000000000000000001.json", b"{}"))
KINDS.sound("version_of_other_digits", put("\N{ARABIC-INDIC DIGIT THREE}" * 20 + ".json", b"{}"))
KINDS.sound("version_with_a_suffix", put(_NEXT + ".tmp", b"garbage"))
KINDS.either("version_in_few_digits", put("3.json", b"garbage"))
KINDS.sound("names_that_are_none", put("00000000000000000003.checkpoint", b"garbage"))
KINDS.sound(
    "name_of_bytes", lambda path: (log(path) / "\udcff\udcfe.json").write_bytes(b"x") and None
)
KINDS.sound("name_of_a_newline", put(f"{3:020}\n.json", b"garbage"))
KINDS.sound("name_that_ends_in_a_newline", put(f"{3:020}.json\n", b"garbage"))

KINDS.refused("add_without_path", fields("add", path=...))
KINDS.refused("add_without_size", fields("add", size=...))
KINDS.refused("add_without_partition_values", fields("add", partitionValues=...))
KINDS.refused("add_of_a_negative_size", fields("add", size=-1))
KINDS.refused("add_of_a_size_beyond_64_bits", fields("add", size=2**63))
KINDS.either("add_of_the_largest_size", fields("add", size=2**63 - 1))
KINDS.either(
    "all_adds_of_the_largest_size",
    copied_add(size=2**63 - 1),
    commit(
        {
            "add": {
                "path": "b",
                "partitionValues": {},
                "size": 2**63 - 1,
                "modificationTime": 0,
                "dataChange": True,
            }
        },
        {"remove": {"path": "b", "dataChange": True}},
    ),
)
KINDS.refused("add_of_a_size_in_text", fields("add", size="7"))
KINDS.refused("add_of_a_size_in_half", fields("add", size=7.5))
KINDS.refused("add_of_a_size_in_exponents", raw_field("add", "size", "1e400"))
KINDS.refused("add_of_a_size_of_digits", raw_field("add", "size", "9" * 100_000))
KINDS.either("add_of_a_size_of_zero", fields("add", size=0))
KINDS.sound("add_of_the_first_time", fields("add", modificationTime=-(2**63)))
KINDS.sound("add_of_the_last_time", fields("add", modificationTime=2**63 - 1))
KINDS.refused("add_of_a_later_time_than_that", fields("add", modificationTime=2**63))
KINDS.sound("add_that_changes_no_data", fields("add", dataChange=False))
KINDS.refused("add_of_a_change_in_text", fields("add", dataChange="true"))
KINDS.refused("add_of_nan", raw_field("add", "size", "NaN"))
KINDS.refused("add_of_tags_in_a_list", fields("add", tags=["a"]))
KINDS.sound(
    "add_of_strange_tags", fields("add", tags={"": "", "\0": None, "a" * 9999: "\ud83d\ude00"})
)
KINDS.sound("add_of_unknown_fields", fields("add", future={"a": [1]}, path_=7))
KINDS.refused("add_of_null", commit('{"add":[]}'))
KINDS.sound("add_that_is_null", commit('{"add":null}'))
KINDS.sound("add_twice_the_same", copied_add())
KINDS.unknown(
    "add_and_remove_in_one_commit",
    rewrite("add", lambda add: add),
    lambda path: commit({"remove": {"path": "nothing", "dataChange": True}}, {"add": _first(path)})(
        path
    ),
)
KINDS.unknown(
    "add_and_remove_in_one_line",
    lambda path: commit(
        {"remove": {"path": _first(path)["path"], "dataChange": True}, "add": _first(path)}
    )(path),
)
KINDS.unknown("add_with_a_key_twice", raw_field("add", "size", '1,"size":2,"path":"nothing"'))
KINDS.sound(
    "remove_of_an_unknown_file", commit({"remove": {"path": "nothing", "dataChange": True}})
)
KINDS.refused("remove_without_path", commit({"remove": {"dataChange": True}}))
KINDS.sound(
    "remove_of_the_last_time",
    commit({"remove": {"path": "x", "dataChange": True, "deletionTimestamp": 2**63 - 1}}),
)
KINDS.refused(
    "remove_of_a_later_time_than_that",
    commit({"remove": {"path": "x", "dataChange": True, "deletionTimestamp": 2**64}}),
)
KINDS.sound(
    "change_file_that_is_not_there",
    commit({"cdc": {"path": "../../x", "partitionValues": {}, "size": 1, "dataChange": False}}),
)
KINDS.sound(
    "transactions_of_strange_names",
    commit(
        {"txn": {"appId": "", "version": -(2**63)}},
        {"txn": {"appId": "\0\n", "version": 2**63 - 1}},
    ),
)
KINDS.refused("transaction_of_a_large_version", commit({"txn": {"appId": "a", "version": 2**63}}))
KINDS.sound(
    "domains_of_strange_names",
    commit(
        {"domainMetadata": {"domain": "", "configuration": "", "removed": False}},
        {
            "domainMetadata": {
                "domain": "delta.clustering",
                "configuration": "[" * 50_000,
                "removed": False,
            }
        },
    ),
)
KINDS.sound(
    "domain_of_other_clustering",
    commit(
        {
            "domainMetadata": {
                "domain": "delta.clustering",
                "removed": False,
                "configuration": '{"clusteringColumns":[["nothing"],["id","x"],[]]}',
            }
        }
    ),
)
KINDS.sound(
    "domain_of_other_row_tracking",
    commit(
        {
            "domainMetadata": {
                "domain": "delta.rowTracking",
                "removed": False,
                "configuration": '{"rowIdHighWaterMark":"x"}',
            }
        }
    ),
)
KINDS.sound(
    "a_thousand_domains",
    commit(
        *(
            {
                "domainMetadata": {
                    "domain": f"d{n}",
                    "configuration": "x" * 100,
                    "removed": n % 2 == 0,
                }
            }
            for n in range(1000)
        )
    ),
)
KINDS.sound(
    "checkpoint_actions_in_a_commit",
    commit(
        {"checkpointMetadata": {"version": 7}},
        {
            "sidecar": {
                "path": "../../../outside/canary.txt",
                "sizeInBytes": 1,
                "modificationTime": 0,
            }
        },
    ),
)
KINDS.refused(
    "compaction_that_is_damaged",
    edit_bytes("*.compacted.json", lambda data: data[: len(data) // 2]),
    drop("0*1.json"),
    table="compacted",
)
KINDS.either("compaction_of_garbage", put(f"{0:020}.{2:020}.compacted.json", b"garbage"))
KINDS.sound("compaction_backwards", put(f"{2:020}.{0:020}.compacted.json", b"garbage"))
KINDS.either("compaction_past_the_end", put(f"{1:020}.{2**63 - 1:020}.compacted.json", b"garbage"))


def _first(path: Path) -> dict[str, object]:
    for line in commits(path)[0].read_text("utf-8").splitlines():
        if "add" in (plain := json.loads(line)):
            found: dict[str, object] = plain["add"]
            return found
    raise AssertionError("no add")


def _remove_log(path: Path) -> None:
    for found in log(path).iterdir():
        found.unlink()
    log(path).rmdir()
