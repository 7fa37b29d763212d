"""What is not offered, or not in this session, is refused by name."""

import pytest

from puredelta.errors import DeltaAnalysisError
from puredelta.frontend.sql.not_offered import refuse_statement, unsupported_error


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "OPTIMIZED",
        "SELECT optimize, vacuum FROM t",
        "CREATE TABLE clone (a INT) USING delta",
        "CREATE TABLE shallow USING delta AS SELECT * FROM clone",
        "CREATE TABLE c LIKE clone",
        "SELECT 'VACUUM t'",
        "DROP TABLE vacuum",
        "restored",
        "",
    ],
)
def test_other_statements_are_not(text):
    refuse_statement(text)


@pytest.mark.parametrize(
    ("message", "condition", "advice"),
    [
        (
            "The feature is not supported: Table `delta` does not support batch scan.",
            "OTHER_SESSION",
            "Rebind: spark = puredelta.enable",
        ),
        (
            (
                "[UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY] Unsupported data source type for direct "
                "query on files: delta SQLSTATE: 0A000"
            ),
            "OTHER_SESSION",
            "Rebind: spark = puredelta.enable",
        ),
        (
            (
                "Failed to create data source table `t`: provider 'delta' does not support "
                "external metadata but a schema is provided."
            ),
            "OTHER_SESSION",
            "Rebind: spark = puredelta.enable",
        ),
    ],
)
def test_what_spark_says_of_it_becomes_advice(message, condition, advice):
    refusal = unsupported_error(message)

    assert refusal.condition == f"PUREDELTA_{condition}"
    assert advice in str(refusal)


def test_other_messages_of_spark_stay():
    assert unsupported_error("Data source csv does not support streamed reading.") is None
    assert unsupported_error("query on files: deltas") is None


@pytest.mark.parametrize(
    "text",
    [
        "INSERT OVERWRITE DIRECTORY '/x' USING delta SELECT 1",
        'insert overwrite local directory "/x" using `delta` SELECT 1',
        "INSERT OVERWRITE DIRECTORY USING delta OPTIONS ('path' '/x') SELECT 1",
    ],
)
def test_directory_of_delta_is_refused(text):
    with pytest.raises(DeltaAnalysisError, match="INSERT OVERWRITE DIRECTORY"):
        refuse_statement(text)


@pytest.mark.parametrize(
    "text",
    [
        "INSERT OVERWRITE DIRECTORY '/x' USING parquet SELECT 'USING delta'",
        "INSERT OVERWRITE directory SELECT 1",
    ],
)
def test_other_overwrites_are_left_to_spark(text):
    refuse_statement(text)
