"""Rows of the log in a notebook: what is empty is left out, sizes and times are for people."""

from datetime import date, datetime, timezone
from zoneinfo import ZoneInfo

import pyarrow as pa

from puredelta.notebook.arrow_rows import record_html, rows_html
from tests.html_tables import rows_of, texts_of

TIME = pa.timestamp("ms", "UTC")
WHEN = datetime(2026, 3, 1, 23, 30, 5, 7000, tzinfo=timezone.utc)
TEXTS = pa.map_(pa.string(), pa.string())


def test_columns_without_a_value_and_statistics_are_left_out():
    rows = pa.table(
        {
            "path": ["a", "b"],
            "tags": pa.array([None, [("k", None)]], TEXTS),
            "note": ["", None],
            "size": [0, None],
            "stats": ["{}", "{}"],
        }
    )

    html = rows_html(rows, 20)

    assert texts_of(html) == [["path", "size"], ["a", "0 B"], ["b", ""]]
    assert "<small>2 rows, without empty columns</small>" in html


def test_numbers_are_at_the_right_with_the_exact_value_in_the_title():
    rows = pa.table({"version": [12345], "size": [3 * 2**20], "num_records": [1234567], "f": [0.5]})

    [heads, cells] = rows_of(rows_html(rows, 20))

    assert cells[0][:2] == ("12345", None)
    assert cells[1][:2] == ("3.0 MiB", "3,145,728 bytes")
    assert cells[2][:2] == ("1,234,567", None)
    assert {cell.kind for cell in (*heads, *cells)} == {"puredelta-number"}


def test_times_are_in_the_zone_that_the_note_names():
    rows = pa.table({"t": pa.array([WHEN], TIME), "day": [date(2026, 3, 1)], "ok": [True]})

    html = rows_html(rows, 20, ZoneInfo("Europe/Berlin"))

    assert rows_of(html)[1] == [
        ("2026-03-02 00:30:05", "2026-03-02 00:30:05.007+01:00", "puredelta-line"),
        ("2026-03-01", None, None),
        ("yes", None, None),
    ]
    assert "1 row, times in Europe/Berlin" in html


def test_times_that_no_calendar_has_are_shown_as_numbers():
    times = pa.array([1_700_000_000_000_000], TIME)

    html = rows_html(pa.table({"modification_time": times}), 20)

    assert texts_of(html)[1] == ["1,700,000,000,000,000"]


def test_partitions_show_null_and_other_structs_do_not():
    struct = pa.struct([("p", pa.string()), ("q", pa.int32())])
    values = pa.array([{"p": None, "q": 1}], struct)

    html = rows_html(pa.table({"partition": values, "job": values}), 20)

    assert texts_of(html)[1] == ["p=null, q=1", "q=1"]


def test_history_shows_parameters_and_metrics_that_say_something():
    parameters = [("mode", "Append"), ("partitionBy", "[]"), ("predicate", None)]
    metrics = [("numOutputRows", "1500"), ("numOutputBytes", "2048"), ("numCopiedRows", "0")]
    rows = pa.table(
        {
            "version": [1],
            "operationParameters": pa.array([parameters], TEXTS),
            "operationMetrics": pa.array([[*metrics, ("other", "½")]], TEXTS),
            "isolationLevel": ["Serializable"],
        }
    )

    [heads, cells] = rows_of(rows_html(rows, 20))

    assert [head.text for head in heads] == ["version", "operationParameters", "operationMetrics"]
    assert cells[1][:2] == ("mode=Append", "mode=Append, partitionBy=[], predicate=")
    assert cells[2].text == "numOutputRows=1,500, numOutputBytes=2.0 KiB, other=½"
    assert "numCopiedRows=0" in cells[2].title


def test_first_rows_are_shown_and_the_others_counted():
    html = rows_html(pa.table({"n": range(1500)}), 20)

    assert len(rows_of(html)) == 21
    assert "20 of 1,500 rows" in html


def test_no_rows_are_shown_by_their_columns():
    html = rows_html(pa.table({"version": pa.array([], pa.int64()), "t": pa.array([], TIME)}), 20)

    assert texts_of(html) == [["version", "t"]]
    assert "<small>no rows</small>" in html


def test_a_record_is_shown_as_facts():
    row = pa.table({"numFiles": [1200], "name": [None], "createdAt": pa.array([WHEN], TIME)})

    html = record_html(row)

    assert texts_of(html) == [["numFiles", "1,200"], ["createdAt", "2026-03-01 23:30:05"]]
    assert {cell.kind for row in rows_of(html) for cell in row} == {None, "puredelta-line"}
