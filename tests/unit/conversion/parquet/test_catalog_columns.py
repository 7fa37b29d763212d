"""The columns of files, held against those that a catalog tells."""

import pytest

from puredelta.conversion.parquet.catalog_columns import CatalogColumns
from puredelta.errors import DeltaRuntimeError
from puredelta.schema.datatypes import (
    INTEGER,
    LONG,
    STRING,
    VOID,
    ArrayType,
    StructField,
    StructType,
)


def columns(**types):
    return StructType(tuple(StructField(name, kind, True) for name, kind in types.items()))


def catalog(*fields, partitions=("p",), case_sensitive=False):
    schema = StructType((*fields, StructField("p", INTEGER, True)))
    return CatalogColumns(schema, frozenset(partitions), case_sensitive=case_sensitive)


@pytest.mark.parametrize(
    "found",
    [
        columns(a=LONG),
        columns(A=LONG, more=STRING),
        columns(other=STRING),
        columns(a=VOID),
        columns(a=LONG, p=STRING),
    ],
)
def test_file_that_can_be_read_passes(found):
    catalog(StructField("a", LONG, True)).check("f", found)


@pytest.mark.parametrize(
    ("known", "found"),
    [
        (INTEGER, LONG),
        (STRING, LONG),
        (LONG, STRING),
        (ArrayType(LONG, True), LONG),
        (ArrayType(INTEGER, True), ArrayType(LONG, True)),
    ],
)
def test_other_type_is_told_with_both(known, found):
    with pytest.raises(DeltaRuntimeError) as caught:
        catalog(StructField("a", known, True)).check("p=1/f", columns(a=found))

    assert caught.value.condition == "DELTA_FAILED_MERGE_SCHEMA_FILE"
    told = caught.value.parameters
    assert (told["file"], told["column"], told["otherFile"]) == ("p=1/f", "`a`", "the catalog")


def test_nullability_inside_is_no_other_type():
    catalog(StructField("a", ArrayType(LONG, False), True)).check(
        "f", columns(a=ArrayType(LONG, True))
    )


def test_absent_column_whose_rows_have_a_default_is_refused():
    known = catalog(StructField("a", LONG, True, {"EXISTS_DEFAULT": "5"}))

    assert known.need_files
    with pytest.raises(DeltaRuntimeError, match=r"`a`.* have 5 there"):
        known.check("f", columns(b=LONG))


def test_absent_column_without_a_default_is_null():
    known = catalog(StructField("a", LONG, True, {"EXISTS_DEFAULT": "NULL"}))

    known.check("f", columns(b=LONG))

    assert not known.need_files


def test_names_differ_in_case_where_the_session_says_so():
    known = catalog(StructField("a", LONG, True), case_sensitive=True)

    known.check("f", columns(A=STRING))
