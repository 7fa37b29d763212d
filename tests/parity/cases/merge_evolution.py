"""MERGE with schema evolution: which columns the target gains, and what is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.changing import MAPPED, make, merge, source, versions

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

TWO = "(1, 'a'), (2, 'b')"
ALL = ("MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *")
AUTO = "spark.databricks.delta.schema.autoMerge.enabled"
WIDE = {"delta.enableTypeWidening": "true"}
STRUCT = "id INT, s STRUCT<a: INT, b: STRING>"
STRUCT_ROWS = "(1, named_struct('a', 1, 'b', 'x')), (2, NULL)"


def _more(t: Recorder) -> None:
    """A table of two columns, a source with a third."""
    make(t, TWO)
    source(t, "(1, 'one', 10), (9, 'nine', 90)", "id, v, n")


def case_evolve_by_stars(t: Recorder) -> None:
    _more(t)
    merge(t, *ALL, evolve=True)
    t.log("t", 2)


def case_evolve_by_the_session(t: Recorder) -> None:
    _more(t)
    merge(t, *ALL)
    t.conf(AUTO, "true")
    merge(t, *ALL)
    t.log("t", 2)


def case_evolve_by_one_star(t: Recorder) -> None:
    _more(t)
    merge(t, "MATCHED THEN UPDATE SET *", evolve=True)
    source(t, "(1, 'one', 11), (9, 'nine', 91)", "id, v, m")
    merge(t, "NOT MATCHED THEN INSERT *", evolve=True)
    t.log("t", 2)


def case_evolve_by_assignments(t: Recorder) -> None:
    _more(t)
    merge(t, "MATCHED THEN UPDATE SET n = s.n", evolve=True)
    source(t, "(1, 'one', 11), (9, 'nine', 91)", "id, v, m")
    merge(t, "NOT MATCHED THEN INSERT (id, m) VALUES (s.id, s.m)", evolve=True)
    merge(t, "MATCHED THEN UPDATE SET k = s.m", evolve=True)
    merge(t, "MATCHED THEN UPDATE SET t.other = 1", evolve=True)


def case_evolve_not_by_other_clauses(t: Recorder) -> None:
    _more(t)
    merge(t, "MATCHED THEN UPDATE SET v = s.v", evolve=True)
    merge(t, "MATCHED AND s.n > 100 THEN DELETE", evolve=True)
    merge(t, "NOT MATCHED BY SOURCE THEN UPDATE SET v = 'gone'", evolve=True)
    merge(t, "NOT MATCHED BY SOURCE THEN UPDATE SET n = 0", evolve=True)


def case_evolve_without_a_change_of_rows(t: Recorder) -> None:
    _more(t)
    merge(t, "MATCHED AND false THEN UPDATE SET *", evolve=True)
    merge(t, "MATCHED THEN UPDATE SET *", on="t.id = s.id + 100", evolve=True)
    t.log("t", 2)
    versions(t)


def case_evolve_with_fewer_columns(t: Recorder) -> None:
    make(t, "(1, 'a', 5), (2, 'b', 6)", columns="id INT, v STRING, n INT")
    source(t, "('one', 1), ('nine', 9)", "v, id")
    merge(t, *ALL, evolve=True)
    source(t, "(1), (10)", "ID")
    merge(t, *ALL, evolve=True)


def case_evolve_with_clause_conditions(t: Recorder) -> None:
    _more(t)
    merge(
        t,
        "MATCHED AND s.n = 10 THEN UPDATE SET *",
        "NOT MATCHED AND s.n > 1 THEN INSERT *",
        "NOT MATCHED BY SOURCE AND t.id = 2 THEN DELETE",
        evolve=True,
    )


def case_evolve_structs(t: Recorder) -> None:
    make(t, STRUCT_ROWS, columns=STRUCT)
    rows = (
        "(1, named_struct('c', 3, 'a', 9)), (2, named_struct('c', 4, 'a', 8)),"
        " (9, named_struct('c', 5, 'a', NULL)), (10, NULL)"
    )
    source(t, rows, "id, s")
    merge(t, *ALL, on="t.id = s.id")
    merge(t, *ALL, evolve=True)
    merge(t, "MATCHED AND t.id = 1 THEN UPDATE SET s = s.s", evolve=True)


def case_evolve_fields_by_assignments(t: Recorder) -> None:
    make(t, STRUCT_ROWS, columns=STRUCT)
    source(t, "(1, named_struct('a', 2, 'b', 'y', 'c', 3))", "id, s")
    merge(t, "MATCHED THEN UPDATE SET t.s.a = s.s.a", evolve=True)
    merge(t, "MATCHED THEN UPDATE SET t.s.c = s.s.c", evolve=True)
    merge(t, "MATCHED THEN UPDATE SET t.s = s.s", evolve=True)


def case_evolve_null_structs(t: Recorder) -> None:
    make(t, STRUCT_ROWS, columns=STRUCT)
    nothing = "CAST(NULL AS STRUCT<a: INT, c: INT>)"
    source(t, f"(1, {nothing}), (9, {nothing})", "id, s")
    merge(t, *ALL, evolve=True)


def case_evolve_structs_in_arrays_and_maps(t: Recorder) -> None:
    make(
        t,
        "(1, array(named_struct('a', 1)), map('k', named_struct('a', 1)))",
        columns="id INT, l ARRAY<STRUCT<a: INT>>, m MAP<STRING, STRUCT<a: INT>>",
    )
    one = "named_struct('b', 2, 'a', 7)"
    source(t, f"(1, array({one}), map('n', {one})), (9, array(), NULL)", "id, l, m")
    merge(t, *ALL)
    merge(t, *ALL, evolve=True)


def case_structs_by_name_without_evolution(t: Recorder) -> None:
    make(t, STRUCT_ROWS, columns=STRUCT)
    source(t, "(1, named_struct('b', 'y', 'a', 9)), (9, named_struct('B', 'z', 'A', 8))", "id, s")
    merge(t, *ALL)
    source(t, "(1, named_struct('a', 9)), (10, named_struct('a', 8))", "id, s")
    merge(t, "MATCHED THEN UPDATE SET *")
    merge(t, "NOT MATCHED THEN INSERT *")
    merge(t, *ALL, evolve=True)


def case_evolve_types(t: Recorder) -> None:
    make(t, "(1, 1, 'a')", columns="id INT, n INT, v STRING")
    source(t, "(1, 5000000000L, 2), (9, 6L, 3)", "id, n, v")
    merge(t, *ALL, evolve=True)
    source(t, "(1, 7L, 2.5), (9, 8L, 3.5)", "id, n, v")
    merge(t, *ALL, evolve=True)
    source(t, "(1, array(1), 'x')", "id, n, v")
    merge(t, *ALL, evolve=True)


def case_evolve_types_that_widen(t: Recorder) -> None:
    make(t, "(1, 1, 1.5)", columns="id INT, n INT, d DECIMAL(4, 1)", properties=WIDE)
    source(t, "(1, 5000000000L, 1234567.25), (9, 6L, NULL)", "id, n, d")
    merge(t, *ALL)
    merge(t, *ALL, evolve=True)
    t.log("t", 2)


def case_evolve_new_columns_of_types(t: Recorder) -> None:
    make(t, TWO)
    source(t, "(1, 'x', array(1), named_struct('q', 1), NULL)", "id, v, l, st, nothing")
    merge(t, *ALL, evolve=True)
    source(t, "(1, 'x', array(1), named_struct('q', 1))", "id, v, l, st")
    merge(t, *ALL, evolve=True)


def case_evolve_a_partitioned_and_mapped_table(t: Recorder) -> None:
    columns = "id INT, v STRING, p STRING"
    make(t, "(1, 'a', 'x'), (2, 'b', 'y')", columns=columns, by="p", properties=MAPPED)
    source(t, "(1, 'one', 'x', 5), (9, 'nine', 'z', 6)", "id, v, p, `n n`")
    merge(t, *ALL, evolve=True)
    t.history("t")


def case_evolve_of_columns_that_differ_in_case(t: Recorder) -> None:
    make(t, TWO)
    source(t, "(1, 'one', 1), (9, 'nine', 2)", "Id, V, N")
    merge(t, *ALL, evolve=True)


def case_evolve_by_the_api(t: Recorder) -> None:
    _more(t)
    target = t.tables.DeltaTable.forName(t.spark, "t").alias("t")
    once = target.merge(t.spark.table("s"), "t.id = s.id").whenMatchedUpdateAll()
    t.show("refused or not", once.execute)
    t.show("evolved", lambda: once.whenNotMatchedInsertAll().withSchemaEvolution().execute())
    t.sql("SELECT * FROM t")
