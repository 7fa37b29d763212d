"""Files that do not lie in the folder are opened with what the conversion was given."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.source_file import SourceFile
from puredelta.conversion.source_table import target_at
from puredelta.storage import schemes
from puredelta.storage.local import LocalStore
from puredelta.storage.schemes import register_scheme

KEY = {"aws_access_key_id": "KEY"}


class Elsewhere(ConvertToDeltaCommandBase):
    """Converts files of another bucket, as lists of files may name them."""

    def source_files(self) -> Iterator[SourceFile]:
        yield SourceFile("other://bucket/1/a.parquet", SIZE, 0)
        yield SourceFile("other://bucket/2/a.parquet", SIZE, 0)


SIZE = 0


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Mapping[str, str]]:
    """What stores were opened with."""
    seen: dict[str, Mapping[str, str]] = {}
    (tmp_path / "elsewhere").mkdir()
    file = tmp_path / "elsewhere/a.parquet"
    pq.write_table(pa.table({"n": [1, 2]}), file, write_statistics=False)

    def factory(url: str, options: Mapping[str, str]) -> LocalStore:
        seen[url] = options
        return LocalStore(file.parent.as_uri())

    monkeypatch.setattr(f"{__name__}.SIZE", file.stat().st_size)
    monkeypatch.setattr(schemes, "_factories", dict(schemes._factories))
    register_scheme("other", factory)
    return seen


def test_files_elsewhere_are_opened_with_the_options_of_the_conversion(
    tmp_path: Path, opened: dict[str, Mapping[str, str]]
):
    folder = tmp_path / "table"
    folder.mkdir()
    target = target_at("parquet", str(folder), label="t", options=KEY)

    report = Elsewhere(target=target).run()

    assert (report.files, report.rows) == (2, 4)
    assert opened == {"other://bucket/1": KEY, "other://bucket/2": KEY}
    assert "minValues" in (folder / "_delta_log/00000000000000000000.json").read_text()
