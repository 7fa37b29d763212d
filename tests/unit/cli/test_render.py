"""Answers read well as text and lose nothing as JSON."""

import datetime as dt
import decimal
import json

import click
import pyarrow as pa
import pytest

from puredelta.cli import render
from puredelta.cli.pages import print_rows

COMMITS = [
    {
        "version": 1,
        "timestamp": "2026-01-02T03:04:05.678Z",
        "operation": "WRITE",
        "operationParameters": {"mode": "Append", "partitionBy": "[]"},
        "operationMetrics": {"numFiles": "2", "numOutputRows": "1000"},
        "engineInfo": "PureDelta/0.1.0",
        "userMetadata": None,
    },
    {"version": 0, "timestamp": None, "operation": None, "operationParameters": None},
]

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


def test_history_shows_a_commit_a_row(capsys):
    render.print_history(COMMITS, as_json=False)

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["version", "time", "operation", "parameters", "metrics", "engine"]
    assert "mode=Append" in lines[1]
    assert "numOutputRows=1000" in lines[1]
    assert lines[2].strip() == "0"


def test_history_as_json_is_what_it_was(capsys):
    render.print_history(COMMITS, as_json=True)

    assert json.loads(capsys.readouterr().out) == COMMITS


def test_detail_shows_a_fact_a_line(capsys):
    detail = {
        "name": None,
        "numFiles": 1234,
        "partitionColumns": ["a", "b"],
        "properties": {"delta.appendOnly": "true"},
    }

    render.print_detail(detail, as_json=False)

    shown = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()[1:])
    assert {key: value.strip() for key, value in shown.items()} == {
        "numFiles": "1,234",
        "partitionColumns": "a, b",
        "properties": "delta.appendOnly=true",
    }


def test_files_leave_statistics_to_json(capsys):
    print_rows(FILES, "files", limit=None, as_json=False)

    shown = capsys.readouterr().out
    assert "day=2026-01-02" in shown
    assert "numRecords" not in shown


def test_files_say_when_there_are_more_than_shown(capsys):
    print_rows(FILES, "files", limit=1, as_json=False)

    shown = capsys.readouterr().out
    assert "b.parquet" not in shown
    assert "1 of 2 files" in shown


def test_files_as_json_have_partition_values_and_statistics(capsys):
    print_rows(FILES, "files", limit=1, as_json=True)

    assert json.loads(capsys.readouterr().out) == [
        {
            "path": "day=2026-01-02/a.parquet",
            "size": 10,
            "partition": {"day": "2026-01-02"},
            "stats": '{"numRecords":1}',
        }
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (dt.datetime(2026, 1, 2, tzinfo=dt.timezone.utc), "2026-01-02T00:00:00+00:00"),
        (decimal.Decimal("1.50"), "1.50"),
        (b"\x00\xff", "AP8="),
    ],
)
def test_values_without_a_form_in_json_become_text(capsys, value, text):
    render.print_detail({"value": value}, as_json=True)

    assert json.loads(capsys.readouterr().out) == {"value": text}


def test_first_page_of_many_files_is_printed_before_the_last_is_made(capsys, monkeypatch):
    many = pa.table({"path": [f"{n}.parquet" for n in range(2500)]})
    printed = []
    monkeypatch.setattr(click, "echo", lambda text, **_: printed.append(text))

    print_rows(many, "files", limit=None, as_json=False)

    assert [text.count(".parquet") for text in printed if ".parquet" in text] == [1000, 1000, 500]


@pytest.mark.parametrize("count", [0, 1, 1000, 2001])
@pytest.mark.parametrize("for_people", [True, False])
def test_pages_of_json_are_one_list(capsys, monkeypatch, count, for_people):
    rows = [{"path": f"{n}", "size": n} for n in range(count)]
    table = pa.table({"path": [r["path"] for r in rows], "size": [r["size"] for r in rows]})
    monkeypatch.setattr("sys.stdout.isatty", lambda: for_people)

    print_rows(table, "files", limit=None, as_json=True)

    shown = capsys.readouterr().out
    assert json.loads(shown) == rows
    if count:
        assert shown == json.dumps(rows, indent=2 if for_people else None) + "\n"


def test_row_is_one_line_as_it_is(capsys):
    path = "[bold]" + "x" * 300 + "\n\x1b[2J.parquet"

    print_rows(pa.table({"path": [path], "size": [1]}), "files", limit=None, as_json=False)

    _, line = capsys.readouterr().out.splitlines()
    assert line == "[bold]" + "x" * 300 + "\\x0a\\x1b[2J.parquet  1"


def test_detail_lists_columns_below_the_facts(capsys):
    columns = [
        {
            "name": "[red]id",
            "type": "bigint",
            "nullable": False,
            "partition": None,
            "comment": None,
        },
        {"name": "day", "type": "date", "nullable": True, "partition": 1, "comment": "of sale"},
    ]

    render.print_detail({"name": "t", "columns": columns, "schema": {}}, as_json=False)

    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[-3:] == [
        ["column", "type", "nullable", "partition", "comment"],
        ["[red]id", "bigint", "no"],
        ["day", "date", "yes", "1", "of", "sale"],
    ]


ODD, SHOWN = "a\u202e\x1b[2Jb", "a\\u202e\\x1b[2Jb"


def test_names_of_columns_are_shown_with_escapes(capsys):
    column = {"name": ODD, "type": f"struct<{ODD}:int>", "nullable": True, "partition": None}

    render.print_detail({"columns": [{**column, "comment": ODD}]}, as_json=False)

    shown = capsys.readouterr().out
    assert shown.split()[-4:] == [SHOWN, f"struct<{SHOWN}:int>", "yes", SHOWN]


def test_findings_are_shown_with_escapes(capsys):
    finding = {"severity": "error", "code": "c", "file": ODD, "text": f"first {ODD}\nsecond"}

    render.print_check(
        {"findings": [finding], "version": 1, "files": 1, "sound": False}, as_json=False
    )

    _, first, second, _ = capsys.readouterr().out.splitlines()
    assert first.split() == ["error", "c", SHOWN, "first", SHOWN]
    assert second.split() == ["second"]


def test_conversion_is_shown_with_escapes(capsys):
    render.print_conversion({}, f"{ODD}\n  files: 1", as_json=False)

    assert capsys.readouterr().out == f"{SHOWN}\n  files: 1\n"
