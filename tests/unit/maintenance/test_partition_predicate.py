"""Predicates over partition columns that the command line reads without Spark."""

import msgspec
import pytest

from puredelta.errors import DeltaAnalysisError, DeltaRuntimeError
from puredelta.maintenance.partition_predicate import parse_predicate, typed
from puredelta.maintenance.partitions_asked_for import files_of_partitions
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIMESTAMP,
    DecimalType,
    StructField,
    StructType,
)
from puredelta.table.skipping.predicate import Column, Comparison, Literal
from puredelta.txn.commit_info import Operation
from tests.unit.txn.tables import add, commit, table

SPOKEN = ("n", "s", "d", "t", "f", "c", "b", "odd name")
TYPES = (INTEGER, STRING, DATE, TIMESTAMP, DOUBLE, DecimalType(5, 2), BOOLEAN, STRING)
FILES = {
    "one": ("1", "a", "2024-05-01", "2024-05-01T10:00:00.000000Z", "-0.0", "1.50", "true", "x"),
    "two": ("2", "it's", "2024-05-02", "2024-05-02T10:00:00.000000Z", "2.5", "2.00", "false", "y"),
    "ten": ("10", "b c", "2023-12-31", "2023-12-31T10:00:00.000000Z", "NaN", "10.00", None, "z"),
    "nil": (None,) * 8,
}


@pytest.fixture(scope="module")
def snapshot():
    log = table(SPOKEN)
    fields = (StructField(name, kind) for name, kind in zip(SPOKEN, TYPES, strict=True))
    schema = StructType((*fields, StructField("id", INTEGER)))
    metadata = msgspec.structs.replace(log.latest().metadata, schema_string=schema_to_json(schema))
    commit(log, operation=Operation("WRITE"), metadata=metadata)
    for name, values in FILES.items():
        parts = dict(zip(SPOKEN, values, strict=True))
        commit(log, msgspec.structs.replace(add(name), partition_values=parts))
    return log.latest()


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("n = 1", "one"),
        ("N=01", "one"),
        ("n == '2'", "two"),
        ("n <> 1", "two ten"),
        ("n != 1", "two ten"),
        ("n < 10", "one two"),
        ("n >= 2", "two ten"),
        ("n > -5", "one two ten"),
        ("n in (1, 10, 77)", "one ten"),
        ("n NOT IN (1, 10)", "two"),
        ("n NOT IN (1, NULL)", ""),
        ("n IN (1, NULL)", "one"),
        ("n BETWEEN 2 AND 10", "two ten"),
        ("n NOT BETWEEN 2 AND 9", "one ten"),
        ("n between 2 and 9 or n = 1", "one two"),
        ("n IS NULL", "nil"),
        ("n is not null", "one two ten"),
        ("n = NULL", ""),
        ("NOT n = NULL", ""),
        ("n <=> NULL", "nil"),
        ("n <=> 2", "two"),
        ("NOT (n <=> 2)", "one ten nil"),
        ("n=", "nil"),
        (" `odd name` = ", "nil"),
        ("NOT n = 1", "two ten"),
        ("NOT NOT n = 1", "one"),
        ("n = 1 OR n = 2 AND s = 'b c'", "one"),
        ("(n = 1 OR n = 10) AND s = 'b c'", "ten"),
        ("s = a OR s = 'it''s'", "one two"),
        (r"s = 'it\'s'", "two"),
        ('s = "it\'s"', "two"),
        ("s >= b", "two ten"),
        ("s = 'NULL'", ""),
        ("s IN ('b c')", "ten"),
        ("d >= 2024-05-01", "one two"),
        ("d = DATE '2024-05-02'", "two"),
        ("d BETWEEN 2024-01-01 AND '2024-05-01'", "one"),
        ("t < TIMESTAMP '2024-05-01 10:00:01'", "one ten"),
        ("f = 0", "one"),
        ("f > 1e300", "ten"),
        ("c = 1.5", "one"),
        ("c >= 2", "two ten"),
        ("b = true", "one"),
        ("b = FALSE OR b IS NULL", "two ten nil"),
        ("`odd name` = y", "two"),
    ],
)
def test_files_of_partitions_for_which_it_is_true(snapshot, text, files):
    found = files_of_partitions(snapshot, parse_predicate(text))

    paths = {path.removesuffix(".parquet") for path in found["path"].to_pylist()}
    assert paths == set(files.split())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a column is missing"),
        ("n", "a comparison of n is missing"),
        ("n 1", "a comparison of n is expected in place of '1'"),
        ("n = 1 2", "'2' is one word too many"),
        ("n = 1 AND", "a column is missing"),
        ("n > ", "a value is missing"),
        ("n > (", "a value is expected in place of '[(]'"),
        ("(n = 1", "[)] is expected before the end"),
        ("n IN 1", "[(] is expected before '1'"),
        ("n IN (1 2)", "[)] is expected before '2'"),
        ("n BETWEEN 1 OR 2", "AND is expected before 'OR'"),
        ("n NOT 1", "IN, BETWEEN or LIKE is expected"),
        ("n = 'a", "is no part of one"),
        ("'n' = 1", "a column is expected in place of"),
        ("n = `m`", "a value is expected in place of '`m`'"),
        ("`n`.a = 1", "inside of a column"),
        ("n LIKE 'a%'", "LIKE is not known"),
        ("(n = 1) IS TRUE", "IS is followed by NULL"),
        ("year(d) = 2024", r"year\(...\) is a function"),
        ("(" * 5000 + "n = 1" + ")" * 5000, "nested too deeply"),
    ],
)
def test_what_is_no_predicate_is_told_with_its_place(text, said):
    with pytest.raises(DeltaAnalysisError, match=said) as refused:
        parse_predicate(text)

    assert refused.value.condition == "PUREDELTA_PREDICATE_UNREADABLE"
    assert refused.value.parameters["predicate"] == text


def test_columns_of_rows_are_refused(snapshot):
    with pytest.raises(DeltaAnalysisError) as refused:
        files_of_partitions(snapshot, parse_predicate("n = 1 AND id IN (1)"))

    assert refused.value.condition == "DELTA_NON_PARTITION_COLUMN_REFERENCE"


def test_constants_have_to_be_values_of_their_columns(snapshot):
    with pytest.raises(DeltaRuntimeError):
        typed(parse_predicate("n = many"), snapshot)

    found = typed(parse_predicate("D = 1970-01-02"), snapshot)
    assert found == Comparison("=", Column(("d",)), Literal(1, DATE))
