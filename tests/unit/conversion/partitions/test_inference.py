"""Partition columns out of folders' names: which, of what types, and folders that disagree."""

import itertools

import pytest

from puredelta.conversion.partitions.inference import InferredPartitions
from puredelta.errors import DeltaAnalysisError
from puredelta.schema.datatypes import TIMESTAMP_NTZ, simple_string


def kind(*texts, **options):
    inferred = InferredPartitions(**options)
    for text in texts:
        inferred.add(f"p={text}/a.parquet")
    return simple_string(inferred.schema.fields[0].data_type)


# What Spark 4.3 infers; tests/spark/test_partition_inference.py asks it again.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", "int"),
        ("007", "int"),
        ("+1", "int"),
        ("٣", "int"),
        ("-2147483648", "int"),
        ("2147483648", "bigint"),
        ("9223372036854775808", "decimal(19,0)"),
        ("9" * 38, "decimal(38,0)"),
        ("9" * 39, "double"),
        ("1e5", "decimal(6,0)"),
        ("1.5e1", "decimal(2,0)"),
        ("1.", "decimal(1,0)"),
        ("0e5", "decimal(6,0)"),
        ("1e37", "decimal(38,0)"),
        ("1e38", "double"),
        ("1.0", "double"),
        (".5", "double"),
        ("1d", "double"),
        (" 1", "double"),
        ("NaN", "double"),
        ("-Infinity", "double"),
        ("nan", "string"),
        ("1L", "string"),
        ("0x10", "string"),
        ("1_000", "string"),
        ("1e", "string"),
        ("2024-01-02", "date"),
        ("+12024-01-02", "date"),
        ("2024-1-2", "string"),
        ("2024-01", "string"),
        ("12024-01-02", "string"),
        ("2024-02-30", "string"),
        ("2024-01-02 03%3A04%3A05", "timestamp"),
        ("2024-01-02 03%3A04%3A05.1", "timestamp"),
        ("2024-01-02 03%3A04%3A05.12", "string"),
        ("2024-01-02T03%3A04%3A05", "string"),
        ("2024-01-02 03%3A04%3A60", "string"),
        ("true", "string"),
        ("__HIVE_DEFAULT_PARTITION__", "string"),
        # Numbers and dates are looked for in the name of the folder as it is.
        ("1%2E5", "string"),
        ("2024%2D01%2D02", "string"),
    ],
)
def test_type_is_the_one_that_spark_infers(text, expected):
    assert kind(text) == expected


@pytest.mark.parametrize("text", ["0x1p3", "1e400", "-12e4711"])
def test_text_that_no_finite_number_stands_for_stays_one(text):
    # Spark infers double, and reads infinite.
    assert kind(text) == "string"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("1", "3000000000", "bigint"),
        ("1", "9223372036854775808", "decimal(19,0)"),
        ("3000000000", "9223372036854775808", "decimal(20,0)"),
        ("9223372036854775808", "9" * 38, "decimal(38,0)"),
        ("1", "1.5", "double"),
        ("3000000000", "1.5", "string"),
        ("9223372036854775808", "1.5", "string"),
        ("1", "2024-01-02", "string"),
        ("2024-01-02", "2024-01-02 03%3A04%3A05", "timestamp"),
        ("1.5", "2024-01-02", "string"),
        ("abc", "1", "string"),
        ("__HIVE_DEFAULT_PARTITION__", "1", "int"),
        ("", "2024-01-02", "date"),
    ],
)
def test_two_types_become_the_one_that_spark_widens_them_to(one, other, expected):
    assert kind(one, other) == kind(other, one) == expected


def test_type_does_not_hang_on_the_order_of_the_folders():
    texts = ["1", "3000000000", "9223372036854775808", "1.5", "2024-01-02", "abc", ""]

    for some in itertools.combinations(texts, 3):
        assert len({kind(*order) for order in itertools.permutations(some)}) == 1


def test_without_types_all_columns_are_texts():
    assert kind("1", "2024-01-02", typed=False) == "string"


def test_points_in_time_are_what_the_session_says():
    found = kind("2024-01-02 03%3A04%3A05", "2024-01-02", timestamp_type=TIMESTAMP_NTZ)

    assert found == "timestamp_ntz"


def test_names_come_in_the_order_of_the_folders_and_as_the_first_has_them():
    inferred = InferredPartitions()
    assert inferred.names == ()
    assert inferred.schema.fields == ()

    inferred.add("Year=2024/a%20b=x/1.parquet")
    inferred.add("year=2024/A b=y/2.parquet")

    assert inferred.names == ("Year", "a b")
    assert all(field.nullable for field in inferred.schema)


@pytest.mark.parametrize(
    ("first", "path", "said"),
    [
        ("p=1/a", "b", "b lies in folders of [], p=1/a in folders of [`p`]"),
        ("p=1/a", "p=1/q=2/b", "p=1/q=2/b lies in folders of [`p`, `q`], p=1/a in"),
        ("p=1/q=2/a", "q=2/p=1/b", "[`q`, `p`], p=1/q=2/a in folders of [`p`, `q`]"),
        ("a", "p=1/b", "p=1/b lies in folders of [`p`], a in folders of []"),
    ],
)
def test_folders_that_disagree_name_a_file_of_each(first, path, said):
    inferred = InferredPartitions()
    inferred.add(first)
    before = inferred.schema

    for _ in range(2):
        with pytest.raises(DeltaAnalysisError) as raised:
            inferred.add(path)
        assert said in raised.value.message

    assert raised.value.condition == "DELTA_CONVERT_CONFLICTING_PARTITION_FOLDERS"
    assert inferred.schema == before
    inferred.add(first)


@pytest.mark.parametrize("path", ["=1/a", "p=1/=2/a", "=/a"])
def test_folder_without_a_name_before_the_sign_makes_no_column(path):
    inferred = InferredPartitions()

    with pytest.raises(DeltaAnalysisError, match=f"in {path} a folder names no column") as raised:
        inferred.add(path)

    assert raised.value.condition == "PUREDELTA_CONVERT_PARTITION_FOLDER_UNNAMED"
    inferred.add("p=1/a")
    assert inferred.names == ("p",)


def test_names_that_differ_in_case_disagree_where_case_counts():
    inferred = InferredPartitions(case_sensitive=True)
    inferred.add("p=1/a")

    with pytest.raises(DeltaAnalysisError):
        inferred.add("P=1/a")
