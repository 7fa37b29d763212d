"""Tests of a user, which `test_plugin.py` runs: what the fixtures give."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.exceptions import MetadataChangedException
from puredelta.testing import assert_history, assert_table_equal, conflicting_commit

ROWS = [{"id": 1, "v": "a"}, {"id": 2, "v": None}]


def test_settings(puredelta_spark):
    conf = puredelta_spark.conf
    assert conf.get("spark.sql.shuffle.partitions") == "3"
    assert conf.get("spark.app.name") == "mine"
    assert conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
    assert conf.get("spark.ui.enabled") == "false"
    assert conf.get("spark.master") == "local[2]"


def test_forms_of_rows(puredelta_spark, delta_table, tmp_path):
    arrow = pa.Table.from_pylist(ROWS)
    pq.write_table(arrow, tmp_path / "rows.parquet")
    frame = puredelta_spark.createDataFrame([(1, "a"), (2, None)], "id BIGINT, v STRING")
    for rows in (ROWS, arrow, arrow.to_pandas(), tmp_path / "rows.parquet", frame):
        table = delta_table(rows)
        for other in (ROWS, arrow, frame, table, table.toDF().collect()):
            assert_table_equal(table, other)
        assert_history(table, [("WRITE", {"numOutputRows": 2})])


def test_options(delta_table, tmp_path):
    day = "2026-01-0"
    rows = [(1, day + "1"), (2, day + "2"), (3, day + "2")]
    table = delta_table(
        rows,
        "id INT, day STRING",
        partition_by="day",
        properties={"delta.enableChangeDataFeed": "true"},
        name="flights",
    )
    detail = table.detail().first()
    assert detail.partitionColumns == ["day"]
    assert detail.properties["delta.enableChangeDataFeed"] == "true"
    assert detail.numFiles == 2
    assert_table_equal(table, rows)
    assert_table_equal(delta_table([], "id INT"), [])
    with pytest.raises(ValueError, match="need a schema"):
        delta_table([(1, 2)])


def test_named_table_is_gone(puredelta_spark, delta_table):
    assert not puredelta_spark.catalog.tableExists("flights")
    assert_table_equal(delta_table([{"id": 1}], name="flights"), [{"id": 1}])
    warehouse = Path(puredelta_spark.conf.get("spark.sql.warehouse.dir"))
    assert warehouse.name == "warehouse0"
    assert not (Path.cwd() / "spark-warehouse").exists()


def test_other_writer(delta_table):
    table = delta_table(ROWS)
    with conflicting_commit(table), pytest.raises(MetadataChangedException):
        table.delete("id = 1")
    with conflicting_commit(table, lambda: table.delete("id = 2")):
        table.delete("id = 1", retry=2)
    assert_table_equal(table, [])
    names = ["WRITE", "SET TBLPROPERTIES", "DELETE", "DELETE"]
    assert_history(table, names)
