"""What is not offered is refused by name."""

import pytest

from puredelta.errors import DeltaAnalysisError
from puredelta.frontend.sql.not_offered import refuse_statement


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
