"""A stream into a table on delta-spark, for `oracle.py exec`: one file a batch."""

import json
import sys
from pathlib import Path
from typing import Any

spark: Any = globals()["spark"]
result, files, path, checkpoint = sys.argv[1:5]
stream = spark.readStream.schema("id BIGINT, v STRING").option("maxFilesPerTrigger", 1).json(files)
writer = stream.writeStream.format("delta").option("checkpointLocation", checkpoint)
query = writer.trigger(availableNow=True).start(path)
query.awaitTermination()
Path(result).write_text(json.dumps({"query": query.id}))
