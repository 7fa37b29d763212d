"""Row tracking and clustering through statements."""

import pytest

import puredelta.log
from puredelta.errors import DeltaAnalysisError
from puredelta.log.actions import DomainMetadata, encode_commit
from puredelta.log.names import commit_name
from puredelta.log.table_log import open_log

ON = "TBLPROPERTIES ('delta.enableRowTracking' = 'true')"


def row_ids(path):
    """Pairs of the first row id of each file and its number of rows."""
    files = puredelta.log.open_table(path).snapshot.files.to_pylist()
    counts = (int(row["stats"].partition('"numRecords":')[2].partition(",")[0]) for row in files)
    return sorted(zip((row["base_row_id"] for row in files), counts, strict=True))


def operations(path):
    return [row["operation"] for row in reversed(puredelta.log.open_table(path).history())]


def test_appends_and_overwrites_give_new_ids(spark, tmp_path):
    path = str(tmp_path)
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT, p INT) USING delta PARTITIONED BY (p) {ON}")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, 1), (2, 2), (3, 2)")
    assert row_ids(path) == [(0, 1), (1, 2)]

    spark.sql(f"INSERT OVERWRITE delta.`{path}` VALUES (4, 1)")

    assert row_ids(path) == [(3, 1)]


def test_turning_row_tracking_on_gives_ids_to_the_files_there(spark, tmp_path):
    path = str(tmp_path)
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT) USING delta")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1), (2)")

    spark.sql(f"ALTER TABLE delta.`{path}` SET {ON}")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (3)")

    assert row_ids(path) == [(0, 2), (2, 1)]
    assert operations(path) == [
        "CREATE TABLE", "WRITE", "UPGRADE PROTOCOL", "ROW TRACKING BACKFILL", "SET TBLPROPERTIES",
        "WRITE",
    ]  # fmt: skip
    rows = spark.sql(f"SELECT id FROM delta.`{path}` ORDER BY id").collect()
    assert [row.id for row in rows] == [1, 2, 3]


def cluster(path, column):
    """Cluster a table as another engine would."""
    log = open_log(path)
    text = f'{{"clusteringColumns":[["{column}"]],"domainName":"delta.clustering"}}'
    domain = DomainMetadata(domain="delta.clustering", configuration=text, removed=False)
    log.store.put_if_absent(commit_name(log.latest().version + 1), encode_commit([domain]))


def test_clustered_table_stays_clustered(spark, tmp_path):
    path = str(tmp_path)
    features = "TBLPROPERTIES ('delta.feature.domainMetadata' = 'supported')"
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT, s STRING) USING delta {features}")
    cluster(path, "s")

    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, 'a')")
    spark.sql(f"INSERT OVERWRITE delta.`{path}` VALUES (2, 'b')")

    assert puredelta.log.open_table(path).detail()["clusteringColumns"] == ["s"]
    fewer = "TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '1')"
    with pytest.raises(DeltaAnalysisError) as raised:
        spark.sql(f"ALTER TABLE delta.`{path}` SET {fewer}")
    assert raised.value.getCondition() == "DELTA_CLUSTERING_COLUMN_MISSING_STATS"


def test_replaced_table_is_clustered_no_longer(spark, tmp_path):
    path = str(tmp_path)
    features = "TBLPROPERTIES ('delta.feature.domainMetadata' = 'supported')"
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT, s STRING) USING delta {features}")
    cluster(path, "s")

    spark.sql(f"CREATE OR REPLACE TABLE delta.`{path}` (id INT) USING delta")

    assert puredelta.log.open_table(path).detail()["clusteringColumns"] == []
