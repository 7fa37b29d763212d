"""`_metadata.row_id` and `_metadata.row_commit_version`, also of rows that moved to other files."""

import pytest
from pyspark.errors import AnalysisException

from puredelta.log import open_table

ON = "'delta.enableRowTracking' = 'true'"
IDS = "_metadata.row_id, _metadata.row_commit_version"


@pytest.fixture
def table(spark, tmp_path):
    """Makes a table of rows 1 to n in one file, and tells its name."""

    def made(rows=4, *, columns="id BIGINT, p INT", more="", properties=""):
        path = tmp_path / "t"
        name = f"delta.`{path}`"
        properties = ", ".join(filter(None, [ON, properties]))
        spark.sql(
            f"CREATE TABLE {name} ({columns}) USING delta {more} TBLPROPERTIES ({properties})"
        )
        frame = spark.range(1, rows + 1).selectExpr("id", "cast(id % 2 as int) p").coalesce(1)
        frame.write.format("delta").mode("append").save(str(path))
        return name

    return made


def ids(spark, name, where="true"):
    """By the key of the row: its id, and the version that it is of."""
    rows = spark.sql(f"SELECT id, {IDS} FROM {name} WHERE {where}").collect()
    return {row.id: (row.row_id, row.row_commit_version) for row in rows}


def replace(spark, name, condition, rows):
    """Overwrite the rows of a condition by others, given in SQL."""
    path = name.partition("`")[2].rstrip("`")
    frame = spark.sql(rows)
    frame.write.format("delta").mode("overwrite").option("replaceWhere", condition).save(path)


def test_rows_of_appends_have_ids_in_the_order_of_their_files(spark, table):
    name = table(3)
    spark.sql(f"INSERT INTO {name} VALUES (9, 1)")

    assert ids(spark, name) == {1: (0, 1), 2: (1, 1), 3: (2, 1), 9: (3, 2)}
    assert ids(spark, name, "_metadata.row_id > 1") == {3: (2, 1), 9: (3, 2)}


def test_metadata_has_the_fields_that_delta_spark_has(spark, table):
    name = table(1)

    told = spark.sql(f"SELECT _metadata FROM {name}")

    fields = told.schema["_metadata"].dataType.names
    assert fields[-4:] == [
        "row_id", "base_row_id", "default_row_commit_version", "row_commit_version",
    ]  # fmt: skip
    row = told.first()._metadata
    assert (row.row_id, row.row_commit_version, row.base_row_id) == (0, 1, 0)
    assert (row.default_row_commit_version, row.row_index) == (1, 0)
    assert row.file_name.endswith(".parquet")


def test_rows_that_stay_in_an_overwrite_keep_ids_and_versions(spark, table):
    name = table(4)

    replace(spark, name, "id < 3", "SELECT 2L id, 7 p")

    after = ids(spark, name)
    assert (after[3], after[4]) == ((2, 1), (3, 1))
    assert after[2][0] > 3
    assert after[2][1] == 2


def test_ids_stay_through_two_rewrites_and_a_partition(spark, table):
    name = table(6, more="PARTITIONED BY (p)")
    before = ids(spark, name)

    replace(spark, name, "id = 1", "SELECT * FROM VALUES (1L, 1) AS t(id, p) WHERE false")
    replace(spark, name, "id = 2", "SELECT * FROM VALUES (1L, 1) AS t(id, p) WHERE false")
    replace(spark, name, "id = 3", "SELECT * FROM VALUES (1L, 1) AS t(id, p) WHERE false")

    assert ids(spark, name) == {key: before[key] for key in (4, 5, 6)}


@pytest.mark.parametrize("mode", ["name", "id"])
def test_ids_stay_where_columns_are_mapped(spark, table, mode):
    name = table(4, properties=f"'delta.columnMapping.mode' = '{mode}'")
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN p TO q")
    before = ids(spark, name)

    replace(spark, name, "id = 1", "SELECT 1L id, 7 q")

    after = ids(spark, name)
    assert {key: after[key] for key in (2, 3, 4)} == {key: before[key] for key in (2, 3, 4)}
    assert after[1][1] == 3
    assert spark.sql(f"SELECT * FROM {name}").columns == ["id", "q"]


def test_an_old_version_tells_the_ids_it_had(spark, table):
    name = table(4)
    replace(spark, name, "id = 1", "SELECT 1L id, 7 p")

    assert ids(spark, f"{name} VERSION AS OF 1") == {n: (n - 1, 1) for n in (1, 2, 3, 4)}


def test_ids_can_be_joined_and_aggregated(spark, table):
    name = table(4)

    row = spark.sql(
        f"SELECT max(a._metadata.row_id) m, count(*) n FROM {name} a JOIN {name} b"
        " ON a._metadata.row_id = b._metadata.row_id AND a.id = b.id"
    ).first()

    assert (row.m, row.n) == (3, 4)


def test_a_table_that_tracks_no_rows_has_no_ids_to_ask_for(spark, tmp_path):
    spark.range(2).write.format("delta").save(str(tmp_path))

    with pytest.raises(AnalysisException, match="row_id"):
        spark.sql(f"SELECT _metadata.row_id FROM delta.`{tmp_path}`")


def test_statistics_are_not_made_of_hidden_columns(spark, table, tmp_path):
    name = table(4)
    replace(spark, name, "id = 1", "SELECT 1L id, 7 p")

    files = open_table(str(tmp_path / "t")).snapshot.files.to_pylist()

    assert not any("_row-id-col" in file["stats"] for file in files)
