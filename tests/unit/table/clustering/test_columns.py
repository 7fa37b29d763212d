"""Clustering columns: which they are, and that they get statistics."""

import pytest

from puredelta.errors import DeltaAnalysisError, DeltaIllegalStateError
from puredelta.log.actions import DomainMetadata
from puredelta.schema.datatypes import LONG, STRING, ArrayType, StructField, StructType
from puredelta.schema.physical import logical_path
from puredelta.table.clustering import (
    NOT_CLUSTERED,
    check_statistics,
    chosen_columns,
    clustering_columns,
    clustering_domain,
    logical_columns,
)
from puredelta.table.statistics.indexed_columns import Indexing

SCHEMA = StructType(
    (
        StructField("a", LONG),
        StructField("s", StructType((StructField("f", STRING),))),
        StructField("l", ArrayType(LONG, contains_null=True)),
        StructField("renamed", LONG, metadata={"delta.columnMapping.physicalName": "col-1"}),
    )
)


def domain(text, *, removed=False):
    return DomainMetadata(domain="delta.clustering", configuration=text, removed=removed)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"clusteringColumns":[["a"],["s","f"]]}', [("a",), ("s", "f")]),
        ('{"clusteringColumns":["a"],"domainName":"delta.clustering"}', [("a",)]),
        ('{"clusteringColumns":[]}', []),
    ],
)
def test_columns_are_read_in_both_forms(text, expected):
    assert clustering_columns([domain(text)]) == expected


def test_table_without_the_domain_is_not_clustered():
    gone = domain('{"clusteringColumns":[["a"]]}', removed=True)

    assert clustering_columns([]) == []
    assert clustering_columns([gone]) == []
    assert clustering_columns([NOT_CLUSTERED]) == []


def test_domain_that_cannot_be_read_is_refused():
    with pytest.raises(DeltaIllegalStateError) as raised:
        clustering_columns([domain("[]")])

    assert raised.value.condition == "DELTA_CLUSTERING_MALFORMED"


@pytest.mark.parametrize(
    ("physical", "logical"),
    [
        (("a",), ("a",)),
        (("s", "f"), ("s", "f")),
        (("col-1",), ("renamed",)),
        (("renamed",), None),
        (("a", "f"), None),
        (("nope",), None),
    ],
)
def test_columns_are_found_by_physical_name(physical, logical):
    assert logical_path(physical, SCHEMA) == logical


def test_columns_with_statistics_pass():
    check_statistics([("a",), ("s", "f"), ("col-1",)], SCHEMA, Indexing())


@pytest.mark.parametrize("indexing", [Indexing(count=1), Indexing(columns=(("a",),))])
def test_columns_without_statistics_are_named(indexing):
    with pytest.raises(DeltaAnalysisError) as raised:
        check_statistics([("a",), ("s", "f")], SCHEMA, indexing)

    assert raised.value.condition == "DELTA_CLUSTERING_COLUMN_MISSING_STATS"
    assert raised.value.parameters["columns"] == "s.f"


def test_chosen_columns_have_the_names_of_schema_and_files():
    chosen = chosen_columns([("A",), ("S", "F"), ("RENAMED",)], SCHEMA)

    assert [column.name for column in chosen] == ["a", "s.f", "renamed"]
    domain_text = clustering_domain(chosen).configuration
    assert '"clusteringColumns":[["a"],["s","f"],["col-1"]]' in domain_text
    assert logical_columns([clustering_domain(chosen)], SCHEMA) == [
        ("a",),
        ("s", "f"),
        ("renamed",),
    ]


@pytest.mark.parametrize(
    ("paths", "condition"),
    [
        ([("a",), ("A",)], "DELTA_DUPLICATE_COLUMNS_FOUND.CLUSTER_BY"),
        ([(name,) for name in "abcde"], "DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS"),
        ([("nope",)], "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
        ([("a", "b")], "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
        ([("s",)], "DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED"),
        ([("l",)], "DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED"),
    ],
)
def test_columns_that_cannot_be_clustered_by_are_refused(paths, condition):
    with pytest.raises(DeltaAnalysisError) as raised:
        chosen_columns(paths, SCHEMA)

    assert raised.value.condition == condition
