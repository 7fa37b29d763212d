"""The statements that `bench/compare.py` times, with `spark` ready; prints one JSON object."""

import json
from typing import Any

from ways_operations import seconds_in_turns


def main(spark: Any) -> None:
    """Run all statements."""
    print(
        "RESULT "
        + json.dumps(seconds_in_turns({"tree": lambda text: spark.sql(text).collect()})["tree"]),
        flush=True,
    )


if __name__ == "__main__":
    main(spark)  # type: ignore[name-defined]  # noqa: F821  # given by the runner
