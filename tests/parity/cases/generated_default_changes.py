"""DEFAULT for generated columns in UPDATE and MERGE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.changing import merge, source
from tests.parity.generating import after, summed

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_default_of_generated_columns_that_change(t: Recorder) -> None:
    summed(t)
    t.spark.sql("INSERT INTO t (a, b) VALUES (1, 2), (3, 4)")
    after(t, "UPDATE t SET a = 10, c = DEFAULT WHERE a = 1", "INSERT INTO t VALUES (5, 6, DEFAULT)")
    source(t, "(3, 30), (7, 70)", "a, b")
    merge(t, "MATCHED THEN UPDATE SET b = s.b, c = DEFAULT", on="t.a = s.a")
    merge(t, "NOT MATCHED THEN INSERT (a, b, c) VALUES (s.a, s.b, DEFAULT)", on="t.a = s.a")
