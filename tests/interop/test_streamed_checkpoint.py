"""A checkpoint that a long first commit got in pieces is all that other readers need."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.request import ConversionSettings, ConvertRequest
from puredelta.conversion.source_table import ConvertTarget
from puredelta.log.names import checksum_name, commit_name
from puredelta.settings import CommitSettings, LargeCommit
from puredelta.table.new_table import NewTableRules
from tests.interop.peers import query_with_deltalake, read_with_duckdb

if TYPE_CHECKING:
    from pathlib import Path

FILES, ROWS = 12, 5
READERS = {"deltalake": query_with_deltalake, "duckdb": read_with_duckdb}
FORMS = {
    "JSON statistics": {"delta.checkpoint.writeStatsAsStruct": "false"},
    "typed statistics": {
        "delta.checkpoint.writeStatsAsStruct": "true",
        "delta.checkpoint.writeStatsAsJson": "false",
    },
    "V2": {"delta.checkpointPolicy": "v2"},
}


def rows(number: int) -> pa.Table:
    """The rows of one file."""
    ids = range(number * ROWS, (number + 1) * ROWS)
    times = [datetime(2024, 1, 1 + number, hour, tzinfo=timezone.utc) for hour in range(ROWS)]
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "t": pa.array(times, pa.timestamp("us", "UTC")),
            "s": [None if one % 3 == 0 else f"text {one}" for one in ids],
        }
    )


def convert(folder: Path, properties: dict[str, str]) -> None:
    """Convert a folder of Hive partitions whose checkpoint comes in several pieces."""
    for number in range(FILES):
        place = folder / f"p={number % 3}" / f"q=a%3A{number % 2}" / f"{number}.parquet"
        place.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rows(number), place)
    target = ConvertTarget(provider="parquet", location=str(folder), label=str(folder))
    around = ConversionSettings(
        new_tables=NewTableRules(defaults=properties),
        commit=CommitSettings(
            checkpoint_part_size=5, large=LargeCommit(files_for_checkpoint=1, bytes=3_000)
        ),
    )
    ConvertToDeltaCommandBase(
        target=target, request=ConvertRequest(infer_partitions=True), settings=around
    ).run()


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("form", FORMS)
def test_reader_finds_all_rows_without_the_commit(tmp_path: Path, form: str, reader: str) -> None:
    convert(tmp_path, FORMS[form])
    for name in (commit_name(0), checksum_name(0)):
        (tmp_path / name).unlink()

    found = READERS[reader](tmp_path)

    values = zip(*(found[name].to_pylist() for name in ("id", "t", "s", "p", "q")), strict=True)
    assert sorted(values) == [
        (*row.values(), number % 3, f"a:{number % 2}")
        for number in range(FILES)
        for row in rows(number).to_pylist()
    ]
