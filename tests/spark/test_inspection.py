"""A table seen from inside: files, partitions, statistics, protocol, history, checkpoints."""

from datetime import date
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from pyspark.sql.functions import col
from pyspark.sql.types import StructType

from puredelta import DeltaTable
from puredelta.errors.classes import DeltaError
from puredelta.log import open_table
from tests.html_tables import texts_of


@pytest.fixture(scope="module")
def place(spark, tmp_path_factory) -> str:
    """A table of two versions and three partitions."""
    path = str(tmp_path_factory.mktemp("inspected") / "t")
    rows = "id", "date_add(DATE'2024-01-01', CAST(id % 2 AS INT)) AS day", "id / 2 AS half"
    spark.range(10).selectExpr(*rows).coalesce(1).write.format("delta").partitionBy("day").save(
        path
    )
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (100, NULL, 7.5)")
    return path


@pytest.fixture
def table(spark, place) -> DeltaTable:
    return DeltaTable.forPath(spark, place)


def test_files_are_a_dataframe(table):
    files = table.files()

    assert files.where("partition.day = DATE'2024-01-02'").select("num_records").collect() == [(5,)]
    assert files.agg({"num_records": "sum"}).collect() == [(11,)]
    assert [field.name for field in files.schema] == [
        "path",
        "size",
        "modification_time",
        "partition",
        "num_records",
        "num_deleted",
        "tags",
        "base_row_id",
        "default_row_commit_version",
        "clustering_provider",
        "stats",
    ]


def test_partitions_have_typed_values(table):
    found = table.partitions().select("partition.day", "num_files", "num_records").collect()

    assert [tuple(row) for row in found] == [
        (date(2024, 1, 1), 1, 5),
        (date(2024, 1, 2), 1, 5),
        (None, 1, 1),
    ]


def test_stats_of_all_columns_and_of_one(table):
    assert {row["column"] for row in table.stats().collect()} == {"id", "half"}
    of_one = table.stats("half")
    assert dict(of_one.dtypes)["max"] == "double"
    assert of_one.agg({"max": "max"}).collect() == [(7.5,)]


def test_protocol_tells_features(table):
    rows = table.protocol().collect()

    assert {row["feature"] for row in rows} == {"appendOnly", "invariants"}
    assert all(row["readable"] for row in rows)


def test_arrow_and_spark_and_pandas_tell_the_same(table):
    files = table.inspect.files()

    assert files.to_arrow() is files.to_arrow()
    assert len(files) == files.to_df().count() == len(files.to_pandas()) == 3
    assert pa.table(files).num_rows == 3
    assert repr(files).startswith("InspectedRows(3 rows of path, size")


def test_log_and_session_tell_the_same(table, place):
    reader = open_table(place)

    assert table.inspect.files().to_arrow() == reader.files()
    assert table.inspect.partitions().to_arrow() == reader.partitions()
    assert table.inspect.stats().to_arrow() == reader.stats()
    assert table.inspect.checkpoints().to_arrow() == reader.checkpoints()


def test_history_has_the_columns_of_describe_history(table):
    history = table.inspect.history()

    assert _types(history.to_df().schema) == _types(table.history().schema)
    assert history.to_df().collect() == table.history().collect()
    assert [row["version"] for row in table.inspect.history(1).to_arrow().to_pylist()] == [1]


def test_older_versions_are_inspected_as_they_were(table):
    first = table.history().orderBy("version").first()["timestamp"]

    for then in (table.inspect.at(version=0), table.inspect.at(timestamp=first)):
        assert len(then.files()) == 2
        assert then.history().to_arrow()["version"].to_pylist() == [0]
    as_text = table.inspect.at(timestamp=str(first))
    assert repr(as_text).endswith("version=0)")


def test_checkpoint_is_listed_and_in_use(spark, tmp_path):
    path = str(tmp_path)
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id BIGINT) USING delta "
        "TBLPROPERTIES ('delta.checkpointInterval' = '2')"
    )
    for number in range(3):
        spark.sql(f"INSERT INTO delta.`{path}` VALUES ({number})")

    (row,) = DeltaTable.forPath(spark, path).inspect.checkpoints().to_df().collect()

    assert (row["version"], row["kind"], row["in_use"], row["parts"]) == (2, "classic", True, 1)
    assert row["num_rows"] == 4


def test_times_of_older_writers_are_in_the_zone_of_the_session(spark, tmp_path):
    path = tmp_path / "t"
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id BIGINT, t TIMESTAMP) USING delta PARTITIONED BY (t)"
    )
    add = (
        '{"add":{"path":"a","partitionValues":{"t":"2024-07-01 12:00:00"},"size":1,'
        '"modificationTime":1,"dataChange":true}}\n'
    )
    (path / "_delta_log" / f"{1:020}.json").write_text(add)
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        inspect = DeltaTable.forPath(spark, str(path)).inspect
        (row,) = inspect.partitions().to_arrow().to_pylist()
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")

    assert row["partition"]["t"].isoformat() == "2024-07-01T10:00:00+00:00"


def test_rows_of_older_writers_have_times_in_the_zone_of_the_session(spark, tmp_path):
    path = tmp_path / "t"
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id BIGINT, t TIMESTAMP) USING delta PARTITIONED BY (t)"
    )
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, TIMESTAMP'2024-07-01 12:00:00')")
    commit = path / "_delta_log" / f"{1:020}.json"
    commit.write_text(
        commit.read_text().replace("2024-07-01T12:00:00.000000Z", "2024-07-01 12:00:00")
    )
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")

    rows = spark.sql(f"SELECT id, CAST(t AS STRING) AS t FROM delta.`{path}`").collect()

    assert [tuple(row) for row in rows] == [(1, "2024-07-01 12:00:00")]


def test_notebook_shows_the_first_rows(table):
    html = table.inspect.files()._repr_html_()

    assert "<small>3 rows, times in UTC, without empty columns</small>" in html
    assert "day=2024-01-02" in [row[3] for row in texts_of(html)]
    assert "minValues" not in html


def test_notebook_shows_times_in_the_zone_of_the_session(spark, table):
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")

    when = table.inspect.history().to_arrow()["timestamp"][0].as_py()
    html = table.inspect.history()._repr_html_()

    shown = when.astimezone(ZoneInfo("Asia/Tokyo")).strftime("%Y-%m-%d %H:%M:%S")
    assert texts_of(html)[1][1] == shown
    assert "times in Asia/Tokyo" in html


def test_detail_is_that_of_describe_detail(table):
    row = table.detail().first()
    found = table.inspect.detail().to_df().first()

    assert found.asDict() == row.asDict()


def test_versions_have_the_size_that_the_table_had(table):
    found = table.inspect.versions().to_df().collect()

    assert [(row.version, row.num_files, row.num_rows) for row in found] == [(0, 2, 10), (1, 3, 11)]
    assert table.inspect.at(version=0).versions().to_arrow()["version"].to_pylist() == [0]


def test_pictures_are_those_of_the_chosen_version(table):
    newest = table.inspect.plot.files_read("day = DATE'2024-01-02'")
    oldest = table.inspect.at(version=0).plot.files_read(col("half") > 100)

    assert "reads 1 of 3 files" in newest.axes[0].get_title(loc="left")
    assert "reads 0 of 2 files" in oldest.axes[0].get_title(loc="left")
    assert len(table.inspect.plot.partitions().axes[0].patches) == 3


def test_what_is_not_there_is_told_by_its_condition(table):
    with pytest.raises(DeltaError, match="DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"):
        table.stats("nowhere")
    with pytest.raises(DeltaError, match="DELTA_VERSION_NOT_FOUND"):
        table.inspect.at(version=9)
    with pytest.raises(DeltaError, match="DELTA_ONEOF_IN_TIMETRAVEL"):
        table.inspect.at()
    with pytest.raises(DeltaError, match="DELTA_TIMESTAMP_INVALID"):
        table.inspect.at(timestamp="tomorrow or so")


def _types(schema: StructType) -> list[tuple[str, str]]:
    return [(field.name, field.dataType.simpleString()) for field in schema]
