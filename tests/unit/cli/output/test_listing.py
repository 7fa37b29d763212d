"""Rows in each format: bounded for people, whole for programs, page by page."""

import csv
import datetime as dt
import decimal
import io
import json

import click
import pyarrow as pa
import pytest

from puredelta.cli.output.listing import MOST_ROWS, Listing, listing_of, print_listing

FILES = pa.table(
    {
        "path": ["day=2026-01-02/a.parquet", "day=2026-01-03/b.parquet"],
        "size": [10, 20],
        "partition": pa.array(
            [{"day": dt.date(2026, 1, 2)}, {"day": None}], pa.struct([("day", pa.date32())])
        ),
        "stats": ['{"numRecords":1}', None],
    }
)


def show(rows, form="table", limit=None):
    print_listing(listing_of(rows, "files", limit=limit, form=form), form)


def test_statistics_are_left_out_of_the_table(capsys):
    show(FILES)

    shown = capsys.readouterr().out
    assert "day=2026-01-02" in shown
    assert "numRecords" not in shown


def test_numbers_stand_to_the_right(capsys):
    show(pa.table({"path": ["a", "b"], "size": [1, 1000]}))

    assert capsys.readouterr().out.splitlines() == ["path  size", "a        1", "b     1000"]


def test_table_says_when_there_are_more_rows_than_shown(capsys):
    show(FILES, limit=1)

    shown = capsys.readouterr()
    assert "b.parquet" not in shown.out
    # A program that reads the lines takes none of them for a file.
    assert shown.err == "1 of 2 files; --limit N for more, --limit 0 for all\n"


MANY = pa.table({"path": [f"{n}" for n in range(MOST_ROWS + 500)]})


@pytest.mark.parametrize(
    ("form", "limit", "count"),
    [
        ("table", None, MOST_ROWS),
        ("table", 0, MANY.num_rows),
        ("table", 3, 3),
        ("ndjson", None, MANY.num_rows),
        ("ndjson", 3, 3),
        ("csv", 0, MANY.num_rows),
    ],
)
def test_only_the_table_has_a_bound_of_its_own(capsys, form, limit, count):
    show(MANY, form, limit)

    header = 0 if form == "ndjson" else 1
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == count + header
    assert ("of 1,500 files" in shown.err) == (form == "table" and count < MANY.num_rows)


def test_json_has_partition_values_and_statistics(capsys):
    show(FILES, "json", limit=1)

    assert json.loads(capsys.readouterr().out) == [
        {
            "path": "day=2026-01-02/a.parquet",
            "size": 10,
            "partition": {"day": "2026-01-02"},
            "stats": '{"numRecords":1}',
        }
    ]


def test_each_line_of_ndjson_is_a_row(capsys):
    show(FILES, "ndjson")

    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["size"] for line in lines] == [10, 20]


def test_csv_has_nested_values_as_json(capsys):
    show(FILES, "csv")

    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert rows[0] == {
        "path": "day=2026-01-02/a.parquet",
        "size": "10",
        "partition": '{"day":"2026-01-02"}',
        "stats": '{"numRecords":1}',
    }


def test_csv_tells_null_from_the_empty_text(capsys):
    show(pa.table({"a": ["", None, 'x"y\nz'], "b": [None, 1, 2]}), "csv")

    assert capsys.readouterr().out == '"a","b"\n"",\n,1\n"x""y\nz",2\n'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (dt.date(2026, 1, 2), "2026-01-02"),
        (decimal.Decimal("1.50"), "1.50"),
        (True, "true"),
        ({"a": float("nan")}, '"{""a"":""NaN""}"'),
    ],
)
def test_values_in_csv(capsys, value, text):
    print_listing(Listing(names=["v"], rows=[{"v": value}]), "csv")

    assert capsys.readouterr().out == f'"v"\n{text}\n'


def test_json_has_no_nan(capsys):
    rows = pa.table({"x": [float("nan"), float("inf"), float("-inf"), 1.5]})

    show(rows, "ndjson")

    shown = capsys.readouterr().out
    found = [json.loads(line, parse_constant=pytest.fail)["x"] for line in shown.splitlines()]
    assert found == ["NaN", "Infinity", "-Infinity", 1.5]


@pytest.mark.parametrize(
    ("form", "text"), [("table", "path\n"), ("json", "[]\n"), ("ndjson", ""), ("csv", '"path"\n')]
)
def test_no_rows_at_all(capsys, form, text):
    show(MANY.slice(0, 0), form)

    assert capsys.readouterr().out == text


def test_first_page_of_many_files_is_printed_before_the_last_is_made(capsys, monkeypatch):
    many = pa.table({"path": [f"{n}.parquet" for n in range(2500)]})
    printed = []
    monkeypatch.setattr(click, "echo", lambda text, **_: printed.append(text))

    show(many, limit=0)

    assert [text.count(".parquet") for text in printed if ".parquet" in text] == [1000, 1000, 500]


@pytest.mark.parametrize("count", [0, 1, 1000, 2001])
@pytest.mark.parametrize("for_people", [True, False])
def test_pages_of_json_are_one_list(capsys, monkeypatch, count, for_people):
    rows = [{"path": f"{n}", "size": n} for n in range(count)]
    table = pa.table({"path": [r["path"] for r in rows], "size": [r["size"] for r in rows]})
    monkeypatch.setattr("sys.stdout.isatty", lambda: for_people)
    monkeypatch.setattr(
        click, "echo_via_pager", lambda pieces: click.echo("".join(pieces), nl=False)
    )

    show(table, "json")

    shown = capsys.readouterr().out
    assert json.loads(shown) == rows
    if count:
        lines = [json.dumps(row, separators=(",", ":")) for row in rows]
        piped = "[" + ",\n".join(lines) + "\n]\n"
        assert shown == (json.dumps(rows, indent=2) + "\n" if for_people else piped)


def test_row_is_one_line_as_it_is(capsys):
    path = "[bold]" + "x" * 300 + "\n\x1b[2J.parquet"

    show(pa.table({"path": [path], "size": [1]}))

    _, line = capsys.readouterr().out.splitlines()
    assert line == "[bold]" + "x" * 300 + "\\x0a\\x1b[2J.parquet     1"


UTC = dt.timezone.utc


@pytest.mark.parametrize(
    ("value", "kind", "csv_text", "json_text", "table"),
    [
        (b"\x00\xff", pa.binary(), '"AP8="', '"AP8="', "AP8="),
        (dt.date(2026, 1, 2), pa.date32(), "2026-01-02", '"2026-01-02"', "2026-01-02"),
        (
            dt.datetime(2026, 1, 2, 3, 4, 5, 600_000, tzinfo=UTC),
            pa.timestamp("us", "UTC"),
            '"2026-01-02T03:04:05.600000+00:00"',
            '"2026-01-02T03:04:05.600000+00:00"',
            "2026-01-02T03:04:05.600Z",
        ),
        (
            dt.datetime(2026, 1, 2, 3, 4, 5),  # noqa: DTZ001  # it has no zone
            pa.timestamp("us"),
            '"2026-01-02T03:04:05"',
            '"2026-01-02T03:04:05"',
            "2026-01-02T03:04:05",
        ),
        (
            253402300800_000_000,
            pa.timestamp("us", "UTC"),
            '"10000-01-01T00:00:00+00:00"',
            '"10000-01-01T00:00:00+00:00"',
            "10000-01-01T00:00:00Z",
        ),
    ],
)
def test_values_of_arrow(capsys, value, kind, csv_text, json_text, table):
    rows = pa.table({"v": pa.array([value], kind)})
    shown = {}
    for form in ("csv", "ndjson", "table"):
        show(rows, form)
        shown[form] = capsys.readouterr().out.splitlines()[-1]

    assert shown == {"csv": csv_text, "ndjson": f'{{"v":{json_text}}}', "table": table}
