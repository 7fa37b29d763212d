"""RESTORE between two versions that share no file, timed.

Run by `bench/restore.py` for each side of Delta, with `spark` ready. Prints one JSON object:
seconds of each repetition by operation.
"""

import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

FILES = 2_000
REPEATS = 5

RESTORE = "RESTORE, 2,000 files come and go"


def main(spark: Any) -> None:
    """Run all operations of one side."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    table = f"delta.`{folder}/t`"
    taken: list[float] = []
    try:
        for start in (0, 1_000_000):
            rows = spark.range(start, start + 10 * FILES).repartition(FILES)
            rows.write.format("delta").mode("overwrite").save(f"{folder}/t")
        for repeat in range(REPEATS + 1):
            begin = time.perf_counter()
            spark.sql(f"RESTORE TABLE {table} TO VERSION AS OF {repeat % 2}").collect()
            if repeat:
                taken.append(time.perf_counter() - begin)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("RESULT " + json.dumps({RESTORE: taken}), flush=True)


if __name__ == "__main__":
    main(spark)  # type: ignore[name-defined]  # noqa: F821  # given by the runner
