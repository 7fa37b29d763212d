"""Answers read well as text and lose nothing as JSON."""

import datetime as dt
import decimal
import json

import pytest

from puredelta.cli.output import render

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


def report_of(*findings, sound=False):
    names = ("severity", "code", "file", "text")
    rows = [dict(zip(names, finding, strict=True)) for finding in findings]
    return {"findings": rows, "version": 1, "files": 1, "sound": sound}


def test_findings_are_shown_with_escapes(capsys):
    report = report_of(("error", "c", ODD, f"first {ODD}\nsecond"))

    render.print_check(report, 3, "table")

    assert capsys.readouterr().out.splitlines() == [
        "error: c, 1 finding",
        f"  {SHOWN}: first {SHOWN}",
        "    second",
        "version 1 with 1 file: 1 error, 0 warnings",
    ]


MISSING = [("error", "file-missing", f"{n}.parquet", "It is gone.") for n in range(5)]
OTHER = ("warning", "stats-wrong", "", "Of the table.")


def test_findings_are_grouped_with_a_few_examples(capsys):
    render.print_check(report_of(*MISSING[:3], OTHER, *MISSING[3:]), 2, "table")

    assert capsys.readouterr().out.splitlines() == [
        "error: file-missing, 5 findings",
        "  0.parquet: It is gone.",
        "  1.parquet: It is gone.",
        "  and 3 more; --examples N for more, --examples 0 for all",
        "warning: stats-wrong, 1 finding",
        "  Of the table.",
        "version 1 with 1 file: 5 errors, 1 warning",
    ]


def test_all_findings_are_shown_where_that_is_wanted(capsys):
    render.print_check(report_of(*MISSING), 0, "table")

    assert capsys.readouterr().out.count("It is gone.") == 5


def test_programs_get_all_findings(capsys):
    render.print_check(report_of(*MISSING, OTHER), 1, "ndjson")

    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows == report_of(*MISSING, OTHER)["findings"]


def test_conversion_is_shown_with_escapes(capsys):
    render.print_conversion({}, f"{ODD}\n  files: 1", as_json=False)

    assert capsys.readouterr().out == f"{SHOWN}\n  files: 1\n"
