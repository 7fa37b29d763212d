"""A stream into a table on delta-spark, for `oracle.py exec`: one file a batch, until all are there."""

import sys
from typing import Any

spark: Any = globals()["spark"]
files, path, checkpoint = sys.argv[1:4]
stream = spark.readStream.schema("id BIGINT, v STRING").option("maxFilesPerTrigger", 1).json(files)
writer = stream.writeStream.format("delta").option("checkpointLocation", checkpoint)
query = writer.trigger(availableNow=True).start(path)
query.awaitTermination()
print(query.id)
