"""A stream over a table on delta-spark, for `oracle.py exec`: one file a batch."""

import json
import sys
from pathlib import Path
from typing import Any

spark: Any = globals()["spark"]
result, path, out, checkpoint, options = sys.argv[1:6]
stream = spark.readStream.format("delta").options(**json.loads(options)).load(path)
writer = stream.writeStream.format("json").option("checkpointLocation", checkpoint)
query = writer.trigger(availableNow=True).start(out)
failure = None
try:
    query.awaitTermination()
except Exception as error:  # noqa: BLE001  # the text is what is asked for
    failure = str(error)
Path(result).write_text(json.dumps({"query": query.id, "failure": failure}))
