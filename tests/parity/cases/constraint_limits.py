"""Constraints on rows that are only copied, with odd expressions, and inserts of wrong columns."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.parity.changing import make, merge, source

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def _constrain_unseen(t: Recorder, condition: str, version: int) -> None:
    """Commit a constraint that nothing has checked, as another writer of the log may."""
    log = t.place("t") / "_delta_log"
    lines = [json.loads(x) for x in (log / f"{0:020}.json").read_text("utf-8").splitlines()]
    [metadata] = [line["metaData"] for line in lines if "metaData" in line]
    metadata["configuration"]["delta.constraints.c"] = condition
    actions = ({"protocol": {"minReaderVersion": 1, "minWriterVersion": 3}}, {"metaData": metadata})
    text = "".join(json.dumps(action) + "\n" for action in actions)
    (log / f"{version:020}.json").write_text(text, "utf-8")


def _violating(t: Recorder) -> None:
    properties = {"delta.enableDeletionVectors": "false"}
    version = make(t, "(-1, 'a'), (2, 'b'), (3, 'c')", properties=properties)
    _constrain_unseen(t, "id > 0", version)


def case_copied_rows_in_merge(t: Recorder) -> None:
    _violating(t)
    source(t, "(9, 'i')")
    merge(t, "NOT MATCHED THEN INSERT *")
    source(t, "(-5, 'x')")
    merge(t, "NOT MATCHED THEN INSERT *")
    source(t, "(-1, 'x')")
    merge(t, "MATCHED THEN DELETE")
    source(t, "(2, 'two')")
    merge(t, "MATCHED THEN UPDATE SET *")


def case_copied_rows_that_violate(t: Recorder) -> None:
    _violating(t)
    source(t, "(2, 'two'), (9, 'nine')")
    merge(t, "MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *")
    t.sql("UPDATE t SET v = 'two' WHERE id = 2")
    t.sql("DELETE FROM t WHERE id = 3")
    t.sql("UPDATE t SET v = 'x' WHERE id = -1")
    t.sql("SELECT * FROM t")


def case_constraints_on_columns_that_are_not_there_name_the_others(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE t (number INT, s STRUCT<a: INT>) USING delta")
    for condition in ("nope > 0", "s.nope > 0"):
        text = f"ALTER TABLE t ADD CONSTRAINT c CHECK ({condition})"
        t.sql(text)
        t.value(f"names others: {condition}", lambda text=text: _names_others(t, text))


def _names_others(t: Recorder, text: str) -> bool:
    """Whether the error of a statement names a column or field that there is."""
    try:
        t.spark.sql(text)
    except Exception as error:  # noqa: BLE001  # its text is the observation
        return "`number`" in str(error) or "`a`" in str(error)
    return False


def case_constraints_with_functions_of_the_session(t: Recorder) -> None:
    make(t, "(1, 'a')")
    t.spark.udf.register("is_fine", lambda x: x > 0, "boolean")
    t.attempt("python", lambda: t.spark.sql("ALTER TABLE t ADD CONSTRAINT p CHECK (is_fine(id))"))
    t.sql("CREATE TEMPORARY FUNCTION is_good(x INT) RETURNS BOOLEAN RETURN x > 0")
    t.sql("ALTER TABLE t ADD CONSTRAINT s CHECK (is_good(id))")
    t.sql("DROP TEMPORARY FUNCTION is_good")
    t.sql("DROP TEMPORARY FUNCTION is_fine")
    t.sql("INSERT INTO t VALUES (2, 'b')")


def case_constraints_with_names_in_double_quotes(t: Recorder) -> None:
    make(t, "(1, 'a')")
    t.conf("spark.sql.ansi.doubleQuotedIdentifiers", "true")
    t.sql("""ALTER TABLE t ADD CONSTRAINT c CHECK ("id" > 0)""")
    t.conf("spark.sql.ansi.doubleQuotedIdentifiers", "false")
    t.sql("INSERT INTO t VALUES (2, 'b')")
    t.sql("INSERT INTO t VALUES (0, 'b')")
    t.sql("SELECT * FROM t")


def case_inserts_of_other_numbers_of_columns(t: Recorder) -> None:
    make(t)
    for text in (
        "INSERT INTO t VALUES (1, 'a', 2)",
        "INSERT INTO t (id) VALUES (1, 'a')",
        "INSERT INTO t (id, v) VALUES (1)",
        "INSERT INTO t (id, nope) VALUES (1, 'a')",
        "INSERT INTO t SELECT 1, 'a', 2",
        "INSERT INTO t BY NAME SELECT 1 AS id, 2 AS nope",
        "INSERT INTO t SELECT 1",
    ):
        t.sql(text)
    t.sql("SELECT * FROM t")
