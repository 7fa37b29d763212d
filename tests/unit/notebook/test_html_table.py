"""Tables of HTML show texts as texts, and break where a page is narrow."""

import pytest

from puredelta.notebook.html_table import (
    HtmlCell,
    HtmlTable,
    facts_table,
    path_cell,
    render_html,
    text_cell,
    text_parts,
)
from puredelta.notebook.preview import preview_html, sentences_html
from tests.html_tables import rows_of, tags_of, texts_of

HOSTILE = "<script>alert('1')</script>\" onmouseover=\"x' & </td>"
OURS = {"div", "style", "strong", "table", "thead", "tbody", "tr", "th", "td", "wbr", "small"}


def test_texts_are_no_markup_in_any_place():
    cell = HtmlCell(HOSTILE, title=HOSTILE)

    html = render_html("k", HOSTILE, HtmlTable([cell], [[cell]]), note=HOSTILE)

    assert tags_of(html) <= OURS
    assert rows_of(html) == [[(HOSTILE, HOSTILE, None)]] * 2
    assert html.count("&lt;script&gt;") == 6


def test_previews_and_sentences_escape_what_they_are_given():
    for html in (
        preview_html(HOSTILE, [(HOSTILE, HOSTILE)]),
        sentences_html("k", HOSTILE, ["a"], [[HOSTILE]], HOSTILE),
    ):
        assert tags_of(html) <= OURS
        assert texts_of(html)[-1][-1] == HOSTILE


@pytest.mark.parametrize("make", [text_cell, path_cell])
def test_characters_that_a_page_would_hide_are_escaped(make):
    assert make("exe.\u202etxt\n\x00").text == "exe.\\u202etxt\\x0a\\x00"


def test_long_paths_lose_their_middle_and_keep_it_in_the_title():
    path = "month=1/part-00000-0d3f1c7e-9f5a-4f2e-8a37-000000000000-c000.snappy.parquet"

    found = path_cell(path)

    assert found.title == path
    assert len(found.text) == 44
    assert found.text.startswith("month=1/part-00000")
    assert found.text.endswith("c000.snappy.parquet")
    assert path_cell("part-0.parquet").title is None


def test_long_texts_lose_their_end_and_keep_it_in_the_title():
    assert text_cell("x" * 200) == HtmlCell("x" * 200)
    assert text_cell("x" * 201) == HtmlCell("x" * 199 + "…", "x" * 201)


def test_numbers_are_aligned_and_stay_on_a_line():
    cells = [HtmlCell("1-2", is_number=True), HtmlCell("1-2", keeps_line=True), HtmlCell("1-2")]

    html = render_html("k", None, HtmlTable(cells, [cells]))

    kinds = ["puredelta-number", "puredelta-line", None]
    assert [cell.kind for cell in rows_of(html)[1]] == kinds
    assert html.count("<wbr>") == 1
    assert "<strong>" not in html


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", [""]),
        ("a b", ["a b"]),
        ("a=b", ["a=", "b"]),
        ("numTargetRowsInserted=1", ["numTargetRows", "Inserted=", "1"]),
        ("GENERATED ALWAYS AS (a < 1), 4.5", ["GENERATED ALWAYS AS (a < 1), 4.5"]),
        ("x" * 26, ["x" * 24, "x", "x"]),
    ],
    ids=["nothing", "words", "pair", "long name", "sentence", "one long word"],
)
def test_lines_break_in_long_words(text, parts):
    assert text_parts(text) == parts


def test_facts_are_terms_and_what_they_are():
    html = render_html("k", "head", facts_table([("term", HtmlCell("text"))]))

    assert "<strong>head</strong>" in html
    assert "<th>term</th>" in html
    assert "<thead>" not in html
