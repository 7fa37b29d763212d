"""Hints where the newest checkpoint is, which are hostile: they may cost time, never an answer."""

import json
from typing import Any

from tests.endurance.hostile.edits import edit_bytes, edit_json, folder, link, pipe, put
from tests.endurance.hostile.kind import Change, Kinds

KINDS = Kinds("hints", "checkpointed")
_HINT = "_last_checkpoint"


def _says(**values: Any) -> Change:
    return put(_HINT, json.dumps({"version": 2, "size": 5, **values}))


KINDS.sound("hint_of_nothing", put(_HINT, b""))
KINDS.sound("hint_of_garbage", put(_HINT, bytes(range(256))))
KINDS.sound("hint_of_depth", put(_HINT, b"[" * 300_000))
KINDS.sound("hint_of_deep_objects", put(_HINT, b'{"a":' * 300_000))
KINDS.sound(
    "hint_of_deep_schema",
    put(_HINT, b'{"version":2,"size":5,"checkpointSchema":' + b"[" * 900 + b"]" * 900 + b"}"),
)
KINDS.sound(
    "hint_of_deeper_schema",
    put(_HINT, b'{"version":2,"size":5,"checkpointSchema":' + b"[" * 99_999 + b"]" * 99_999 + b"}"),
)
KINDS.sound(
    "hint_of_depth_and_a_checksum",
    put(
        _HINT,
        b'{"version":2,"size":5,"checksum":"0","tags":{"a":"b"},"checkpointSchema":'
        + b"[" * 950
        + b"]" * 950
        + b"}",
    ),
)
KINDS.sound("hint_of_null", put(_HINT, b"null"))
KINDS.sound("hint_of_a_number", put(_HINT, b"3"))
KINDS.sound("hint_cut_off", edit_bytes(_HINT, lambda data: data[:30]))
KINDS.sound("hint_without_end", edit_bytes(_HINT, lambda data: data[:-1]))
KINDS.sound("hint_that_was_changed", edit_json(_HINT, lambda plain: {**plain, "version": 0}))
KINDS.sound("hint_is_a_folder", folder(f"_delta_log/{_HINT}"))
KINDS.sound("hint_is_a_pipe", pipe(f"_delta_log/{_HINT}"))
KINDS.sound("hint_is_a_device", link(f"_delta_log/{_HINT}", "/dev/zero"))
KINDS.sound("hint_leads_nowhere", link(f"_delta_log/{_HINT}", "nowhere"))
KINDS.sound("hint_leads_to_itself", link(f"_delta_log/{_HINT}", f"_delta_log/{_HINT}"))
KINDS.sound("hint_leads_out", link(f"_delta_log/{_HINT}", "../outside/canary.txt"))
KINDS.sound("hint_of_no_such_version", _says(version=3))
KINDS.sound("hint_of_a_later_version", _says(version=99))
KINDS.sound("hint_of_the_largest_version", _says(version=2**63 - 1))
KINDS.sound("hint_of_a_larger_version", _says(version=2**63))
KINDS.sound("hint_of_a_huge_version", put(_HINT, b'{"size":1,"version":' + b"9" * 5000 + b"}"))
KINDS.sound("hint_of_a_negative_version", _says(version=-1))
KINDS.sound("hint_of_a_version_in_text", _says(version="2"))
KINDS.sound("hint_of_half_a_version", _says(version=2.5))
KINDS.sound("hint_of_many_parts", _says(parts=2**31))
KINDS.sound("hint_of_all_parts", _says(parts=2**63 - 1))
KINDS.sound("hint_of_no_parts", _says(parts=0))
KINDS.sound("hint_of_a_huge_size", _says(size=2**200))
KINDS.sound("hint_of_negative_size", _says(size=-5))
KINDS.sound("hint_of_many_files", _says(numOfAddFiles=10**18))
KINDS.sound("hint_of_another_schema", _says(checkpointSchema={"type": "struct", "fields": []}))
KINDS.sound(
    "hint_to_a_file_outside",
    _says(
        v2Checkpoint={"path": "../../outside/canary.txt", "sizeInBytes": 6, "modificationTime": 0}
    ),
)
KINDS.sound(
    "hint_to_a_place_outside",
    _says(
        v2Checkpoint={
            "path": "file:///etc/passwd",
            "sizeInBytes": 6,
            "modificationTime": 0,
            "sidecarFiles": [
                {"path": "../../../etc/passwd", "sizeInBytes": 1, "modificationTime": 1}
            ],
        }
    ),
)
KINDS.sound(
    "hint_of_other_actions",
    _says(
        v2Checkpoint={
            "path": "x",
            "sizeInBytes": 6,
            "modificationTime": 0,
            "nonFileActions": [{"metaData": {"id": "hostile"}}],
        }
    ),
)
KINDS.sound("hint_of_another_checksum", _says(checksum="0" * 32))
KINDS.sound("hint_of_a_strange_checksum", _says(checksum="\0\ud83d\ude00"))
KINDS.sound("hint_of_keys_twice", put(_HINT, b'{"version":2,"size":5,"version":99}'))
KINDS.sound(
    "hint_of_surrogates", put(_HINT, b'{"version":2,"size":5,"tags":{"\\ud800":"\\udfff"}}')
)
KINDS.sound(
    "hint_of_surrogates_and_a_checksum",
    put(_HINT, b'{"version":2,"size":5,"checksum":"0","tags":{"\\ud800":"\\udfff"}}'),
)
KINDS.sound("hint_of_other_bytes", put(_HINT, b'{"version":2,"size":5,"tags":{"a":"\xff"}}'))
KINDS.sound(
    "hint_of_a_huge_number_and_a_checksum",
    put(_HINT, b'{"version":2,"size":5,"checksum":"0","x":1e999999999,"y":' + b"9" * 9999 + b"}"),
)
