"""Which texts are scripts, and where the statements in them are."""

import pytest

from puredelta.frontend.sql.script import statements_of_script

SCRIPTS = {
    "BEGIN OPTIMIZE t; END": ["OPTIMIZE t"],
    "begin not atomic optimize t ; vacuum t; end;": ["optimize t ", "vacuum t"],
    "main: BEGIN SELECT 1; END main": ["SELECT 1"],
    "BEGIN DECLARE x INT DEFAULT 1; SET x = 2; END": ["SET x = 2"],
    "BEGIN IF a = 1 THEN A t; ELSEIF b THEN B t; ELSE C t; END IF; D t; END": [
        "A t",
        "B t",
        "C t",
        "D t",
    ],
    "BEGIN IF CASE WHEN a THEN b ELSE c END THEN A t; END IF; END": ["A t"],
    "BEGIN SELECT CASE x WHEN 1 THEN 2 ELSE 3 END AS c; A t; END": [
        "SELECT CASE x WHEN 1 THEN 2 ELSE 3 END AS c",
        "A t",
    ],
    "BEGIN CASE WHEN a THEN A t; WHEN b THEN B t; ELSE C t; END CASE; END": ["A t", "B t", "C t"],
    "BEGIN CASE a WHEN 1 THEN A t; END CASE; B t; END": ["A t", "B t"],
    "BEGIN l: WHILE x < 3 DO A t; SET x = x + 1; LEAVE l; END WHILE l; END": [
        "A t",
        "SET x = x + 1",
    ],
    "BEGIN FOR r AS SELECT 1 AS a DO A t; END FOR; END": ["A t"],
    "BEGIN REPEAT A t; UNTIL x > 1 END REPEAT; LOOP B t; END LOOP; END": ["A t", "B t"],
    "BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN A t; END; B t; END": ["A t", "B t"],
    "BEGIN DECLARE CONTINUE HANDLER FOR SQLSTATE '22012', NOT FOUND A t; B t; END": ["A t", "B t"],
    "BEGIN A ';' /* ; */ \"x;\" `y;`; BEGIN B t; END; END": ["A ';' /* ; */ \"x;\" `y;`", "B t"],
}


@pytest.mark.parametrize("text", SCRIPTS)
def test_statements_are_found(text):
    assert [text[start:end] for start, end in statements_of_script(text)] == SCRIPTS[text]


@pytest.mark.parametrize(
    "text", ["OPTIMIZE t", "SELECT 'BEGIN'", "", "begin_ : x", "WITH a AS (SELECT 1) SELECT 2"]
)
def test_other_texts_are_no_scripts(text):
    assert statements_of_script(text) == []


@pytest.mark.parametrize("text", ["BEGIN", "BEGIN A t", "BEGIN IF x", "BEGIN l:", "BEGIN ;;; END"])
def test_scripts_that_break_off_have_what_there_is(text):
    assert [text[slice(*span)] for span in statements_of_script(text)] in ([], ["A t"])
