"""Statements that Spark reads in other words: CREATE TABLE LIKE, INSERT WITH SCHEMA EVOLUTION."""

import pytest

from puredelta.frontend.sql.parser import (
    Like,
    Statement,
    Target,
    evolving_insert,
    parse,
    statement_of,
    writes_a_directory,
)

MERGES = "WITH ('mergeSchema' = 'true'"


def like(*name, source, **said):
    source = Target(name=source)
    return Statement(kind="createLike", target=Target(name=name), like=Like(source=source, **said))


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("CREATE TABLE t LIKE s", like("t", source=("s",))),
        ("create table a.b like c.d ;", like("a", "b", source=("c", "d"))),
        (
            "CREATE TABLE IF NOT EXISTS t LIKE delta.`/a b` USING `delta`",
            like("t", source=("delta", "/a b"), if_not_exists=True, provider="delta"),
        ),
        (
            "CREATE TABLE t LIKE s LOCATION '/x\\'y' USING parquet",
            like("t", source=("s",), location="/x'y", provider="parquet"),
        ),
        (
            "CREATE TABLE t LIKE s TBLPROPERTIES ('a'='b', c.d = 1.5, e \"f\", 'g' true)",
            like("t", source=("s",), properties={"a": "b", "c.d": "1.5", "e": "f", "g": "true"}),
        ),
        ("/* why */ CREATE TABLE like -- t\n LIKE if", like("like", source=("if",))),
    ],
)
def test_create_like_in_its_forms(text, statement):
    assert parse(text) == statement
    assert statement_of(statement.to_json()) == statement


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t LIKE s STORED AS parquet",
        "CREATE TABLE t LIKE s USING delta USING delta",
        "CREATE TABLE t LIKE s COMMENT 'c'",
        "CREATE TABLE t LIKE",
        "CREATE OR REPLACE TABLE t LIKE s",
        "CREATE TABLE liked (like INT) USING delta",
        "CREATE TABLE t USING delta AS SELECT 'x' LIKE 'y'",
    ],
)
def test_other_forms_of_create_are_left_to_spark(text):
    assert parse(text) is None


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
    assert evolving_insert(text) == (Target(name=name), rewritten)


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


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("INSERT OVERWRITE DIRECTORY '/x' USING delta SELECT 1", True),
        ('insert overwrite local directory "/x" using `delta` SELECT 1', True),
        ("INSERT OVERWRITE DIRECTORY USING delta OPTIONS ('path' '/x') SELECT 1", True),
        ("INSERT OVERWRITE DIRECTORY '/x' USING parquet SELECT 'USING delta'", False),
        ("INSERT OVERWRITE directory SELECT 1", False),
    ],
)
def test_a_directory_of_delta_is_recognised(text, does):
    assert writes_a_directory(text) is does


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (r"one\ntwo\tthree", "one\ntwo\tthree"),
        (r"it\'s \"so\"", 'it\'s "so"'),
        (r"a\\b\q", r"a\bq"),
        (r"\u00e9\U0001F600\101", "é😀A"),
        (r"10\%\_", r"10\%\_"),
    ],
)
def test_strings_mean_what_they_mean_to_spark(text, meant):
    found = parse(f"CREATE TABLE a LIKE b TBLPROPERTIES ('k' = '{text}')")

    assert found.like.properties == {"k": meant}


def test_name_that_is_computed_is_left_to_spark():
    assert evolving_insert("INSERT WITH SCHEMA EVOLUTION INTO IDENTIFIER('t') SELECT 1") is None
    assert evolving_insert("INSERT WITH SCHEMA EVOLUTION INTO identifier SELECT 1") is not None
