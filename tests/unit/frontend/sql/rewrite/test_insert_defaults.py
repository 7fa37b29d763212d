"""INSERT that says DEFAULT for a generated column: what Spark reads in its place."""

import pytest

from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.sql.rewrite.insert_defaults import insert_of_defaults, update_of_defaults

GENERATED, COLUMNS = ["c"], ["a", "b", "c"]


def rewritten(text):
    found = insert_of_defaults(text)
    result = None if found is None else found.without(GENERATED, COLUMNS, "a")
    return None if result is None else " ".join(result.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("INSERT INTO t VALUES (1, 2, DEFAULT)", "INSERT INTO t (`a`, `b`) VALUES (1, 2 )"),
        (
            "insert into x.t (C, b, a) values (default, 6, 5), (DEFAULT /* ( */, 'a,(', f(1, 2));",
            "insert into x.t (`b`, `a`) values ( 6, 5 ), ( 'a,(', f(1, 2) );",
        ),
        (
            "INSERT INTO t WITH ('k' = 'v') SELECT x, 2, DEFAULT FROM u WHERE y = 'DEFAULT'",
            "INSERT INTO t WITH ('k' = 'v') (`a`, `b`) SELECT x, 2 FROM u WHERE y = 'DEFAULT'",
        ),
        (
            "INSERT OVERWRITE TABLE `t` SELECT extract(YEAR FROM d), l[f(1, 2)], DEFAULT",
            "INSERT OVERWRITE TABLE `t` (`a`, `b`) SELECT extract(YEAR FROM d), l[f(1, 2)]",
        ),
        (
            "INSERT INTO t VALUES (DEFAULT, DEFAULT, DEFAULT)",
            "INSERT INTO t (`a`, `b`) VALUES (DEFAULT, DEFAULT )",
        ),
    ],
)
def test_default_of_generated_column_leaves_it_out(text, expected):
    assert rewritten(text) == expected


def test_default_of_nothing_but_generated_columns_stands_for_another():
    assert (
        rewritten("INSERT INTO t (c) VALUES (DEFAULT)") == "INSERT INTO t (`a`) VALUES (DEFAULT )"
    )


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t VALUES (1, DEFAULT, 3)",
        "INSERT INTO t VALUES (1, 2, 'DEFAULT')",
        "INSERT INTO t VALUES (1, 2, DEFAULT), (1, 2, 3)",
        "INSERT INTO t VALUES (1, DEFAULT)",
        "INSERT INTO t SELECT 1, 2, DEFAULT UNION SELECT 1, 2, 3",
        "INSERT INTO t SELECT *, DEFAULT FROM u",
        "INSERT INTO t VALUES (1, 2, DEFAULT) AS v",
        "INSERT INTO t PARTITION (p = 1) VALUES (1, 2, DEFAULT)",
        "INSERT INTO t (c, a, b) SELECT DEFAULT, x, y FROM u ORDER BY 2 LIMIT 1",
        "INSERT INTO t (c, a, b) SELECT DEFAULT, x, count(*) FROM u GROUP BY x, (2)",
        "INSERT INTO t BY NAME SELECT 1 AS a, 2 AS b, DEFAULT AS c",
        "INSERT INTO t VALUES (1, 2, DEFAULT",
        "CREATE TABLE t (a INT DEFAULT 1)",
    ],
)
def test_other_statements_stay_as_they_are(text):
    assert rewritten(text) is None


def test_a_limit_is_no_place():
    assert rewritten("INSERT INTO t SELECT x, y, DEFAULT FROM u ORDER BY x LIMIT 3") is not None


def test_default_in_some_rows_of_a_numbered_column_is_refused():
    found = insert_of_defaults("INSERT INTO t VALUES (1, 2, DEFAULT), (1, 2, 3)")

    with pytest.raises(DeltaAnalysisError) as caught:
        found.check_numbered(GENERATED, COLUMNS)

    assert caught.value.condition == "PUREDELTA_DEFAULT_IN_SOME_ROWS"
    found.check_numbered(["a"], COLUMNS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "UPDATE t SET g = DEFAULT, id = f(1, 'WHERE , g = DEFAULT') WHERE id = 1",
            "UPDATE t SET id = f(1, 'WHERE , g = DEFAULT')  WHERE id = 1",
        ),
        ("update c.t AS x SET id = 5, X.`G` = default;", "update c.t AS x SET id = 5 ;"),
        ("UPDATE t SET t.g = DEFAULT", "UPDATE t SET `g` = `g`  "),
        ("UPDATE t SET id = DEFAULT", None),
        ("UPDATE t SET s.g = DEFAULT", None),
        ("UPDATE t x SET t.g = DEFAULT", None),
    ],
)
def test_update_leaves_out_what_the_table_computes(text, expected):
    found = update_of_defaults(text)

    assert found is not None
    assert found.without(["g"], ["id", "g", "s"]) == expected


@pytest.mark.parametrize(
    "text", ["UPDATE t SET g = 'DEFAULT'", "UPDATE t SET g = 1", "SELECT DEFAULT", "UPDATE t"]
)
def test_other_texts_than_updates_of_defaults_are_left_alone(text):
    assert update_of_defaults(text) is None
