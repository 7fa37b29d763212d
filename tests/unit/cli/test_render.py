"""Answers read well as text and lose nothing as JSON."""

import datetime as dt
import decimal
import json

import pyarrow as pa
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
    render.print_rows(FILES, "files", limit=None, as_json=False)

    shown = capsys.readouterr().out
    assert "day=2026-01-02" in shown
    assert "numRecords" not in shown


def test_files_say_when_there_are_more_than_shown(capsys):
    render.print_rows(FILES, "files", limit=1, as_json=False)

    shown = capsys.readouterr().out
    assert "b.parquet" not in shown
    assert "1 of 2 files" in shown


def test_files_as_json_have_partition_values_and_statistics(capsys):
    render.print_rows(FILES, "files", limit=1, as_json=True)

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
