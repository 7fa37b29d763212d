"""Tables fit on a terminal, and are whole in a pipe."""

import pytest
from rich.cells import cell_len

from puredelta.cli.output import table_text as texts

LONG = "a" * 200 + "b" * 200


@pytest.fixture
def columns(monkeypatch):
    """Give the terminal a width; None for a pipe."""

    def give(count):
        monkeypatch.setattr(texts, "width", lambda: count)

    return give


def lines(headers, rows, **how):
    columns_of_rows = list(zip(*rows, strict=True))
    return "".join(texts.table_text(headers, [columns_of_rows], **how)).splitlines()


def test_pipe_gets_whole_values(columns):
    columns(None)

    assert lines(["path", "size"], [[LONG, 1]])[1] == f"{LONG}     1"


@pytest.mark.parametrize("wide", [80, 120])
def test_long_text_is_cut_in_the_middle(columns, wide):
    columns(wide)

    header, row, note = lines(["path", "size"], [[LONG, 1000]])

    assert len(header) == cell_len(row) == wide
    assert row.startswith("aaaa")
    assert row.endswith("bbbb  1000")
    assert note.startswith("values with … are cut")


def test_only_columns_that_are_too_wide_are_cut(columns):
    columns(80)

    row = lines(["path", "name"], [[LONG, "short name"]])[1]

    assert row.endswith("b  short name")


def test_numbers_are_never_cut(columns):
    columns(40)

    assert "12345678901234567890" in "\n".join(lines(["a", "b"], [[LONG, 12345678901234567890]]))


@pytest.mark.parametrize("wide", [20, 80, 120])
def test_wide_characters_take_their_room(columns, wide):
    columns(wide)

    shown = lines(["name"], [["漢" * 200]])

    assert all(cell_len(line) <= wide for line in shown[:2])


def test_row_without_room_becomes_a_record(columns):
    columns(80)
    headers = [f"column {n}" for n in range(12)]

    shown = lines(headers, [[f"value {n} of some length" for n in range(12)], [None] * 12])

    assert shown[0] == "column 0   value 0 of some length"
    assert shown[11].startswith("column 11")
    assert shown[12:14] == ["", "column 0"]


def test_long_values_are_folded_where_they_are_read(columns):
    columns(80)

    shown = lines(["name", "what"], [["a", "word " * 30]], folds=True)

    assert len(shown) > 2
    assert all(len(line) <= 80 for line in shown)
    assert " ".join(" ".join(shown).split()).count("word") == 30


def test_values_that_cannot_be_folded_become_a_record_without_nulls(columns):
    columns(60)
    row = ["SET TBLPROPERTIES here", "x" * 50, None, "y" * 50]

    assert lines(["operation", "a", "b", "c"], [row], folds=True) == [
        "operation  SET TBLPROPERTIES here",
        f"a          {'x' * 50}",
        f"c          {'y' * 50}",
    ]
