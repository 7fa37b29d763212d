"""What Spark's expressions mean, by JSON that `expressions/record.py` took from two versions."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from puredelta.engine.catalyst.conditions import condition_from
from puredelta.engine.catalyst.expression_json import (
    ExpressionNode,
    NotExactError,
    plain_value,
    tree_of,
)
from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DecimalType,
)
from puredelta.table.skipping.describe import condition_text
from puredelta.table.skipping.predicate import Unknown

RECORDED = {
    path.stem: json.loads(path.read_text())
    for path in Path(__file__).parent.joinpath("expressions").glob("*.json")
}
HALF_PAST_MIDNIGHT = 1_603_585_800_000_000


class Told:
    """Tells what is not in the JSON."""

    def __init__(self, value=None, data_type=None):
        self.value, self.data_type = value, data_type

    def constant(self, place):
        if self.data_type is None:
            raise NotExactError(place)
        return self.value, self.data_type

    def members(self, _place, _data_type):
        return (7, 3), True

    def escape(self, _place):
        return "/"


ANALYSED = [
    ("i <=> NULL", "i IS NULL"),
    ("b = 5", "cast(b as int) = 5"),
    ("st LIKE 'ab%'", "startswith(st, 'ab')"),
    ("st LIKE 'a/%b_c' ESCAPE '/'", "startswith(st, 'a%b') AND like(st, a/%b_c)"),
    ("st LIKE 'abc'", "st = 'abc'"),
    ("i BETWEEN 1 AND 5", "i >= 1 AND i <= 5"),
    ("ts > nt", "ts > cast(nt as timestamp)"),
    ("i = NULL", "NULL"),
    ("CAST(ts AS DATE) = DATE '2020-01-01'", "cast(ts as date) = DATE '2020-01-01'"),
    ("i + 1 > 3", "greaterthan(add(i, 1), 3)"),
    ("(i = 5) = FALSE", "NOT i = 5"),
    ("year(ts) = 2020", "year(cast(ts as date)) = 2020"),
]
OPTIMISED = [
    ("i = 5", "i IS NOT NULL AND i = 5"),
    ("d > 1", "d IS NOT NULL AND d > 1.0"),
    ("f = CAST('NaN' AS FLOAT)", "f IS NOT NULL AND equalto(f, NaN)"),
    ("st = 'a\\'b{ü'", "st IS NOT NULL AND st = 'a\\'b{ü'"),
    ("startswith(st, 'x')", "st IS NOT NULL AND startswith(st, 'x')"),
    ("i IN (1, 2)", "i IN (1, 2)"),
    ("i IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)", "i IN (7, 3, NULL)"),
    ("i IS NULL", "i IS NULL"),
    ("n IS NULL", "n IS NULL"),
    ("n.`x.y`.c = 'x'", "n.`x.y`.c IS NOT NULL AND n.`x.y`.c = 'x'"),
    ("arr[0] = 1", "arr IS NOT NULL AND equalto(getarrayitem(arr, 0), 1)"),
    ("NOT bo", "bo IS NOT NULL AND (NOT bo = TRUE)"),
    ("da = '2020-01-02'", "da IS NOT NULL AND da = DATE '2020-01-02'"),
    ("de > 10.25", "de IS NOT NULL AND de > 10.25"),
    (
        "nt < TIMESTAMP_NTZ '2020-01-02 03:04:05.123456'",
        "nt IS NOT NULL AND nt < TIMESTAMP_NTZ '2020-01-02 03:04:05.123456'",
    ),
    ("ch = 'ab'", "ch IS NOT NULL AND ch = 'ab   '"),
    ("co = 'abc'", "co IS NOT NULL AND equalto(co, abc)"),
    ("rand(1) > 0.5", "greaterthan(rand(1), 0.5)"),
    ("`we ird` = 1", "`we ird` IS NOT NULL AND `we ird` = 1"),
    ("isnan(d)", "d IS NOT NULL AND isnan(d)"),
    ("i != 5", "i IS NOT NULL AND (NOT i = 5)"),
    ("i = 5 IS NULL", "i = 5 IS NULL"),
    ("bo IS NOT TRUE", "NOT bo <=> TRUE"),
    ("nvl(bo, TRUE)", "NOT ((NOT bo = TRUE) <=> TRUE)"),
    ("i = l", "(i IS NOT NULL AND l IS NOT NULL) AND cast(i as bigint) = l"),
    ("i = 1 OR (l = 2 AND d IS NULL)", "i = 1 OR (l = 2 AND d IS NULL)"),
    ("i IS DISTINCT FROM 3", "NOT i <=> 3"),
    ("st RLIKE 'x'", "st IS NOT NULL AND rlike(st, x)"),
]


@pytest.mark.parametrize("version", sorted(RECORDED))
@pytest.mark.parametrize(("sql", "wanted"), ANALYSED)
def test_resolved_expression_is_understood(version, sql, wanted):
    assert read(version, "analysed", sql, Told()) == wanted


@pytest.mark.parametrize("version", sorted(RECORDED))
@pytest.mark.parametrize(("sql", "wanted"), OPTIMISED)
def test_optimised_expression_is_understood(version, sql, wanted):
    assert read(version, "optimised", sql, Told()) == wanted


@pytest.mark.parametrize("version", sorted(RECORDED))
def test_point_in_time_is_asked_for(version):
    sql = "ts > TIMESTAMP '2020-10-25 02:30:00'"

    found = read(version, "optimised", sql, Told(HALF_PAST_MIDNIGHT, TIMESTAMP))

    assert found == "ts IS NOT NULL AND ts > TIMESTAMP '2020-10-25 00:30:00Z'"


@pytest.mark.parametrize("version", sorted(RECORDED))
@pytest.mark.parametrize(
    ("sql", "told", "wanted"),
    [
        ("l < 3", Told(3, LONG), "l < 3"),
        ("ch = 'ab'", Told("ab   ", STRING), "ch = 'ab   '"),
        ("l < 3", Told(), "lessthan(l, cast(3))"),
    ],
)
def test_constant_subtree_is_asked_for(version, sql, told, wanted):
    assert read(version, "analysed", sql, told) == wanted


@pytest.mark.parametrize("version", sorted(RECORDED))
def test_subquery_is_unknown(version):
    text = read(version, "optimised", "i > (SELECT max(id) FROM range(3))", Told())

    assert text == "i IS NOT NULL AND greaterthan(cast(i), scalarsubquery())"


def test_two_versions_are_recorded():
    assert len(RECORDED) == 2


def test_expression_of_someone_else_is_unknown():
    tree = tree_of('[{"class":"com.example.EqualTo","num-children":0}]')

    assert condition_from(tree, Told()) == Unknown("equalto()")


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        ({"metadata": {"__file_source_constant_metadata_col": "i"}}, "isnull(i)"),
        ({"name": "file_size", "nullable": False}, "isnull(file_size)"),
        ({"name": "file_size", "nullable": True}, "file_size IS NULL"),
        ({"name": "Row_Index", "nullable": True}, "isnull(Row_Index)"),
    ],
)
def test_attribute_of_the_file_is_not_a_column_of_the_table(told, wanted):
    is_null, attribute = RECORDED["4.3.0"]["optimised"]["i IS NULL"]
    tree = tree_of(json.dumps([is_null, {**attribute, **told}]))

    assert condition_text(condition_from(tree, Told())) == wanted


@pytest.mark.parametrize(
    ("recorded", "wanted"),
    [
        ("ch = 'ab'", "ch = 'ab   '"),
        ("n.`x.y`.c = 'x'", "equalto(staticinvoke(n.x.y.c), x)"),
    ],
)
def test_blanks_behind_a_field_of_a_struct_are_not_known_to_the_table(recorded, wanted):
    conjunction = tree_of(json.dumps(RECORDED["4.3.0"]["optimised"][recorded]))
    comparison = conjunction.children[1]
    padding = {"functionName": "readSidePadding"}
    padded = ExpressionNode("objects.StaticInvoke", padding, comparison.children[:1])
    tree = replace(comparison, children=(padded, comparison.children[1]))

    assert condition_text(condition_from(tree, Told())) == wanted


@pytest.mark.parametrize(
    ("text", "data_type", "wanted"),
    [
        ("-5", INTEGER, -5),
        ("true", BOOLEAN, True),
        ("1.0E10", DOUBLE, 1e10),
        ("0.1", FLOAT, 0.10000000149011612),
        ("-Infinity", DOUBLE, float("-inf")),
        ("10.50", DecimalType(10, 2), 1050),
        ("1E+3", DecimalType(10, 2), 100_000),
        ("2020-01-02", DATE, 18_263),
        ("+10000-01-01", DATE, 2_932_897),
        ("1577934245123456", TIMESTAMP_NTZ, 1_577_934_245_123_456),
        (None, STRING, None),
    ],
)
def test_literal_is_read(text, data_type, wanted):
    assert plain_value(text, data_type) == wanted


@pytest.mark.parametrize(
    ("text", "data_type"),
    [("2020-10-25 02:30:00", TIMESTAMP), ("[B@5ce6dac5", BINARY), ("x", INTEGER)],
)
def test_literal_that_its_text_does_not_tell_is_refused(text, data_type):
    with pytest.raises(NotExactError):
        plain_value(text, data_type)


def read(version, kind, sql, told):
    tree = tree_of(json.dumps(RECORDED[version][kind][sql]))
    return condition_text(condition_from(tree, told))
