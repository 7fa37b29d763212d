"""What scenarios of streams share: a query run to its end, and what each of its batches showed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.errors import StreamingQueryException

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

    from tests.parity.recorder import Recorder

# The condition of what ended a query, in its text.
INNER = re.compile(r"\[(?!STREAM_FAILED)([A-Z_.0-9]+)\]")


def outcome_of(start: Callable[[], Any]) -> str:
    """Run a query to its end; return `done`, or the condition that ended it."""
    query = start()
    try:
        query.awaitTermination()
    except StreamingQueryException as error:
        found = INNER.search(str(error))
        return found[1] if found else "failed"
    return "done"


class Reading:
    """A query over the managed table `t`, with a checkpoint of its own."""

    def __init__(self, t: Recorder, name: str = "q") -> None:
        self._t, self._name = t, name
        self.checkpoint = Path(t.folder(f"c_{name}"))

    def run(self, label: str, **options: object) -> None:
        """Run the query until all that is there is read; record its batches and its end."""
        self._t.rows(label, lambda: self._lines(options))

    @staticmethod
    def shown(row: tuple[object, ...]) -> tuple[object, ...]:
        """Return what of a row is the same in each run."""
        return row

    def _lines(self, options: dict[str, object]) -> list[str]:
        lines = []

        def keep(frame: DataFrame, number: int) -> None:
            rows = sorted(str(self.shown(tuple(row))) for row in frame.collect())
            lines.append(f"batch {number}: {', '.join(rows)}")

        def start() -> Any:
            reader = self._t.spark.readStream.format("delta").options(**options)  # type: ignore[arg-type]
            writer = reader.load(str(self._t.place("t"))).writeStream.foreachBatch(keep)
            writer = writer.option("checkpointLocation", str(self.checkpoint))
            return writer.trigger(availableNow=True).start()

        ended = outcome_of(start)
        return [*lines, f"ended: {ended}", *self._offsets()]

    def _offsets(self) -> list[str]:
        """The offsets that the checkpoint has, but for the id of the table."""
        files = (self.checkpoint / "offsets").glob("[0-9]*")
        lines = []
        for file in sorted(files, key=lambda one: int(one.name)):
            offset = json.loads(file.read_text("utf-8").splitlines()[2])
            lines.append(f"offset {file.name}: {json.dumps({**offset, 'reservoirId': '<id>'})}")
        return lines


def table_of(t: Recorder, *rows: str, columns: str = "id BIGINT, v STRING", more: str = "") -> None:
    """Create `t`, then insert rows; see `insert`."""
    t.sql(f"CREATE TABLE t ({columns}) USING delta {more}")
    insert(t, *rows)


def insert(t: Recorder, *rows: str) -> None:
    """Insert one or more rows into `t` at a time, each time by a commit with one file."""
    for row in rows:
        t.spark.sql(f"INSERT INTO t SELECT /*+ COALESCE(1) */ * FROM VALUES {row}")


def properties(*texts: str) -> str:
    """The clause for table properties, each as `name=value`."""
    pairs = (text.split("=") for text in texts)
    return (
        "TBLPROPERTIES (" + ", ".join(f"'delta.{name}' = '{value}'" for name, value in pairs) + ")"
    )
