"""Generated and identity columns: those of delta-spark are kept here, ours there, both ways on."""

from __future__ import annotations

import datetime as dt
import shutil
from typing import TYPE_CHECKING

import pytest

from puredelta.errors import DeltaError
from tests.interop.features.generated_random import NEW, RANDOM_TABLES
from tests.interop.features.ours import LOST
from tests.interop.peers import FEATURE_PEERS, lines_of_arrow, without_values

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import Row, SparkSession

    from tests.interop.conftest import FeatureTables, OurFeatureTables

# The first test may wait for delta-spark, which reads and changes every table of ours.
pytestmark = pytest.mark.timeout(2400)

WRITER_4, BY_FEATURE = "generated_columns", "generated_columns_of_a_feature"
MARCH = "TIMESTAMP'2021-03-04 05:06:07'"


@pytest.fixture
def copied(feature_tables: FeatureTables, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of a table of delta-spark, to be written."""
    path = tmp_path / request.param
    shutil.copytree(feature_tables.folder / request.param, path)
    return path


@pytest.fixture
def continued(
    our_feature_tables: OurFeatureTables,
    worked_on: dict,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> Path:
    """A copy of a table of ours that delta-spark went on with."""
    assert worked_on[request.param]["went_on"] is None
    path = tmp_path / request.param
    shutil.copytree(our_feature_tables.folder / request.param, path)
    return path


def _rows(spark: SparkSession, path: Path, condition: str = "true") -> list[Row]:
    return spark.read.format("delta").load(str(path)).where(condition).collect()


# ---- tables of delta-spark, written by us


@pytest.mark.parametrize("copied", [WRITER_4, BY_FEATURE], indirect=True)
def test_column_of_delta_spark_is_computed_when_absent(spark: SparkSession, copied: Path) -> None:
    spark.sql(f"INSERT INTO delta.`{copied}` (id, at) VALUES (100, {MARCH}), (101, NULL)")
    frame = spark.sql(f"SELECT 102 AS id, {MARCH} AS at")
    frame.write.format("delta").mode("append").save(str(copied))

    written = {row.id: row for row in _rows(spark, copied, "id >= 100")}

    assert set(written) == {100, 101, 102}
    for row in written.values():
        if copied.name == WRITER_4:
            assert (row.day, row.double) == (row.at and dt.date(2021, 3, 4), row.id * 2)
        else:
            assert (row.year, row.month) == ((2021, 3) if row.at else (None, None))


@pytest.mark.parametrize(
    ("copied", "columns", "values"),
    [
        (WRITER_4, "id, at, day", f"100, {MARCH}, DATE'2021-03-05'"),
        (WRITER_4, "id, at, day", f"100, {MARCH}, NULL"),
        (WRITER_4, "id, at, double", f"100, {MARCH}, 201"),
        (BY_FEATURE, "id, at, month", f"100, {MARCH}, 4"),
        (BY_FEATURE, "id, s, initial", "100, named_struct('name', 'zoe'), 'y'"),
    ],
    indirect=["copied"],
)
def test_wrong_value_for_a_column_of_delta_spark_is_refused(
    spark: SparkSession, copied: Path, columns: str, values: str
) -> None:
    before = len(_rows(spark, copied))

    with pytest.raises(DeltaError) as told:
        spark.sql(f"INSERT INTO delta.`{copied}` ({columns}) VALUES ({values})")

    assert told.value.condition == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    assert "Generated Column" in str(told.value)
    assert len(_rows(spark, copied)) == before


@pytest.mark.parametrize("copied", [WRITER_4], indirect=True)
def test_right_value_for_a_column_of_delta_spark_is_taken(
    spark: SparkSession, copied: Path
) -> None:
    spark.sql(f"INSERT INTO delta.`{copied}` VALUES (100, {MARCH}, DATE'2021-03-04', 200)")

    assert [row.double for row in _rows(spark, copied, f"at = {MARCH}")] == [200]


@pytest.mark.parametrize(
    ("copied", "base"), [(WRITER_4, "at"), (BY_FEATURE, "s")], indirect=["copied"]
)
def test_base_column_of_a_table_of_delta_spark_stays(
    spark: SparkSession, copied: Path, base: str
) -> None:
    if copied.name == WRITER_4:
        spark.sql(
            f"ALTER TABLE delta.`{copied}` SET TBLPROPERTIES"
            " ('delta.columnMapping.mode' = 'name', 'delta.minReaderVersion' = '2',"
            " 'delta.minWriterVersion' = '5')"
        )

    with pytest.raises(DeltaError) as told:
        spark.sql(f"ALTER TABLE delta.`{copied}` DROP COLUMN {base}")

    assert told.value.condition == "DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE"


@pytest.mark.parametrize("copied", ["identity_columns"], indirect=True)
def test_we_count_on_where_delta_spark_stopped(spark: SparkSession, copied: Path) -> None:
    before = _rows(spark, copied)

    for _ in range(2):
        spark.sql(f"INSERT INTO delta.`{copied}` (s) VALUES ('n'), ('m')")
    spark.range(50).selectExpr("'job' AS s").repartition(2).write.format("delta").mode(
        "append"
    ).save(str(copied))

    rows = _rows(spark, copied)
    new = [row for row in rows if row.s in ("n", "m", "job")]
    keys, own = {row.key for row in rows}, {row.own for row in new}
    assert len(new) == 54
    assert len(keys) == len(rows)
    assert len(own) == len(new)
    assert min(row.key for row in new) > max(row.key for row in before)
    assert max(own) < min(row.own for row in before)
    assert {(key - 10) % 5 for key in keys} == {0}


@pytest.mark.parametrize("copied", ["identity_columns"], indirect=True)
def test_we_sync_an_identity_column_of_delta_spark(spark: SparkSession, copied: Path) -> None:
    spark.sql(f"INSERT INTO delta.`{copied}` (own, s) VALUES (-5000, 'given')")
    spark.sql(f"ALTER TABLE delta.`{copied}` ALTER COLUMN own SYNC IDENTITY")

    spark.sql(f"INSERT INTO delta.`{copied}` (s) VALUES ('after')")

    assert [row.own < -5000 for row in _rows(spark, copied, "s = 'after'")] == [True]


@pytest.mark.parametrize("copied", ["identity_columns"], indirect=True)
def test_key_that_delta_spark_always_generates_is_not_given(
    spark: SparkSession, copied: Path
) -> None:
    with pytest.raises(DeltaError) as told:
        spark.sql(f"INSERT INTO delta.`{copied}` (key, s) VALUES (1000, 'x')")

    assert told.value.condition == "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED"


@pytest.mark.parametrize("copied", [WRITER_4, BY_FEATURE, "identity_columns"], indirect=True)
@pytest.mark.parametrize("peer", FEATURE_PEERS)
def test_peer_reads_what_we_wrote_into_a_table_of_delta_spark(
    spark: SparkSession, copied: Path, peer: str
) -> None:
    column, value = ("s", "'w'") if copied.name == "identity_columns" else ("at", MARCH)
    spark.sql(f"INSERT INTO delta.`{copied}` ({column}) VALUES ({value})")
    frame = spark.read.format("delta").load(str(copied))
    frame = without_values(frame, LOST.get((peer, copied.name), ()))

    read = FEATURE_PEERS[peer](copied)

    assert lines_of_arrow(read, frame.columns) == lines_of_arrow(frame.toArrow(), frame.columns)


# ---- tables of ours, written by delta-spark, and again by us


@pytest.mark.parametrize(
    ("continued", "wrong"),
    [
        (WRITER_4, "NOT (day <=> CAST(at AS DATE) AND initial <=> SUBSTRING(s.name, 1, 1))"),
        (BY_FEATURE, "NOT (year <=> YEAR(at) AND month <=> MONTH(at))"),
    ],
    indirect=["continued"],
)
def test_delta_spark_keeps_our_definitions(
    spark: SparkSession, continued: Path, wrong: str
) -> None:
    assert _rows(spark, continued, wrong) == []
    assert _rows(spark, continued, f"at = {MARCH}") != []


@pytest.mark.parametrize("continued", ["identity_columns"], indirect=True)
def test_delta_spark_counts_on_where_we_stopped_and_we_after_it(
    spark: SparkSession, continued: Path
) -> None:
    theirs = _rows(spark, continued)
    ours = [row for row in theirs if not row.s.startswith("t") and row.s != "given"]
    added = [row for row in theirs if row.s.startswith("t")]

    spark.sql(f"INSERT INTO delta.`{continued}` (s) VALUES ('again'), ('and again')")

    rows = _rows(spark, continued)
    new = [row for row in rows if "again" in row.s]
    assert len({row.key for row in rows}) == len(rows)
    assert len({row.own for row in rows}) == len(rows)
    assert min(row.key for row in added) > max(row.key for row in ours)
    assert {(row.key - 10) % 5 for row in rows} == {0}
    # delta-spark told the table of the value that it was given.
    assert max(row.own for row in added if row.s not in ("theirs", "too")) < -2000
    assert max(row.own for row in new) < min(row.own for row in theirs)


@pytest.mark.parametrize("continued", [WRITER_4, BY_FEATURE, "identity_columns"], indirect=True)
@pytest.mark.parametrize("peer", FEATURE_PEERS)
def test_peer_reads_what_both_wrote(spark: SparkSession, continued: Path, peer: str) -> None:
    frame = spark.read.format("delta").load(str(continued))
    frame = without_values(frame, LOST.get((peer, continued.name), ()))

    read = FEATURE_PEERS[peer](continued)

    assert lines_of_arrow(read, frame.columns) == lines_of_arrow(frame.toArrow(), frame.columns)


@pytest.mark.parametrize("name", RANDOM_TABLES)
def test_no_reader_finds_a_row_that_breaks_a_definition(
    our_feature_tables: OurFeatureTables, worked_on: dict, name: str
) -> None:
    broken = RANDOM_TABLES[name].queries[0]

    readings = [our_feature_tables.read[name], worked_on[name]["before"]]

    # The first line is the schema.
    assert [reading["queries"][broken][1:] for reading in readings] == [[], []]


@pytest.mark.parametrize("continued", RANDOM_TABLES, indirect=True)
def test_delta_spark_keeps_the_definitions_of_random_tables(
    spark: SparkSession, continued: Path
) -> None:
    broken = RANDOM_TABLES[continued.name].queries[0]

    spark.sql(NEW.replace("1000", "1001").replace("{t}", f"delta.`{continued}`"))

    assert spark.sql(broken.replace("{t}", f"delta.`{continued}`")).collect() == []
    theirs, ours = (_rows(spark, continued, f"tag = {tag}")[0].asDict() for tag in (1000, 1001))
    alone = {"tag", "key"}
    assert {k: v for k, v in theirs.items() if k not in alone} == {
        k: v for k, v in ours.items() if k not in alone
    }
