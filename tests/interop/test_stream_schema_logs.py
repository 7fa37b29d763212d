"""A log of a stream's columns that delta-spark began goes on here, and ours goes on there."""

import pytest

from puredelta.errors import DeltaRuntimeError
from tests.interop.test_stream_sources import Reading

# Each test runs delta-spark, which takes long.
pytestmark = [pytest.mark.timeout(1200), pytest.mark.rest]

EVOLVED = "DELTA_STREAMING_METADATA_EVOLUTION"
BLOCKED = "DELTA_STREAMING_CANNOT_CONTINUE_PROCESSING_POST_SCHEMA_EVOLUTION"
PROPERTIES = "'delta.columnMapping.mode' = 'name', 'delta.enableTypeWidening' = 'true'"


class Tracking(Reading):
    """A query that tracks its columns in its checkpoint."""

    def __init__(self, spark, folder):
        super().__init__(spark, folder)
        self.options["schemaTrackingLocation"] = str(self.checkpoint / "columns")
        self.sql(
            f"CREATE TABLE T! (id LONG, n INT, v STRING) USING delta TBLPROPERTIES ({PROPERTIES})"
        )

    def sql(self, text):
        self.spark.sql(text.replace("T!", f"delta.`{self.path}`"))

    def here(self):
        try:
            return super().here()
        except DeltaRuntimeError as error:
            return {"failure": str(error)}

    def entries(self):
        (log,) = (self.checkpoint / "columns").iterdir()
        return sorted(int(file.name) for file in log.iterdir() if file.name.isdigit())


@pytest.mark.parametrize("begins", ["there", "here"])
def test_columns_go_on_with_the_other(spark, tmp_path, begins):
    reading = Tracking(spark, tmp_path)
    reading.sql("INSERT INTO T! VALUES (1, 1, 'a')")
    sides = [reading.there, reading.here]
    first, second = sides if begins == "there" else sides[::-1]

    assert first()["failure"] is None
    reading.sql("ALTER TABLE T! RENAME COLUMN v TO w")
    reading.sql("INSERT INTO T! VALUES (2, 2, 'b')")
    # The second writes the entry of the new name, and the first goes on with it.
    assert EVOLVED in second()["failure"]
    assert BLOCKED in first()["failure"]
    reading.options["allowSourceColumnRename"] = "always"
    assert first()["failure"] is None
    assert reading.rows("id", "v", "w") == [(1, "a", None), (2, None, "b")]
    assert reading.entries() == [0, 1]

    reading.sql("ALTER TABLE T! ALTER COLUMN n TYPE BIGINT")
    reading.sql("INSERT INTO T! VALUES (3, 5000000000, 'c')")
    reading.options["allowSourceColumnTypeChange"] = "always"
    assert EVOLVED in first()["failure"]
    assert second()["failure"] is None
    assert reading.rows("id", "n") == [(1, 1), (2, 2), (3, 5_000_000_000)]
    assert reading.entries() == [0, 1, 2]
