"""What tests of streams share: a stream of files with a checkpoint, and what became of a table."""

import json
import os
import uuid
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException


class Feed:
    """A folder of JSON files, of which a stream reads one a batch, and a checkpoint."""

    def __init__(self, spark, folder, schema):
        self._spark, self._schema = spark, schema
        self.files = folder / f"in-{uuid.uuid4()}"
        self.files.mkdir(parents=True)
        self.checkpoint = folder / f"checkpoint-{uuid.uuid4()}"
        self._count = 0

    def add(self, *rows):
        self._count += 1
        text = "\n".join(json.dumps(row) for row in rows)
        file = self.files / f"{self._count:05}.json"
        file.write_text(text)
        # Spark reads files in the order of their times.
        os.utime(file, (1_700_000_000 + self._count,) * 2)
        return self

    def read(self):
        reader = self._spark.readStream.schema(self._schema).option("maxFilesPerTrigger", 1)
        return reader.json(str(self.files))

    def writer(self, frame=None):
        stream = self.read() if frame is None else frame
        return self.given(stream.writeStream.format("delta"))

    def given(self, writer):
        writer = writer.option("checkpointLocation", str(self.checkpoint))
        return writer.trigger(availableNow=True)

    def forget_last_batch(self):
        """Make the checkpoint look as after a crash between the commit and Spark's note of it."""
        commits = self.checkpoint / "commits"
        last = max(int(path.name) for path in commits.iterdir() if path.name.isdigit())
        (commits / str(last)).unlink()
        (commits / f".{last}.crc").unlink(missing_ok=True)


def finish(query):
    query.awaitTermination()
    return query


def rows(spark, path, order="id"):
    return [tuple(row) for row in spark.read.format("delta").load(path).orderBy(order).collect()]


def history(spark, path):
    found = spark.sql(f"DESCRIBE HISTORY delta.`{path}`").collect()
    return [row.asDict(recursive=True) for row in found][::-1]


def error_of(query):
    with pytest.raises(StreamingQueryException) as caught:
        query.awaitTermination()
    return caught.value


class Streams:
    """Runs queries over one table into folders, each with a checkpoint by its name."""

    def __init__(self, spark, folder, path):
        self.spark, self.folder, self.path = spark, folder, path

    def made(self, columns="id LONG", properties="", layout=""):
        more = f"TBLPROPERTIES ({properties})" if properties else ""
        self.spark.sql(f"CREATE TABLE delta.`{self.path}` ({columns}) USING delta {layout} {more}")

    def sql(self, text):
        self.spark.sql(text.replace("T!", f"delta.`{self.path}`"))

    def add(self, *ids):
        frame = self.spark.createDataFrame([(i,) for i in ids], "id LONG").coalesce(1)
        frame.write.format("delta").mode("append").save(self.path)

    def read(self, **options):
        reader = self.spark.readStream.format("delta").options(**options)
        return reader.load(self.path)

    def run(self, name="q", change=lambda frame: frame, mode="append", **options):
        """Run a query to the end of what there is; return it."""
        writer = change(self.read(**options)).writeStream.format("json").outputMode(mode)
        query = (
            writer.option("path", str(self.folder / f"out_{name}"))
            .option("checkpointLocation", str(self.checkpoint(name)))
            .trigger(availableNow=True)
            .start()
        )
        try:
            query.awaitTermination()
        finally:
            self.query = query
        return query

    def checkpoint(self, name="q"):
        return self.folder / f"cp_{name}"

    def rows(self, name="q"):
        files = Path(self.folder / f"out_{name}").glob("part-*")
        lines = (line for file in files for line in file.read_text().splitlines())
        return sorted((json.loads(line) for line in lines), key=json.dumps)

    def ids(self, name="q"):
        return sorted(row["id"] for row in self.rows(name))

    def offsets(self, name="q"):
        found = sorted(
            (self.checkpoint(name) / "offsets").glob("[0-9]*"), key=lambda f: int(f.name)
        )
        return [short(file.read_text().splitlines()[-1]) for file in found]


def short(text):
    offset = json.loads(text)
    return offset["reservoirVersion"], offset["index"], offset["isStartingVersion"]
