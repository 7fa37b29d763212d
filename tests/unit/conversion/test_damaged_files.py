"""Files that are damaged, encrypted, or at odds with others are told; the rest converts."""

import base64
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest

from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.file_list import FileList
from puredelta.conversion.partitions.clause import partition_columns
from puredelta.conversion.report import Conversion
from puredelta.conversion.request import ConvertRequest
from puredelta.conversion.source_table import ConvertTarget
from puredelta.errors import DeltaError


def convert(folder: Path, **request: object) -> Conversion:
    target = ConvertTarget(provider="parquet", location=str(folder), label="t")
    return ConvertToDeltaCommandBase(target=target, request=ConvertRequest(**request)).run()


def put(folder: Path, name: str, **columns: list) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), folder / name)


class Keys(pe.KmsClient):
    """Gives keys away."""

    def __init__(self, _config: object) -> None:
        super().__init__()

    def wrap_key(self, key_bytes: bytes, _master: str) -> bytes:
        return base64.b64encode(key_bytes)

    def unwrap_key(self, wrapped_key: bytes, _master: str) -> bytes:
        return base64.b64decode(wrapped_key)


@pytest.mark.parametrize("plaintext_footer", [True, False])
def test_encrypted_file_is_told_and_others_convert(tmp_path: Path, plaintext_footer: bool):
    factory = pe.CryptoFactory(Keys)
    properties = factory.file_encryption_properties(
        pe.KmsConnectionConfig(),
        pe.EncryptionConfiguration(
            footer_key="f", column_keys={"k": ["a"]}, plaintext_footer=plaintext_footer
        ),
    )
    rows = pa.table({"a": [1], "b": [2]})
    with pq.ParquetWriter(
        tmp_path / "a.parquet", rows.schema, encryption_properties=properties
    ) as writer:
        writer.write_table(rows)
    put(tmp_path, "b.parquet", a=[1], b=[2])

    with pytest.raises(DeltaError, match="encrypted"):
        convert(tmp_path)
    assert convert(tmp_path, dry_run=True).problem_count == 1
    report = convert(tmp_path, on_bad_file="skip")

    assert (report.files, report.skipped_count) == (1, 1)


def test_writer_that_is_no_text_is_a_damaged_footer(tmp_path: Path):
    put(tmp_path, "a.parquet", a=[1])
    content = (tmp_path / "a.parquet").read_bytes()
    broken = content.replace(b"parquet-cpp", b"parq\xff\xfe-cpp", 1)
    assert broken != content
    (tmp_path / "b.parquet").write_bytes(broken)

    report = convert(tmp_path, on_bad_file="skip")

    assert report.files + report.skipped_count == 2
    assert report.files >= 1


def test_file_that_is_left_out_does_not_decide_the_partition_columns(tmp_path: Path):
    put(tmp_path, "a=1/bad.parquet", x=[1], X=[2])
    put(tmp_path, "p=1/good.parquet", x=[1])
    put(tmp_path, "p=2/good.parquet", x=[2])

    report = convert(tmp_path, on_bad_file="skip", infer_partitions=True)

    assert report.partition_columns == ("p",)
    assert [file.path for file in report.skipped] == ["a=1/bad.parquet"]


def test_file_that_is_left_out_does_not_widen_a_partition_column(tmp_path: Path):
    put(tmp_path, "p=1/good.parquet", x=[1])
    put(tmp_path, "p=2/good.parquet", x=[2])
    put(tmp_path, "p=zzz/bad.parquet", x=[["no", "number"]])

    convert(tmp_path, on_bad_file="skip", infer_partitions=True)

    lines = (tmp_path / "_delta_log/00000000000000000000.json").read_text().splitlines()
    metadata = next(json.loads(line)["metaData"] for line in lines if "metaData" in line)
    columns = {
        field["name"]: field["type"] for field in json.loads(metadata["schemaString"])["fields"]
    }
    assert columns == {"x": "long", "p": "integer"}


@pytest.mark.parametrize("in_memory", [1, 10_000])
def test_rows_of_a_file_whose_pages_are_damaged_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_memory: int
):
    monkeypatch.setattr(FileList.__init__, "__kwdefaults__", {"in_memory": in_memory})
    for name, rows in (("a", 10), ("b", 10_000), ("c", 100), ("d", 1_000)):
        table = pa.table({"n": list(range(rows)), f"only_{name}": [1] * rows})
        path = tmp_path / f"{name}.parquet"
        pq.write_table(table, path, write_statistics=name != "b", compression="zstd")
    content = bytearray((tmp_path / "b.parquet").read_bytes())
    content[8:400] = bytes(392)
    (tmp_path / "b.parquet").write_bytes(content)

    report = convert(tmp_path, on_bad_file="skip")

    assert [file.path for file in report.skipped] == ["b.parquet"]
    assert (report.files, report.rows) == (3, 1_110)


def test_folder_of_which_all_files_are_left_out_says_why(tmp_path: Path):
    for name in "ab":
        (tmp_path / f"{name}.parquet").write_text("no Parquet")

    with pytest.raises(DeltaError, match=r"2 files are there.*a\.parquet.*PAR1") as raised:
        convert(tmp_path, on_bad_file="skip")

    assert raised.value.condition == "DELTA_EMPTY_DIRECTORY.ALL_LEFT_OUT"
    assert not (tmp_path / "_delta_log").exists()


def test_number_that_only_python_reads_is_none(tmp_path: Path):
    put(tmp_path, "p=1_0/a.parquet", x=[1])

    with pytest.raises(DeltaError, match="DELTA_FAILED_CAST_PARTITION_VALUE"):
        convert(tmp_path, partition_schema=partition_columns("p DECIMAL(10,2)"))


def test_folder_between_partition_folders_is_told_when_columns_are_inferred(tmp_path: Path):
    put(tmp_path, "country=DE/data/day=1/a.parquet", x=[1])

    with pytest.raises(DeltaError) as raised:
        convert(tmp_path, infer_partitions=True)

    assert raised.value.condition == "PUREDELTA_CONVERT_PARTITION_FOLDERS_CUT"
