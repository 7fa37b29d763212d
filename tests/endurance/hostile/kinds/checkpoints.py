"""Checkpoints and sidecars that are damaged, lie, or lead elsewhere."""

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.endurance.hostile.edits import (
    cells,
    edit_bytes,
    folder,
    link,
    log,
    only_checkpoint,
    parquet,
    pipe,
    put,
    without_checksums,
)
from tests.endurance.hostile.kind import Change, Kinds

KINDS = Kinds("checkpoints", "checkpointed")
_ONE = "*.checkpoint.parquet"
_V2 = "*.checkpoint.*.json"
_DEEP = 100_000


def _only(name: str, outcome: str, *changes: Change, table: str = "") -> None:
    """Add a kind whose commits are gone, so that the checkpoint is all there is."""
    getattr(KINDS, outcome)(name, *changes, only_checkpoint, table=table)


def _nulls(count: int) -> bytes:
    """Make a checkpoint of many rows of nulls, which takes little space."""
    kind = pa.struct([("path", pa.string()), ("size", pa.int64())])
    schema = pa.schema([("add", kind), ("metaData", pa.struct([("id", pa.string())]))])
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, schema, compression="zstd", write_statistics=False) as writer:
        for _ in range(count // 10**6):
            batch = [pa.nulls(10**6, field.type) for field in schema]
            writer.write_table(pa.table(batch, schema=schema), row_group_size=10**6)
    return sink.getvalue()


def _same(value: str, count: int) -> bytes:
    """Make a checkpoint of one long text many times: a dictionary makes it small."""
    kind = pa.struct([("path", pa.string())])
    paths = pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), [value])
    table = pa.table([pa.StructArray.from_arrays([paths.cast(pa.string())], ["path"])], ["add"])
    assert table["add"].type == kind
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def _long_metadata(path: Path) -> None:
    place = max(log(path).glob(_ONE))
    table = pq.read_table(place)
    bomb = {b"x": b"0" * 5_000_000}
    pq.write_table(table.replace_schema_metadata(bomb), place)


def _sidecar(**values: Any) -> Change:
    """Change the sidecars of a V2 checkpoint in JSON."""

    def edit(data: bytes) -> bytes:
        lines = []
        for line in data.decode().splitlines():
            plain = json.loads(line)
            if "sidecar" in plain:
                plain["sidecar"].update(values)
            lines.append(json.dumps(plain))
        return "\n".join(lines).encode()

    return edit_bytes(_V2, edit)


def _cut_sidecar(path: Path) -> None:
    for place in (log(path) / "_sidecars").iterdir():
        place.write_bytes(place.read_bytes()[:100])


def _lose_sidecar(path: Path) -> None:
    for place in (log(path) / "_sidecars").iterdir():
        place.unlink()


def _without(column: str) -> Change:
    return parquet(_ONE, lambda table: table.drop_columns([column]))


def _retyped(column: str) -> Change:
    def edit(table: pa.Table) -> pa.Table:
        at = table.schema.get_field_index(column)
        texts = [None if value is None else str(value) for value in table[at].to_pylist()]
        return table.set_column(at, column, pa.array(texts, pa.string()))

    return parquet(_ONE, edit)


def _add(**values: Any) -> Change:
    return cells(_ONE, "add", lambda add: {**add, **values})


_only("checkpoint_of_nothing", "refused", edit_bytes(_ONE, lambda _: b""))
_only("checkpoint_of_garbage", "refused", edit_bytes(_ONE, lambda _: bytes(range(256)) * 9))
_only("checkpoint_of_marks", "refused", edit_bytes(_ONE, lambda _: b"PAR1" * 50))
_only("checkpoint_cut_in_half", "refused", edit_bytes(_ONE, lambda data: data[: len(data) // 2]))
_only("checkpoint_without_start", "refused", edit_bytes(_ONE, lambda data: data[100:]))
_only(
    "checkpoint_of_a_huge_footer",
    "refused",
    edit_bytes(_ONE, lambda data: data[:-8] + b"\xff\xff\xff\x7fPAR1"),
)
_only(
    "checkpoint_of_a_footer_of_zeros",
    "refused",
    edit_bytes(_ONE, lambda data: data[:-2000] + bytes(1992) + data[-8:]),
)
_only("checkpoint_encrypted", "refused", edit_bytes(_ONE, lambda data: data[:-4] + b"PARE"))
_only("checkpoint_of_long_metadata", "either", _long_metadata)
_only(
    "checkpoint_is_a_folder",
    "refused",
    lambda path: folder(f"_delta_log/{max(log(path).glob(_ONE)).name}")(path),
)
KINDS.either(
    "newest_checkpoint_is_a_pipe",
    lambda path: pipe(f"_delta_log/{max(log(path).glob(_ONE)).name}")(path),
)
KINDS.either(
    "newest_checkpoint_leads_to_zeros",
    lambda path: link(f"_delta_log/{max(log(path).glob(_ONE)).name}", "/dev/zero")(path),
)
KINDS.sound(
    "newest_checkpoint_is_damaged", edit_bytes(_ONE, lambda data: data[:-50]), without_checksums
)
KINDS.sound(
    "newest_checkpoint_is_garbage", edit_bytes(_ONE, lambda _: b"garbage"), without_checksums
)
_only("checkpoint_without_protocol", "refused", _without("protocol"))
_only("checkpoint_without_metadata", "refused", _without("metaData"))
_only("checkpoint_without_files", "unknown", _without("add"))
_only("checkpoint_of_protocol_in_text", "refused", _retyped("protocol"))
_only("checkpoint_of_metadata_in_text", "refused", _retyped("metaData"))
_only("checkpoint_of_files_in_text", "refused", _retyped("add"))
_only("checkpoint_of_removes_in_text", "either", _retyped("remove"))
_only(
    "checkpoint_of_columns_twice",
    "either",
    parquet(_ONE, lambda table: table.append_column("add", table["add"])),
)
_only(
    "checkpoint_of_columns_in_capitals",
    "refused",
    parquet(
        _ONE, lambda table: table.rename_columns([name.upper() for name in table.column_names])
    ),
)
_only("checkpoint_of_no_rows", "refused", parquet(_ONE, lambda table: table.slice(0, 0)))
_only(
    "checkpoint_of_all_rows_twice",
    "sound",
    parquet(_ONE, lambda table: pa.concat_tables([table, table])),
)
_only(
    "checkpoint_of_unknown_columns",
    "sound",
    parquet(
        _ONE, lambda table: table.append_column("future", pa.nulls(table.num_rows, pa.int64()))
    ),
)
_only("checkpoint_of_a_file_without_path", "refused", _add(path=None))
_only("checkpoint_of_a_file_of_no_path", "either", _add(path=""))
_only("checkpoint_of_a_path_out", "refused", _add(path="../outside/canary.txt"))
_only("checkpoint_of_one_path_for_all", "refused", _add(path="nothing"))
_only("checkpoint_of_negative_sizes", "either", _add(size=-1))
_only("checkpoint_of_sizes_of_null", "either", _add(size=None))
_only("checkpoint_of_the_largest_sizes", "either", _add(size=2**63 - 1))
_only("checkpoint_of_partition_values_of_null", "either", _add(partitionValues=None))
_only("checkpoint_of_times_of_null", "either", _add(modificationTime=None, dataChange=None))
_only("checkpoint_of_statistics_of_garbage", "sound", _add(stats="{garbage", stats_parsed=None))
_only(
    "checkpoint_of_a_vector_of_nothing",
    "refused",
    _add(
        deletionVector={"storageType": "", "pathOrInlineDv": "", "sizeInBytes": 0, "cardinality": 0}
    ),
)
_only(
    "checkpoint_of_a_vector_of_nulls",
    "refused",
    _add(
        deletionVector={
            "storageType": None,
            "pathOrInlineDv": None,
            "offset": None,
            "sizeInBytes": None,
            "cardinality": None,
        }
    ),
)
_only(
    "checkpoint_of_a_vector_of_negative_size",
    "refused",
    _add(
        deletionVector={
            "storageType": "i",
            "pathOrInlineDv": "",
            "offset": -1,
            "sizeInBytes": -1,
            "cardinality": -1,
        }
    ),
)
_only(
    "checkpoint_of_a_huge_protocol",
    "refused",
    cells(_ONE, "protocol", lambda found: {**found, "minReaderVersion": 2**31 - 1}),
)
_only(
    "checkpoint_of_a_negative_protocol",
    "refused",
    cells(_ONE, "protocol", lambda found: {**found, "minReaderVersion": -1}),
)
_only(
    "checkpoint_of_a_protocol_of_nulls",
    "refused",
    cells(_ONE, "protocol", dict.fromkeys),
)
_only(
    "checkpoint_of_a_schema_of_null",
    "unknown",
    cells(_ONE, "metaData", lambda found: {**found, "schemaString": None}),
)
_only(
    "checkpoint_of_a_schema_of_depth",
    "refused",
    cells(_ONE, "metaData", lambda found: {**found, "schemaString": "[" * _DEEP}),
)
_only(
    "checkpoint_of_metadata_of_nulls",
    "refused",
    cells(_ONE, "metaData", dict.fromkeys),
)
_only("checkpoint_of_three_million_nulls", "refused", edit_bytes(_ONE, lambda _: _nulls(3 * 10**6)))
_only("checkpoint_of_long_paths", "refused", edit_bytes(_ONE, lambda _: _same("x" * 10**4, 10**4)))

KINDS.sound("part_of_the_future", put(f"{3:020}.checkpoint.{1:010}.{2**31:010}.parquet", b"x"))
KINDS.sound("part_of_many", put(f"{3:020}.checkpoint.{1:010}.{9_999_999_999}.parquet", b"x"))
KINDS.sound("part_of_none", put(f"{3:020}.checkpoint.{0:010}.{0:010}.parquet", b"x"))
KINDS.sound("part_past_the_last", put(f"{3:020}.checkpoint.{2:010}.{1:010}.parquet", b"x"))
KINDS.sound("checkpoint_of_a_later_version_that_is_empty", put(f"{9:020}.checkpoint.parquet", b""))
KINDS.either("checkpoint_of_a_later_version", put(f"{9:020}.checkpoint.parquet", b"garbage"))
KINDS.either(
    "checkpoint_of_the_largest_version", put(f"{2**63 - 1:020}.checkpoint.parquet", b"garbage")
)
_only(
    "part_that_is_damaged",
    "refused",
    edit_bytes("*.checkpoint.*.parquet", lambda data: data[:-9]),
    table="parts",
)
_only(
    "part_that_is_gone",
    "unknown",
    lambda path: max(log(path).glob("*.checkpoint.*.parquet")).unlink(),
    table="parts",
)

_only("sidecar_path_out", "refused", _sidecar(path="../../../outside/canary.txt"), table="v2_json")
_only(
    "sidecar_path_of_passwords",
    "refused",
    _sidecar(path="../" * 30 + "etc/passwd"),
    table="v2_json",
)
_only(
    "sidecar_path_of_a_device", "refused", _sidecar(path="../" * 30 + "dev/zero"), table="v2_json"
)
_only("sidecar_path_that_is_absolute", "refused", _sidecar(path="/etc/passwd"), table="v2_json")
_only("sidecar_path_of_a_url", "refused", _sidecar(path="file:///etc/passwd"), table="v2_json")
_only(
    "sidecar_path_of_escapes",
    "refused",
    _sidecar(path="%2e%2e/%2e%2e/%2e%2e/outside/canary.txt"),
    table="v2_json",
)
_only(
    "sidecar_path_of_a_commit",
    "refused",
    _sidecar(path="../00000000000000000000.json"),
    table="v2_json",
)
_only("sidecar_path_of_nothing", "refused", _sidecar(path=""), table="v2_json")
_only("sidecar_path_of_a_nul", "refused", _sidecar(path="a\0b.parquet"), table="v2_json")
_only("sidecar_path_of_json", "refused", _sidecar(path="x.json"), table="v2_json")
_only("sidecar_path_of_a_number", "refused", _sidecar(path=7), table="v2_json")
_only("sidecar_of_negative_size", "refused", _sidecar(sizeInBytes=-1), table="v2_json")
_only("sidecar_of_a_huge_size", "either", _sidecar(sizeInBytes=2**63 - 1), table="v2_json")
_only("sidecar_of_a_larger_size", "refused", _sidecar(sizeInBytes=2**63), table="v2_json")
_only("sidecar_that_is_cut", "refused", _cut_sidecar, table="v2_json")
_only("sidecar_that_is_gone", "refused", _lose_sidecar, table="v2_json")
_only("v2_checkpoint_cut", "refused", edit_bytes(_V2, lambda data: data[:-30]), table="v2_json")
_only("v2_checkpoint_of_garbage", "refused", edit_bytes(_V2, lambda _: b"garbage"), table="v2_json")
_only("v2_checkpoint_of_depth", "refused", edit_bytes(_V2, lambda _: b"[" * _DEEP), table="v2_json")
_only("v2_checkpoint_of_blanks", "refused", edit_bytes(_V2, lambda _: b" \n"), table="v2_json")
_only(
    "v2_checkpoint_of_another_version",
    "either",
    edit_bytes(_V2, lambda data: data.replace(b'"version":', b'"version":9')),
    table="v2_json",
)
_only(
    "v2_checkpoint_without_metadata_of_it",
    "either",
    edit_bytes(
        _V2,
        lambda data: b"\n".join(
            line for line in data.split(b"\n") if b"checkpointMetadata" not in line
        ),
    ),
    table="v2_json",
)
_only(
    "v2_checkpoint_of_a_thousand_sidecars",
    "either",
    edit_bytes(
        _V2,
        lambda data: (
            data + b"\n".join(line for line in data.split(b"\n") if b'"sidecar"' in line) * 300
        ),
    ),
    table="v2_json",
)
_only(
    "v2_checkpoint_in_parquet_cut",
    "refused",
    edit_bytes("*.checkpoint.*-*.parquet", lambda data: data[:-30]),
    table="v2_parquet",
)
_only(
    "v2_checkpoint_with_a_path_out",
    "refused",
    cells(
        "*.checkpoint.*-*.parquet",
        "sidecar",
        lambda found: {**found, "path": "../../../outside/canary.txt"},
    ),
    table="v2_parquet",
)
