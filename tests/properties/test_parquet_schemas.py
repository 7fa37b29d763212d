"""Footers and merged schemas: round trips and laws."""

import io
from itertools import permutations

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puredelta.conversion.parquet.footer_schema import schema_of_footer
from puredelta.conversion.parquet.schema_merging import MergedSchema, merge_schemas
from puredelta.errors import DeltaError
from puredelta.schema.datatypes import (
    BYTE,
    DOUBLE,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    VOID,
    ArrayType,
    DataType,
    StructField,
    StructType,
)
from puredelta.table.statistics.parquet_schema import (
    OPTIONAL,
    REPEATED,
    REQUIRED,
    Annotation,
    SchemaNode,
    root_of,
)
from tests.hand_made_parquet import parquet_file

# A name that a C string can hold.
names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
repetitions = st.sampled_from([REQUIRED, OPTIONAL, REPEATED])
ids = st.none() | st.integers(0, 2**31 - 1)
columns = st.sampled_from(
    [
        ("BOOLEAN", None, 0),
        ("INT32", None, 0),
        ("INT96", None, 0),
        ("FIXED", None, 300),
        ("BINARY", Annotation("STRING"), 0),
        ("BINARY", Annotation("DECIMAL", precision=38, scale=10), 0),
        ("INT32", Annotation("INTEGER", bits=16, is_signed=False), 0),
        ("INT64", Annotation("INTEGER", bits=64), 0),
        ("INT64", Annotation("TIMESTAMP", unit="MILLIS", is_utc=True), 0),
        ("INT64", Annotation("TIMESTAMP", unit="NANOS"), 0),
    ]
)


@st.composite
def leaves(draw: st.DrawFn) -> SchemaNode:
    physical, annotation, length = draw(columns)
    return SchemaNode(draw(names), draw(repetitions), physical, annotation, length, (), draw(ids))


def groups(inner: st.SearchStrategy[SchemaNode]) -> st.SearchStrategy[SchemaNode]:
    return st.builds(
        SchemaNode,
        name=names,
        repetition=repetitions,
        physical=st.none(),
        children=st.lists(inner, min_size=1, max_size=18).map(tuple),
        field_id=ids,
    )


nodes = st.recursive(leaves(), groups, max_leaves=12)


@given(st.lists(nodes, max_size=20), st.booleans())
@settings(deadline=None)
def test_tree_of_a_file_is_read_as_it_was_written(children: list[SchemaNode], old: bool):
    footer = pq.read_metadata(io.BytesIO(parquet_file(*children, old=old)))

    assert root_of(footer).children == tuple(children)
    assert schema_of_footer_or_none(footer) is None or len(schema_of_footer(footer)) == len(
        children
    )


def schema_of_footer_or_none(footer: pq.FileMetaData) -> StructType | None:
    try:
        return schema_of_footer(footer)
    except DeltaError:
        return None


def struct(found: dict[str, DataType]) -> StructType:
    return StructType(tuple(StructField(name, one) for name, one in found.items()))


types = st.recursive(
    st.sampled_from([BYTE, SHORT, INTEGER, LONG, DOUBLE, STRING, VOID]),
    lambda inner: (
        st.builds(ArrayType, inner)
        | st.dictionaries(st.sampled_from("xyz"), inner, min_size=1).map(struct)
    ),
    max_leaves=4,
)


schemas = st.dictionaries(st.sampled_from("abcd"), types, min_size=1).map(struct)


def without_order(data_type: DataType) -> object:
    if isinstance(data_type, StructType):
        return {field.name.lower(): without_order(field.data_type) for field in data_type}
    if isinstance(data_type, ArrayType):
        return [without_order(data_type.element_type)]
    return data_type


def merged(some: list[StructType]) -> object:
    files = MergedSchema()
    try:
        for number, one in enumerate(some):
            files.add(f"f{number}", one)
    except DeltaError:
        return None
    return without_order(files.schema)


@given(schemas)
def test_schema_merged_with_itself_is_itself(schema: StructType):
    assert merge_schemas(schema, schema) == schema


@given(st.lists(schemas, min_size=2, max_size=3))
def test_order_of_files_changes_neither_columns_nor_types_nor_refusals(some: list[StructType]):
    first = merged(some)

    assert all(merged(list(order)) == first for order in permutations(some))


@given(schemas, schemas)
def test_refused_file_leaves_the_schema_as_it_was(one: StructType, other: StructType):
    files = MergedSchema()
    files.add("one", one)
    before = files.schema
    if merged([one, other]) is None:
        with pytest.raises(DeltaError) as refused:
            files.add("other", other)
        assert refused.value.parameters["otherFile"] == "one"
        assert files.schema is before
    files.add("again", one)
