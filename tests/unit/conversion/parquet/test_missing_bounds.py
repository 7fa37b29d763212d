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
from puredelta.conversion.source_table import ConvertTarget

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


def as_if_lzo(path: Path, *columns: str) -> None:
    """Let a footer say of columns that they are in LZO, which Arrow does not read."""
    content = path.read_bytes()
    for name in columns:
        # A list of one text, the path; then the codec.
        place = b"\x19\x18" + bytes([len(name)]) + name.encode() + b"\x15"
        assert content.count(place + b"\x00") == 1
        content = content.replace(place + b"\x00", place + b"\x06")
    path.write_bytes(content)


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


IN_STRUCT = pa.array([{"s": "b", "n": 1}, None, {"s": "a", "n": 2}, {"s": None, "n": 3}])


@pytest.mark.parametrize(
    ("columns", "how"),
    [
        ({"st": IN_STRUCT}, {"row_group_size": 1}),
        ({"st": IN_STRUCT}, {"use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY"}),
    ],
    ids=["several row groups", "an encoding without dictionaries"],
)
def test_texts_that_arrow_cannot_read_as_dictionaries_are_read_without(
    tmp_path: Path, columns: dict, how: dict
):
    if "column_encoding" in how:
        how = {**how, "column_encoding": {"st.s": how["column_encoding"]}}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet", write_statistics=False, **how)

    [stats] = converted(tmp_path)

    assert stats["minValues"] == {"st": {"s": "a", "n": 1}}
    assert stats["maxValues"] == {"st": {"s": "b", "n": 3}}
    assert stats["nullCount"] == {"st": {"s": 2, "n": 1}}


def test_long_texts_read_without_dictionaries_come_a_few_rows_at_a_time(tmp_path: Path):
    rows = pa.array([{"s": "x" * 100_000}, {"s": None}]).take(pa.array(np.arange(4_000) % 2))
    path, table = tmp_path / "a.parquet", pa.table({"st": rows})
    pq.write_table(table, path, write_statistics=False, row_group_size=2_000)
    pool = pa.proxy_memory_pool(pa.system_memory_pool())
    usual = pa.default_memory_pool()

    pa.set_memory_pool(pool)
    try:
        [stats] = converted(tmp_path)
    finally:
        pa.set_memory_pool(usual)

    assert stats["nullCount"] == {"st": {"s": 2_000}}
    assert stats["minValues"] == {"st": {"s": "x" * 32}}
    assert pool.max_memory() < rows.nbytes / 2


@pytest.mark.parametrize("silent", [{"s": ["a", "b"]}, {"k": [1, 2]}], ids=["text", "number"])
def test_pages_that_this_arrow_has_no_codec_for_leave_bounds_out(tmp_path: Path, silent: dict):
    pq.write_table(
        pa.table({"n": [1, 2], **silent}),
        tmp_path / "a.parquet",
        write_statistics=["n"],
        compression="none",
    )
    as_if_lzo(tmp_path / "a.parquet", "n", *silent)

    [stats] = converted(tmp_path)

    assert stats["minValues"] == {"n": 1}
    assert stats["nullCount"] == {"n": 0}


@pytest.mark.parametrize("told", [True, False])
def test_bytes_that_are_no_text_have_no_bounds(tmp_path: Path, told: bool):
    wrong = pa.array([b"\xff\xfe", b"\xfe", None]).view(pa.string())
    pq.write_table(
        pa.table({"s": wrong, "n": [1, 2, 3]}), tmp_path / "a.parquet", write_statistics=told
    )

    [stats] = converted(tmp_path)

    assert stats["minValues"] == {"n": 1}
    assert stats["maxValues"] == {"n": 3}
    assert stats["nullCount"] == {"s": 1, "n": 0}


def test_column_with_a_dot_in_its_name_is_none_in_a_struct(tmp_path: Path):
    pq.write_table(pa.table({"a": [{"b": 1}]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a.b": [100]}), tmp_path / "2.parquet")
    pq.write_table(pa.table({"a.b": [7], "a": [{"b": 8}]}), tmp_path / "3.parquet")
    for name in "123":
        rows = pq.read_table(tmp_path / f"{name}.parquet")
        pq.write_table(rows, tmp_path / f"{name}-silent.parquet", write_statistics=False)

    stats = converted(tmp_path)

    assert [one["minValues"] for one in stats] == [
        *2 * [{"a": {"b": 1}}],
        *2 * [{"a": {}, "a.b": 100}],
        *2 * [{"a": {"b": 8}, "a.b": 7}],
    ]
    assert stats[2]["nullCount"] == {"a": {"b": 1}, "a.b": 0}
