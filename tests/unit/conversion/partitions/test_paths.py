"""Partition values read off paths: escapes, nulls, types, and what does not fit the columns."""

import pytest

from puredelta.conversion.partitions.clause import partition_columns
from puredelta.conversion.partitions.folders import partition_parts, unescaped
from puredelta.conversion.partitions.paths import PartitionPaths
from puredelta.errors import DeltaAnalysisError, DeltaRuntimeError
from puredelta.schema.datatypes import StructType


def value(text, kind, zone="UTC", **options):
    paths = PartitionPaths(partition_columns(f"p {kind}"), zone=zone, **options)
    return paths.values(f"p={text}/a.parquet")["p"]


# ------------------------------------------------------------------------------------ folders


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("a.parquet", []),
        ("p=1/a.parquet", [("p", "1")]),
        ("p=1/q=x/a.parquet", [("p", "1"), ("q", "x")]),
        ("p=a=b/a.parquet", [("p", "a=b")]),
        ("a%3Db=1/a.parquet", [("a=b", "1")]),
        ("p=__HIVE_DEFAULT_PARTITION__/a", [("p", None)]),
        ("p=/a", [("p", None)]),
        ("=1/a", [("", "1")]),
        # Other folders count at the end only, as Spark reads paths.
        ("p=1/sub/deep/a", [("p", "1")]),
        ("sub/p=1/a", [("p", "1")]),
        ("p=1/sub/q=2/a", [("q", "2")]),
        ("p=1/a=b.parquet", [("p", "1")]),
        ("s3://bucket/x=1/t/p=1/a.parquet", [("p", "1")]),
    ],
)
def test_path_says_its_columns(path, parts):
    assert [(part.column, part.text) for part in partition_parts(path)] == parts


@pytest.mark.parametrize(
    ("escaped", "plain"),
    [
        ("a%2Fb", "a/b"),
        ("a%20b", "a b"),
        ("%25", "%"),
        ("100%", "100%"),
        ("%zz%2", "%zz%2"),
        ("caf%C3%A9", "café"),
        ("caf%c3%a9%F0%9F%98%80", "café😀"),
        ("é😀", "é😀"),
        ("%E9", "é"),
        ("%2541", "%41"),
    ],
)
def test_escapes_of_all_writers_are_undone(escaped, plain):
    assert unescaped(escaped) == plain


# ------------------------------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("text", "kind", "logged"),
    [
        ("007", "int", "7"),
        ("+8", "int", "8"),
        (" 9", "int", "9"),
        ("-0", "int", "0"),
        ("007", "string", "007"),
        (" 9 ", "string", " 9 "),
        ("a%2Fb", "string", "a/b"),
        ("1" + "0" * 27 + "1", "decimal(29,0)", "1" + "0" * 27 + "1"),
        ("abc", "binary", "abc"),
        ("%C3%A9", "binary", "é"),
        ("127", "tinyint", "127"),
        ("-32768", "smallint", "-32768"),
        ("9223372036854775807", "bigint", "9223372036854775807"),
        ("TRUE", "boolean", "true"),
        ("t", "boolean", "true"),
        ("0", "boolean", "false"),
        ("1.5", "decimal(10,2)", "1.50"),
        ("1.500", "decimal(10,2)", "1.50"),
        ("1e2", "decimal(10,2)", "100.00"),
        ("-0.05", "decimal(2,2)", "-0.05"),
        ("1.50", "double", "1.5"),
        ("1e7", "double", "1.0E7"),
        ("NaN", "double", "NaN"),
        ("-Infinity", "float", "-Infinity"),
        ("0.1", "float", "0.1"),
        ("2024-1-2", "date", "2024-01-02"),
        ("2024-01", "date", "2024-01-01"),
        ("2024", "date", "2024-01-01"),
        ("2024-01-02 00%3A00%3A00", "date", "2024-01-02"),
        ("+12024-01-02", "date", "+12024-01-02"),
        ("2024-01-02 03%3A04%3A05.120", "timestamp_ntz", "2024-01-02 03:04:05.12"),
        ("2024-01-02", "timestamp_ntz", "2024-01-02 00:00:00"),
        ("2024-01-02T03%3A04%3A05Z", "timestamp", "2024-01-02T03:04:05.000000Z"),
        ("2024-01-02 03%3A04%3A05.123456+01%3A00", "timestamp", "2024-01-02T02:04:05.123456Z"),
    ],
)
def test_value_is_written_as_the_log_has_it(text, kind, logged):
    assert value(text, kind) == logged


def test_timestamp_without_zone_was_written_in_the_session_s():
    assert value("2024-07-02 03%3A04%3A05", "timestamp", "America/New_York") == (
        "2024-07-02T07:04:05.000000Z"
    )


@pytest.mark.parametrize("kind", ["int", "string", "decimal(5,2)", "timestamp", "boolean"])
def test_null_is_null_in_every_type(kind):
    assert value("__HIVE_DEFAULT_PARTITION__", kind) is None
    assert value("", kind) is None


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("x", "int", "'x' is no int"),
        ("3000000000", "int", "'3000000000' is no int"),
        ("1.5", "int", "'1.5' is no int"),
        ("1_0", "int", "'1_0' is no int"),
        ("128", "tinyint", "'128' is no tinyint"),
        ("1.555", "decimal(10,2)", r"'1.555' is no decimal\(10,2\)"),
        ("12345.5", "decimal(4,2)", "'12345.5' is no decimal"),
        ("maybe", "boolean", "is no boolean"),
        ("2024-02-30", "date", "is no date"),
        ("2024-01-02 25%3A00%3A00", "timestamp", "'2024-01-02 25:00:00' is no timestamp"),
        ("2024-01-02 03%3A04%3A05Z", "timestamp_ntz", "is no timestamp_ntz"),
        ("1e400", "double", "is no double"),
        ("x", "double", "is no double"),
    ],
)
def test_value_of_another_type_names_the_file(text, kind, said):
    with pytest.raises(DeltaRuntimeError, match=said) as raised:
        value(text, kind)

    assert raised.value.condition == "DELTA_FAILED_CAST_PARTITION_VALUE"
    assert raised.value.parameters["path"] == f"p={text}/a.parquet"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("abcdefgh", "VARCHAR(3)"),
        ("abcd", "CHAR(3)"),
        ("a%2Fbc", "VARCHAR(3)"),
        ("ééé😀", "varchar(3)"),
    ],
)
def test_text_that_is_longer_than_declared_names_the_file(text, kind):
    with pytest.raises(DeltaRuntimeError, match=rf"is no {kind.lower()[:-3]}\(3\)") as raised:
        value(text, kind)

    assert raised.value.condition == "DELTA_FAILED_CAST_PARTITION_VALUE"
    assert raised.value.parameters["path"] == f"p={text}/a.parquet"
    assert value(text, kind, ignore_cast_failure=True) is None


@pytest.mark.parametrize("text", ["abc", "ab", "éé😀", "a%2Fb"])
@pytest.mark.parametrize("kind", ["VARCHAR(3)", "CHAR(3)"])
def test_text_of_the_declared_length_is_a_value(text, kind):
    assert value(text, kind) == unescaped(text)


def test_failed_cast_is_null_where_that_is_wanted():
    assert value("x", "int", ignore_cast_failure=True) is None


@pytest.mark.parametrize("text", ["__HIVE_DEFAULT_PARTITION__", "", "x"])
def test_null_is_refused_where_the_column_is_not_null(text):
    paths = PartitionPaths(partition_columns("p INT NOT NULL"), ignore_cast_failure=True)

    with pytest.raises(DeltaRuntimeError, match="`p` is declared NOT NULL") as raised:
        paths.values(f"p={text}/a.parquet")

    assert raised.value.condition == "DELTA_CONVERT_NULL_PARTITION_VALUE"
    assert raised.value.parameters["path"] == f"p={text}/a.parquet"


# -------------------------------------------------------------------------------------- columns


@pytest.mark.parametrize(
    ("path", "found", "clause"),
    [
        ("a.parquet", "0 partition column(s): []", "no PARTITIONED BY"),
        ("p=1/a", "1 partition column(s): [`p`]", "PARTITIONED BY (`p` INT)"),
        (
            "p=1/q=__HIVE_DEFAULT_PARTITION__/r s=2024-01-02/a",
            "3 partition column(s): [`p`, `q`, `r s`]",
            "PARTITIONED BY (`p` INT, `q` STRING, `r s` DATE)",
        ),
    ],
)
def test_wrong_count_names_both_and_the_file_and_what_it_asks_for(path, found, clause):
    with pytest.raises(DeltaAnalysisError) as raised:
        PartitionPaths(partition_columns("p INT, q STRING")).values(path)

    assert raised.value.message == (
        "Expecting 2 partition column(s): [`p`, `q`], but found "
        f"{found} from parsing the file name: {path}. The folders of this file ask for {clause}."
    )


def test_wrong_name_is_told_before_a_wrong_value():
    with pytest.raises(DeltaAnalysisError, match=r"`q` was expected.*`p`: p=1/q=x/a") as raised:
        PartitionPaths(partition_columns("q INT, p INT")).values("p=1/q=x/a")

    assert raised.value.condition == "DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME"


def test_names_differ_in_case_only_where_case_counts():
    columns = partition_columns("p INT")

    assert PartitionPaths(columns).values("P=1/a") == {"p": "1"}
    with pytest.raises(DeltaAnalysisError, match="`P`"):
        PartitionPaths(columns, case_sensitive=True).values("P=1/a")


def test_table_without_partitions_takes_files_in_any_folder_without_columns():
    assert PartitionPaths(StructType()).values("sub/a.parquet") == {}


def test_bad_file_leaves_the_next_one_alone():
    paths = PartitionPaths(partition_columns("p INT"))
    assert paths.values("p=1/a") == {"p": "1"}
    for _ in range(2):
        with pytest.raises(DeltaRuntimeError):
            paths.values("p=x/a")
    with pytest.raises(DeltaAnalysisError):
        paths.values("q=1/a")

    assert paths.values("p=1/b") == {"p": "1"}


def test_values_are_the_caller_s_own():
    paths = PartitionPaths(partition_columns("p INT"))
    paths.values("p=1/a")["p"] = "changed"

    assert paths.values("p=1/b") == {"p": "1"}
