"""The columns that expressions name, as Spark's parser reads them."""

from __future__ import annotations

import pytest

from puredelta.engine.catalyst.expression_columns import columns_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 = 1", []),
        ("a > 0", [("a",)]),
        ("a > 0 AND b < A", [("a",), ("b",), ("A",)]),
        ("s.x + s.`y z` > `a.b`", [("s", "x"), ("s", "y z"), ("a.b",)]),
        ("m['k'].x > 0", [("m",)]),
        ("l[0].x > n", [("l",), ("n",)]),
        ("exists(l, z -> z.q > lim)", [("l",), ("lim",)]),
        ("exists(l, x -> x > 0) AND exists(k, y -> y > x)", [("l",), ("k",), ("x",)]),
        ("exists(l, x -> exists(x.k, y -> y > x.q + s.z))", [("l",), ("s", "z")]),
        ("aggregate(l, 0, (acc, X) -> acc + x) > 0", [("l",)]),
        ("upper(c) IN ('a', d) AND e BETWEEN f AND 3", [("c",), ("d",), ("e",), ("f",)]),
        ("CASE WHEN a IS NULL THEN b END LIKE 'x%'", [("a",), ("b",)]),
        ("cast(`日本` AS INT) > 0 /* c */ -- d", [("日本",)]),
        ("`a``b` > 0", [("a`b",)]),
        ("length(a) > 0 OR NOT b", [("a",), ("b",)]),
    ],
)
@pytest.mark.usefixtures("spark")
def test_columns_that_an_expression_names(text, expected):
    assert columns_of(text) == frozenset(expected)


@pytest.mark.usefixtures("spark")
def test_text_that_is_no_expression_is_told_apart():
    assert columns_of("a > ") is None
    assert columns_of("") is None
