"""CHECK clauses of CREATE TABLE become properties."""

import pytest

from puredelta.errors.classes import DeltaAnalysisError, DeltaParseError
from puredelta.frontend.sql.rewrite.create_table import created_table, with_properties


def rewritten(text):
    listed = created_table(text)
    found = None if listed is None else with_properties(listed)
    return None if found is None else " ".join(found.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "CREATE TABLE t (CONSTRAINT c CHECK (id > 0)) USING delta AS SELECT 1 id",
            (
                "CREATE TABLE t USING delta TBLPROPERTIES ('delta.constraints.c' = 'id > 0')"
                " AS SELECT 1 id"
            ),
        ),
        (
            "CREATE TABLE IF NOT EXISTS a.t(CHECK (id > 0))USING delta AS (SELECT 1 id)",
            (
                "CREATE TABLE IF NOT EXISTS a.t USING delta"
                " TBLPROPERTIES ('delta.constraints.t_check' = 'id > 0') AS (SELECT 1 id)"
            ),
        ),
        (
            (
                "CREATE OR REPLACE TABLE t (CHECK (a > 0), /* b */ CONSTRAINT d CHECK (a < 9))"
                " -- e\nUSING delta PARTITIONED BY (a) TBLPROPERTIES ('x' = 'y') AS SELECT 1 a, 2 b"
            ),
            (
                "CREATE OR REPLACE TABLE t -- e USING delta PARTITIONED BY (a) TBLPROPERTIES"
                " ('delta.constraints.d' = 'a < 9', 'delta.constraints.t_check' = 'a > 0',"
                " 'x' = 'y') AS SELECT 1 a, 2 b"
            ),
        ),
    ],
)
def test_list_of_constraints_alone_leaves_a_query(text, expected):
    assert rewritten(text) == expected


def test_clause_of_the_table_becomes_a_property():
    text = "CREATE TABLE t (id INT, CONSTRAINT c CHECK (id > 5)) USING delta"
    found = created_table(text)

    assert found.table == ("t",)
    assert found.provider == "delta"
    assert rewritten(text) == (
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.constraints.c' = 'id > 5')"
    )


@pytest.mark.parametrize(
    ("columns", "kept", "properties"),
    [
        ("id INT CHECK (id > 5)", "id INT ", "'delta.constraints.t_id_check' = 'id > 5'"),
        (
            "id INT NOT NULL CONSTRAINT C CHECK (id > 5) COMMENT 'a CHECK (x)', s STRING",
            "id INT NOT NULL COMMENT 'a CHECK (x)', s STRING",
            "'delta.constraints.c' = 'id > 5'",
        ),
        (
            "s STRUCT<a: INT, b: MAP<INT, STRING>> CHECK (s.a < 3), CHECK (f(s.a, 2) > 1)",
            "s STRUCT<a: INT, b: MAP<INT, STRING>> ",
            (
                "'delta.constraints.t_s_check' = 's.a < 3',"
                " 'delta.constraints.t_check' = 'f(s.a, 2) > 1'"
            ),
        ),
        (
            "`check` INT CHECK (`check` <> 1) CHECK (`check` <> 2)",
            "`check` INT ",
            (
                "'delta.constraints.t_check_check' = '`check` <> 1',"
                " 'delta.constraints.t_check_check2' = '`check` <> 2'"
            ),
        ),
        (
            "d DECIMAL(10, 2) CHECK (d IN (1, 2)), -- all, (of it\n CHECK (d <> ')')",
            "d DECIMAL(10, 2) ",
            (
                "'delta.constraints.t_d_check' = 'd IN (1, 2)',"
                " 'delta.constraints.t_check' = 'd <> \\')\\''"
            ),
        ),
    ],
)
def test_clauses_anywhere_in_the_columns(columns, kept, properties):
    found = rewritten(f"CREATE OR REPLACE TABLE a.t ({columns}) USING delta")

    wanted = f"CREATE OR REPLACE TABLE a.t ({kept}) USING delta TBLPROPERTIES ({properties})"
    assert found.replace(" ", "") == wanted.replace(" ", "")


def test_properties_that_are_there_are_added_to():
    found = rewritten(
        "CREATE TABLE IF NOT EXISTS t (a INT CHECK (a > 1)) USING DELTA PARTITIONED BY (a)"
        " TBLPROPERTIES ('x' = '(') COMMENT 'c'"
    )

    assert found == (
        "CREATE TABLE IF NOT EXISTS t (a INT ) USING DELTA PARTITIONED BY (a)"
        " TBLPROPERTIES ('delta.constraints.t_a_check' = 'a > 1', 'x' = '(') COMMENT 'c'"
    )


def test_without_a_format_the_properties_follow_the_columns():
    text = "create table delta.`/x/t` (a int check (a > 1)) partitioned by (a)"
    found = created_table(text)

    assert found.table == ("delta", "/x/t")
    assert found.provider is None
    assert "TBLPROPERTIES ('delta.constraints.t_a_check'" in rewritten(text)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t (id INT) USING delta",
        "CREATE TABLE t (check INT, constraint INT) USING delta",
        "CREATE TABLE t (id INT COMMENT 'CHECK (id > 1)') USING delta",
        "CREATE TABLE t (id INT, PRIMARY KEY (id)) USING delta -- CHECK (id > 1)",
        "CREATE TABLE t (id INT CHECK (id > 1) NOT VALID) USING delta",
        "CREATE TABLE t (id INT CHECK (id > 1) USING delta",
        "CREATE TABLE t USING delta AS SELECT 'CHECK (id > 1)'",
        "SELECT check (1)",
    ],
)
def test_other_texts_are_left_alone(text):
    assert rewritten(text) is None


def test_what_goes_without_saying_is_left_out():
    told = rewritten("CREATE TABLE t (id INT CHECK (id > 1) ENFORCED, v INT) USING delta")
    other = rewritten("CREATE TABLE t (id INT, CONSTRAINT c CHECK (id > 1) norely enforced)")

    assert told.startswith("CREATE TABLE t (id INT , v INT) USING delta TBLPROPERTIES (")
    assert other.split("TBLPROPERTIES")[0].split() == ["CREATE", "TABLE", "t", "(id", "INT)"]


@pytest.mark.parametrize("characteristic", ["RELY", "NOT ENFORCED", "ENFORCED RELY"])
def test_what_a_table_cannot_say_is_refused_by_name(characteristic):
    text = f"CREATE TABLE t (id INT CHECK (id > 1) {characteristic}) USING delta"

    with pytest.raises(DeltaParseError, match="UNSUPPORTED_CONSTRAINT_CHARACTERISTIC"):
        rewritten(text)


def test_a_name_given_twice_is_refused():
    with pytest.raises(DeltaAnalysisError, match="already exists as a CHECK constraint") as caught:
        rewritten("CREATE TABLE t (a INT CONSTRAINT c CHECK (a > 1), CONSTRAINT C CHECK (a > 2))")

    assert caught.value.condition == "DELTA_CONSTRAINT_ALREADY_EXISTS"
