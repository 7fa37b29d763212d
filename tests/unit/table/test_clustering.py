"""Clustering columns: which they are, and that they get statistics."""

import pytest

from puredelta.errors import DeltaAnalysisError, DeltaIllegalStateError
from puredelta.log.actions import DomainMetadata
from puredelta.schema.datatypes import LONG, STRING, ArrayType, StructField, StructType
from puredelta.schema.physical import logical_path
from puredelta.table.clustering import (
    NOT_CLUSTERED,
    check_statistics,
    clustering_columns,
)
from puredelta.table.indexing import Indexing

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


def test_domain_that_cannot_be_read_is_told():
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
