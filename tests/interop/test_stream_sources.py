"""A query over a table that delta-spark began goes on here, and ours goes on there."""

import json
from pathlib import Path

import pytest

from tests.interop.oracle import NoOracleError, run_delta_spark

# Each test runs delta-spark, which takes long.
pytestmark = [pytest.mark.timeout(1200), pytest.mark.rest]
SCRIPT = Path(__file__).with_name("read_on_delta_spark.py")


class Reading:
    """One query over one table, on either side."""

    def __init__(self, spark, folder, **options):
        self.spark, self.folder = spark, folder
        self.options = {"maxFilesPerTrigger": "1"} | options
        self.path, self.out = str(folder / "t"), folder / "out"
        self.checkpoint = folder / "checkpoint"

    def add(self, *ids):
        frame = self.spark.createDataFrame([(i,) for i in ids], "id LONG").coalesce(1)
        frame.write.format("delta").mode("append").save(self.path)

    def there(self):
        parts = [self.path, str(self.out), str(self.checkpoint), json.dumps(self.options)]
        try:
            return json.loads(run_delta_spark(self.folder, parts, SCRIPT).read_text())
        except NoOracleError as reason:
            pytest.skip(str(reason))

    def here(self):
        stream = self.spark.readStream.format("delta").options(**self.options).load(self.path)
        writer = stream.writeStream.format("json").trigger(availableNow=True)
        query = writer.option("checkpointLocation", str(self.checkpoint)).start(str(self.out))
        query.awaitTermination()
        return {"query": query.id, "failure": None}

    def forget_last_batch(self):
        """Let the last batch be planned and not known to be written, as after a crash."""
        commits = self.checkpoint / "commits"
        last = max((f for f in commits.iterdir() if f.name.isdigit()), key=lambda f: int(f.name))
        last.unlink()
        (commits / f".{last.name}.crc").unlink(missing_ok=True)

    def offsets(self):
        files = [f for f in (self.checkpoint / "offsets").iterdir() if f.name.isdigit()]
        ordered = sorted(files, key=lambda f: int(f.name))
        found = [json.loads(f.read_text().splitlines()[-1]) for f in ordered]
        return [(o["reservoirVersion"], o["index"], o["isStartingVersion"]) for o in found]

    def rows(self, *columns):
        read = self.spark.read.json(str(self.out)).select(*columns)
        return sorted(tuple(row) for row in read.collect())


@pytest.mark.parametrize("begins", ["there", "here"])
def test_query_goes_on_with_the_other(spark, tmp_path, begins):
    reading = Reading(spark, tmp_path)
    for number in range(3):
        reading.add(number)
    sides = [reading.there, reading.here]
    first, second = sides if begins == "there" else sides[::-1]

    query = first()
    reading.forget_last_batch()
    reading.add(3)
    again = second()

    assert again == query
    assert query["failure"] is None
    assert reading.rows("id") == [(0,), (1,), (2,), (3,)]
    assert reading.offsets() == [(2, 0, True), (2, 1, True), (3, -1, False), (4, -1, False)]


@pytest.mark.parametrize("begins", ["there", "here"])
def test_changes_go_on_with_the_other(spark, tmp_path, begins):
    reading = Reading(spark, tmp_path, readChangeFeed="true")
    properties = "TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')"
    spark.sql(f"CREATE TABLE delta.`{reading.path}` (id LONG) USING delta {properties}")
    reading.add(1, 2)
    sides = [reading.there, reading.here]
    first, second = sides if begins == "there" else sides[::-1]

    first()
    spark.sql(f"UPDATE delta.`{reading.path}` SET id = 9 WHERE id = 2")
    reading.add(3)
    again = second()

    assert again["failure"] is None
    assert reading.rows("_commit_version", "_change_type", "id") == [
        (1, "insert", 1),
        (1, "insert", 2),
        (2, "update_postimage", 9),
        (2, "update_preimage", 2),
        (3, "insert", 3),
    ]
