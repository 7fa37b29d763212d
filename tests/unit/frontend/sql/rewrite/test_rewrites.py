"""INSERT WITH SCHEMA EVOLUTION as Spark reads it on every line."""

import pytest

from puredelta.frontend.sql.rewrite.rewrites import evolving_insert

MERGES = "WITH ('mergeSchema' = 'true'"


@pytest.mark.parametrize(
    ("text", "name", "rewritten"),
    [
        (
            "INSERT WITH SCHEMA EVOLUTION INTO t VALUES (1)",
            ("t",),
            f"INSERT INTO t {MERGES}) VALUES (1)",
        ),
        (
            " insert with schema evolution overwrite table a.`b c` PARTITION (p = 1) SELECT 2",
            ("a", "b c"),
            f" insert overwrite table a.`b c` {MERGES}) PARTITION (p = 1) SELECT 2",
        ),
        (
            "INSERT WITH SCHEMA EVOLUTION INTO t WITH ('x' = 'y') (a, b) SELECT 1, 2",
            ("t",),
            f"INSERT INTO t {MERGES}, 'x' = 'y') (a, b) SELECT 1, 2",
        ),
        (
            "INSERT WITH SCHEMA EVOLUTION INTO t WITH q AS (SELECT 1) SELECT * FROM q",
            ("t",),
            f"INSERT INTO t {MERGES}) WITH q AS (SELECT 1) SELECT * FROM q",
        ),
        (
            "-- why\nINSERT /* a */ WITH SCHEMA\nEVOLUTION INTO delta.`/x` BY NAME SELECT 1 AS id",
            ("delta", "/x"),
            f"-- why\nINSERT INTO delta.`/x` {MERGES}) BY NAME SELECT 1 AS id",
        ),
    ],
)
def test_schema_evolution_becomes_an_option(text, name, rewritten):
    assert evolving_insert(text) == (name, rewritten)


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t SELECT 'WITH SCHEMA EVOLUTION'",
        "MERGE WITH SCHEMA EVOLUTION INTO t USING s ON true WHEN MATCHED THEN DELETE",
        "SELECT 'INSERT WITH SCHEMA EVOLUTION INTO t VALUES (1)'",
    ],
)
def test_other_statements_are_not_rewritten(text):
    assert evolving_insert(text) is None


def test_name_that_is_computed_is_left_to_spark():
    assert evolving_insert("INSERT WITH SCHEMA EVOLUTION INTO IDENTIFIER('t') SELECT 1") is None
    assert evolving_insert("INSERT WITH SCHEMA EVOLUTION INTO identifier SELECT 1") is not None
