"""Columns of which footers know no bounds are read for them."""

import datetime as dt
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.request import ConvertRequest
from puredelta.conversion.targets import ConvertTarget

UTC = dt.timezone.utc


def converted(folder: Path, **request: object) -> list[dict]:
    """Convert a folder; give the statistics of its files, in the order of their names."""
    target = ConvertTarget(provider="parquet", location=str(folder), label=str(folder))
    ConvertToDeltaCommandBase(target=target, request=ConvertRequest(**request)).run()
    lines = (folder / "_delta_log/00000000000000000000.json").read_text().splitlines()
    adds = [json.loads(line)["add"] for line in lines if '"add"' in line]
    return [json.loads(add["stats"]) for add in sorted(adds, key=lambda add: add["path"])]


def as_java_wrote(path: Path) -> None:
    """Let a file say that parquet-java wrote it, as Spark and Hive do."""
    name = f"parquet-cpp-arrow version {pa.__version__}".encode()
    content = path.read_bytes()
    assert content.count(name) == 1
    path.write_bytes(content.replace(name, b"parquet-mr version 1.15.2".ljust(len(name))))


def test_int96_times_get_bounds_and_null_counts(tmp_path: Path):
    times = [dt.datetime(2024, 1, day, 3, tzinfo=UTC) for day in (2, 5, 3)]
    table = pa.table(
        {"id": [1, 2, 3, 4], "at": pa.array([*times, None], pa.timestamp("us", "UTC"))}
    )
    pq.write_table(table, tmp_path / "a.parquet", use_deprecated_int96_timestamps=True)

    as_java_wrote(tmp_path / "a.parquet")

    [stats] = converted(tmp_path)

    assert stats["minValues"] == {"id": 1, "at": "2024-01-02T03:00:00.000Z"}
    assert stats["maxValues"] == {"id": 4, "at": "2024-01-05T03:00:00.000Z"}
    assert stats["nullCount"] == {"id": 0, "at": 1}


def test_file_without_statistics_among_others_gets_them_as_theirs(tmp_path: Path):
    for name, told in (("a", True), ("b", False), ("c", True)):
        table = pa.table({"n": [1, None, 3], "s": pa.array([{"x": "u"}, {"x": "v"}, None])})
        pq.write_table(table, tmp_path / f"{name}.parquet", write_statistics=told)

    stats = converted(tmp_path)

    assert stats[0] == stats[1] == stats[2]
    assert stats[1]["minValues"] == {"n": 1, "s": {"x": "u"}}
    assert stats[1]["nullCount"] == {"n": 1, "s": {"x": 1}}


def test_times_before_1900_have_no_bounds_for_readers_have_several_calendars(tmp_path: Path):
    old = pa.array([-(1 << 54), 1 << 50], pa.timestamp("us"))
    pq.write_table(
        pa.table({"at": old}), tmp_path / "a.parquet", use_deprecated_int96_timestamps=True
    )

    as_java_wrote(tmp_path / "a.parquet")

    [stats] = converted(tmp_path)

    assert (stats["minValues"], stats["maxValues"]) == ({}, {})
    assert stats["nullCount"] == {"at": 0}


def test_int96_of_writers_that_spark_may_move_by_its_zone_has_no_bounds(tmp_path: Path):
    times = pa.array([1 << 50], pa.timestamp("us"))
    pq.write_table(
        pa.table({"at": times, "n": [1]}),
        tmp_path / "a.parquet",
        use_deprecated_int96_timestamps=True,
    )

    [stats] = converted(tmp_path)

    assert stats["minValues"] == {"n": 1}


def test_all_null_column_without_statistics_has_a_count_and_no_bounds(tmp_path: Path):
    table = pa.table({"n": pa.array([None, None], pa.int64()), "k": [1, 2]})
    pq.write_table(table, tmp_path / "a.parquet", write_statistics=False)

    [stats] = converted(tmp_path)

    assert stats["nullCount"] == {"n": 2, "k": 0}
    assert stats["minValues"] == {"k": 1}


def test_nan_without_statistics_leaves_the_upper_bound_out(tmp_path: Path):
    table = pa.table({"d": [1.5, float("nan"), -2.0]})
    pq.write_table(table, tmp_path / "a.parquet", write_statistics=False)

    [stats] = converted(tmp_path)

    assert stats["minValues"] == {"d": -2.0}
    assert stats["maxValues"] == {}


def test_many_row_groups_and_batches_are_put_together(tmp_path: Path):
    count = 300_000
    values = np.arange(count)
    nulls = values >= 262_144
    table = pa.table({"n": pa.array(values, mask=nulls)})
    pq.write_table(table, tmp_path / "a.parquet", write_statistics=False, row_group_size=100_000)

    [stats] = converted(tmp_path)

    assert stats["minValues"] == {"n": 0}
    assert stats["maxValues"] == {"n": 262_143}
    assert stats["nullCount"] == {"n": count - 262_144}


def test_column_that_comes_with_a_later_file_is_null_in_the_ones_before(tmp_path: Path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"a": [2], "b": ["x"]}), tmp_path / "b.parquet")

    first, second = converted(tmp_path)

    assert first["nullCount"] == {"a": 0, "b": 1}
    assert second["minValues"] == {"a": 2, "b": "x"}


@pytest.mark.parametrize("policy", ["fail", "skip"])
def test_pages_that_cannot_be_read_make_a_bad_file(tmp_path: Path, policy: str):
    table = pa.table({"n": list(range(10_000))})
    pq.write_table(table, tmp_path / "a.parquet")
    damaged = tmp_path / "b.parquet"
    pq.write_table(table, damaged, write_statistics=False, compression="zstd")
    content = bytearray(damaged.read_bytes())
    content[8:400] = bytes(392)
    damaged.write_bytes(content)

    if policy == "fail":
        with pytest.raises(Exception, match=r"READ_FILE_FOOTER.*b\.parquet"):
            converted(tmp_path)
        assert not (tmp_path / "_delta_log").exists()
    else:
        assert len(converted(tmp_path, on_bad_file="skip")) == 1


def test_no_statistics_reads_no_column(tmp_path: Path):
    damaged = tmp_path / "a.parquet"
    pq.write_table(pa.table({"n": [1]}), damaged, write_statistics=False)
    target = ConvertTarget(provider="parquet", location=str(tmp_path), label="t")

    report = ConvertToDeltaCommandBase(
        target=target, request=ConvertRequest(collect_stats=False)
    ).run()

    assert not report.statistics
    assert "stats" not in (tmp_path / "_delta_log/00000000000000000000.json").read_text()


@pytest.mark.parametrize(
    ("table", "least"),
    [
        (pa.table({"c": pa.array(["a", "b", "a"]).dictionary_encode()}), "a"),
        (pa.table({"c": pa.array([1, 2**64 - 1], pa.uint64())}), 1),
        (pa.table({"c": pa.array(["a", "b"], pa.string_view())}), "a"),
        (pa.table({"c": pa.array(["a", "b"], pa.large_string())}), "a"),
        (pa.table({"c": pa.array([5, 7], pa.duration("us"))}), 5),
        (pa.table({"c": pa.array([1, 2], pa.date64())}), "1970-01-01"),
    ],
    ids=["dictionary", "uint64", "string_view", "large_string", "duration", "date64"],
)
def test_arrow_types_of_the_writer_are_read_as_those_of_the_table(
    tmp_path: Path, table: pa.Table, least: object
):
    pq.write_table(table, tmp_path / "a.parquet", write_statistics=False)

    [stats] = converted(tmp_path)

    assert stats["minValues"] == {"c": least}
    assert stats["nullCount"] == {"c": 0}


def test_texts_too_long_for_footers_are_not_read_for_their_bounds(tmp_path: Path):
    table = pa.table({"c": pa.array(["a", "x" * 5000, None]).dictionary_encode(), "n": [1, 2, 3]})
    pq.write_table(table, tmp_path / "a.parquet")

    [stats] = converted(tmp_path)

    assert stats["minValues"] == {"n": 1}
    assert stats["nullCount"] == {"c": 1, "n": 0}


def test_few_long_texts_of_many_rows_are_counted_as_few(tmp_path: Path):
    words = ["x" * 100_000, "y" * 100_000]
    places = np.arange(30_000) % 3
    indices = pa.array(places, pa.int32(), mask=places == 2)
    table = pa.table({"c": pa.DictionaryArray.from_arrays(indices, pa.array(words))})
    pq.write_table(table, tmp_path / "a.parquet", write_statistics=False)

    [stats] = converted(tmp_path)

    assert stats["minValues"]["c"] == "x" * 32
    assert stats["nullCount"] == {"c": 10_000}
