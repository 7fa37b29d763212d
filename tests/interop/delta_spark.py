"""What `oracle.py exec` runs on delta-spark: makes the catalogue's tables, reads theirs and ours.

oracle.py exec delta_spark.py THEIRS RESULT [OURS ...]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.interop.making import lines_of, make_tables


def main(spark: Any, theirs: Path, result: Path, ours: list[Path]) -> None:
    """Make their tables, and write the rows of all tables, or the error, as JSON."""
    make_tables(spark, theirs)
    found: dict[str, list[str]] = {}
    for path in [*sorted(theirs.iterdir()), *ours]:
        found[str(path)] = _lines_or_error(spark, path)
    result.write_text(json.dumps(found, ensure_ascii=False), "utf-8")


def _lines_or_error(spark: Any, path: Path) -> list[str]:
    try:
        return lines_of(spark, path)
    except Exception as error:  # noqa: BLE001  # the test shows it
        return [f"{type(error).__name__}: {error}"[:2000]]


if __name__ == "__main__":
    main(globals()["spark"], Path(sys.argv[1]), Path(sys.argv[2]), [Path(x) for x in sys.argv[3:]])
