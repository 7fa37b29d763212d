"""Sessions that lack a part of what makes them speak Delta: Spark's errors show which."""

import pytest

from puredelta.frontend.half_enabled import (
    NO_ADAPTERS,
    NO_CATALOG,
    NO_EXTENSION,
    lacking,
    session_lacks,
)

DIRECT_QUERY = (
    "[UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY] Unsupported data source type for direct query on "
    "files: delta SQLSTATE: 0A000"
)
CANNOT_LOAD = (
    "[CANNOT_LOAD_CATALOG.PLUGIN_CLASS_NOT_FOUND] Cannot load catalog 'spark_catalog' with the "
    "plugin class 'puredelta.Catalog': cannot find the plugin class."
)
NOT_FOUND = "[TABLE_OR_VIEW_NOT_FOUND] The table or view cannot be found."
SYNTAX = "[PARSE_SYNTAX_ERROR] Syntax error at or near"


@pytest.mark.parametrize(
    ("message", "text", "place", "reason"),
    [
        ("Table `delta` does not support batch scan.", None, None, NO_CATALOG),
        (DIRECT_QUERY, "SELECT 1", "delta.`/x`", NO_CATALOG),
        ("[DATA_SOURCE_NOT_FOUND] Failed to find the data source: delta.", None, None, NO_ADAPTERS),
        (
            CANNOT_LOAD,
            None,
            None,
            NO_ADAPTERS,
        ),
        (NOT_FOUND, "SELECT * FROM delta.`/x`", "delta.`/x`", NO_ADAPTERS),
        (SYNTAX, "OPTIMIZE t", None, NO_EXTENSION),
        (SYNTAX, "VACUUM t RETAIN many HOURS", None, NO_EXTENSION),
        (NOT_FOUND, "DESCRIBE HISTORY t", "HISTORY", NO_EXTENSION),
    ],
)
def test_errors_of_spark_show_what_is_missing(message, text, place, reason):
    assert lacking(message, text, place) == reason


@pytest.mark.parametrize(
    ("message", "text", "place"),
    [
        ("Data source csv does not support streamed reading.", None, None),
        ("query on files: deltas", None, None),
        ("[DATA_SOURCE_NOT_FOUND] Failed to find the data source: deltas.", None, None),
        (DIRECT_QUERY, "SELECT * FROM delta.`x`", "delta.`x`"),
        (NOT_FOUND, "SELECT * FROM HISTORY", "HISTORY"),
        (NOT_FOUND, "SELECT * FROM t", "t"),
        (SYNTAX, "SELEC 1", None),
    ],
)
def test_other_errors_of_spark_stay(message, text, place):
    assert lacking(message, text, place) is None


def test_error_names_the_session_to_use():
    error = session_lacks(NO_CATALOG)

    assert error.condition == "PUREDELTA_SESSION_NOT_ENABLED"
    assert "Rebind: spark = puredelta.enable(spark)" in str(error)
