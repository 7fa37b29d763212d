"""Checksums that lie, and such as are none: they may cost time, never an answer."""

from typing import Any

from tests.endurance.hostile.edits import edit_bytes, edit_json, folder, link, pipe, put
from tests.endurance.hostile.kind import Change, Kinds

KINDS = Kinds("checksums")
_CRC = f"{2:020}.crc"
_LAST = "*2.crc"


def _with(**values: Any) -> Change:
    return edit_json(_LAST, lambda plain: {**plain, **values})


def _first_file(**values: Any) -> Change:
    def edit(plain: dict[str, Any]) -> None:
        plain["allFiles"][0].update(values)

    return edit_json(_LAST, edit)


KINDS.sound("checksum_of_nothing", put(_CRC, b""))
KINDS.sound("checksum_of_garbage", put(_CRC, bytes(range(256))))
KINDS.sound("checksum_of_depth", put(_CRC, b"[" * 200_000))
KINDS.sound("checksum_of_deep_objects", put(_CRC, b'{"a":' * 200_000))
KINDS.sound("checksum_of_null", put(_CRC, b"null"))
KINDS.sound("checksum_cut_off", edit_bytes(_LAST, lambda data: data[:-9]))
KINDS.sound("checksum_twice", edit_bytes(_LAST, lambda data: data + data))
KINDS.sound("checksum_is_a_folder", folder(f"_delta_log/{_CRC}"))
KINDS.sound("checksum_is_a_pipe", pipe(f"_delta_log/{_CRC}"))
KINDS.sound("checksum_is_a_device", link(f"_delta_log/{_CRC}", "/dev/zero"))
KINDS.sound("checksum_leads_nowhere", link(f"_delta_log/{_CRC}", "nowhere"))
KINDS.sound("checksum_of_no_files", _with(numFiles=0, tableSizeBytes=0, allFiles=[]))
KINDS.sound("checksum_of_more_files", _with(numFiles=10**9, allFiles=None))
KINDS.sound("checksum_of_the_largest_numbers", _with(numFiles=2**63 - 1, tableSizeBytes=2**63 - 1))
KINDS.sound("checksum_of_larger_numbers", _with(numFiles=2**200))
KINDS.sound("checksum_of_negative_numbers", _with(numFiles=-3, tableSizeBytes=-1))
KINDS.sound("checksum_of_other_types", _with(numFiles="3", allFiles={"a": 1}))
KINDS.sound("checksum_of_other_files", _first_file(path="../outside/canary.txt"))
KINDS.sound(
    "checksum_of_one_file_twice",
    edit_json(_LAST, lambda plain: {**plain, "allFiles": [plain["allFiles"][0]] * 3}),
)
KINDS.sound("checksum_of_other_statistics", _first_file(stats='{"numRecords":0}'))
KINDS.sound(
    "checksum_of_strange_histogram",
    _with(fileSizeHistogram={"sortedBinBoundaries": [], "fileCounts": [1], "totalBytes": []}),
)
KINDS.sound(
    "checksum_of_large_histogram",
    _with(
        fileSizeHistogram={
            "sortedBinBoundaries": [0] * 100_000,
            "fileCounts": [2**63 - 1] * 100_000,
            "totalBytes": [2**63 - 1] * 100_000,
        }
    ),
)
KINDS.sound(
    "checksum_of_unsorted_histogram",
    _with(
        fileSizeHistogram={
            "sortedBinBoundaries": [9, 0],
            "fileCounts": [1, 2],
            "totalBytes": [0, 0],
        }
    ),
)
KINDS.sound(
    "checksum_of_other_metadata",
    edit_json(_LAST, lambda plain: plain["metadata"].update(schemaString="{}")),
)
KINDS.sound(
    "checksum_of_other_protocol", _with(protocol={"minReaderVersion": 99, "minWriterVersion": 99})
)
KINDS.sound("checksum_of_no_protocol", _with(protocol=None, metadata=None))
KINDS.sound("checksum_of_other_transaction", _with(txnId="another"))
KINDS.sound("checksum_of_other_transactions", _with(setTransactions=[{"appId": "a", "version": 1}]))
KINDS.sound("checksum_of_a_huge_time", _with(inCommitTimestampOpt=2**300))
KINDS.sound(
    "checksum_of_surrogates",
    edit_bytes(_LAST, lambda data: data.replace(b'"txnId":"', b'"txnId":"\\ud800')),
)
KINDS.sound(
    "checksum_of_other_bytes",
    edit_bytes(_LAST, lambda data: data.replace(b'"txnId":"', b'"txnId":"\xff')),
)
KINDS.sound("checksum_of_a_later_version", put(f"{9:020}.crc", b"{}"))
