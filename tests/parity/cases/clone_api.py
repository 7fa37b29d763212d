"""DeltaTable.clone, cloneAtVersion and cloneAtTimestamp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.parity.changing import THREE_AND_TWO, make

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def source(t: Recorder) -> Any:
    make(t, *THREE_AND_TWO)
    return t.tables.DeltaTable.forName(t.spark, "t")


def case_clone_api(t: Recorder) -> None:
    table = source(t)
    t.attempt("by name", lambda: table.clone("c", True))
    t.sql("SELECT * FROM c")
    t.attempt("by path", lambda: table.clone(target=t.path, isShallow=True))
    t.sql(f"SELECT * FROM delta.`{t.path}`")
    t.attempt("again", lambda: table.clone("c", True))
    t.attempt("over rows", lambda: table.clone("c", True, True))
    t.attempt("properties", lambda: table.clone("d", True, False, {"a": "b"}))
    t.sql("SHOW TBLPROPERTIES d")
    t.history("d")
    t.attempt("new by replace", lambda: table.clone("e", isShallow=True, replace=True))
    t.history("e")
    t.attempt("a path in quotes", lambda: table.clone(f"delta.`{t.folder('x')}`", True))
    t.attempt("deep", lambda: table.clone("f"))
    t.attempt("deep by keyword", lambda: table.clone("f", isShallow=False))


def case_clone_api_at_versions(t: Recorder) -> None:
    table = source(t)
    t.attempt("version", lambda: table.cloneAtVersion(1, "c", True))
    t.sql("SELECT * FROM c")
    t.history("c")
    t.attempt("time", lambda: table.cloneAtTimestamp("2999-01-01", "d", True))
    t.attempt("early", lambda: table.cloneAtTimestamp("1999-01-01", "e", True))
    t.attempt("no time", lambda: table.cloneAtTimestamp("never", "e", True))
    t.attempt("no version", lambda: table.cloneAtVersion(9, "e", True))
    t.attempt("negative", lambda: table.cloneAtVersion(-1, "e", True))


def case_clone_api_arguments(t: Recorder) -> None:
    table = source(t)
    t.attempt("target", lambda: table.clone(5, True))
    t.attempt("isShallow", lambda: table.clone("c", "yes"))
    t.attempt("replace", lambda: table.clone("c", True, "yes"))
    t.attempt("properties", lambda: table.clone("c", True, False, "a=b"))
    t.attempt("values", lambda: table.clone("c", True, False, {"a": 1}))
    t.attempt("version", lambda: table.cloneAtVersion("1", "c", True))
    t.attempt("timestamp", lambda: table.cloneAtTimestamp(1, "c", True))
    t.attempt("relative", lambda: table.clone("rel/p", True))
    t.attempt("empty", lambda: table.clone("", True))
    t.attempt("four parts", lambda: table.clone("a.b.c.d", True))


def case_clone_api_of_paths(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, table=f"delta.`{t.path}`")
    table = t.tables.DeltaTable.forPath(t.spark, t.path)
    t.attempt("by name", lambda: table.clone("c", True))
    t.history("c")
    t.attempt("by path", lambda: table.clone(t.folder("c"), True))
    t.log(t.folder("c"))
    t.attempt("itself", lambda: table.clone(t.path, True, True))
    t.attempt("version", lambda: table.cloneAtVersion(1, "d", True))
    t.history("d")
    t.sql("SELECT * FROM d")
