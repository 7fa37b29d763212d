"""Answers read well as text and lose nothing as JSON."""

import datetime as dt
import decimal
import json

import pytest

from puredelta.cli import render

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


def test_history_shows_a_commit_a_row(capsys):
    render.print_history(COMMITS, 2, "table")

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["version", "time", "operation", "parameters", "metrics", "engine"]
    assert "mode=Append" in lines[1]
    assert "numOutputRows=1000" in lines[1]
    assert lines[2].strip() == "0"


def test_history_as_json_is_what_it_was(capsys):
    render.print_history(COMMITS, 2, "json")

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

    render.print_check({"findings": [finding], "version": 1, "files": 1, "sound": False}, "table")

    _, first, second, _ = capsys.readouterr().out.splitlines()
    assert first.split() == ["error", "c", SHOWN, "first", SHOWN]
    assert second.split() == ["second"]


def test_conversion_is_shown_with_escapes(capsys):
    render.print_conversion({}, f"{ODD}\n  files: 1", as_json=False)

    assert capsys.readouterr().out == f"{SHOWN}\n  files: 1\n"
