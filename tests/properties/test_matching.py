"""Laws of matching data to a table: nothing of either is lost, and growing once is enough."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.datatypes import (
    INTEGER,
    LONG,
    SHORT,
    STRING,
    VOID,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
)
from puredelta.table.evolution.column_matching import match_columns
from puredelta.table.evolution.matching_rules import MatchingRules
from puredelta.table.evolution.new_columns import make_nullable

_LEAVES = st.sampled_from([SHORT, INTEGER, LONG, STRING, VOID])


def _structs(inner: st.SearchStrategy[DataType]) -> st.SearchStrategy[StructType]:
    # Few names, so that schemas meet; one spelling of each, so that they are names of columns.
    names = st.sampled_from([("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")])
    spelled = st.tuples(names, st.integers(0, 1)).map(lambda name: name[0][name[1]])
    fields = st.lists(
        st.builds(StructField, spelled, inner), min_size=1, max_size=4,
        unique_by=lambda field: field.name.lower(),
    )  # fmt: skip
    return fields.map(lambda fields: StructType(tuple(fields)))


_types = st.recursive(
    _LEAVES,
    lambda inner: (
        _structs(inner)
        | inner.map(ArrayType)
        | st.tuples(inner, inner).map(lambda pair: MapType(*pair))
    ),
    max_leaves=6,
)
schemas = _structs(_types)


def _rules(**given: bool) -> MatchingRules:
    return MatchingRules(
        **{"table": "t", "by_name": True, "evolve": True, "same_types": False, **given}
    )


def _paths(data_type: DataType, above: str = "") -> Iterator[str]:
    if isinstance(data_type, StructType):
        for field in data_type:
            path = f"{above}.{field.name.lower()}"
            yield path
            yield from _paths(field.data_type, path)
    elif isinstance(data_type, ArrayType):
        yield from _paths(data_type.element_type, f"{above}.element")
    elif isinstance(data_type, MapType):
        yield from _paths(data_type.key_type, f"{above}.key")
        yield from _paths(data_type.value_type, f"{above}.value")


@given(schemas, st.booleans(), st.booleans())
def test_same_schema_fits_by_name_and_by_position(schema, evolve, by_name):
    found = match_columns(schema, schema, _rules(evolve=evolve, by_name=by_name, same_types=True))

    assert found.schema == schema
    assert found.sources == tuple(range(len(schema)))


@given(schemas, schemas)
def test_grown_table_has_every_column_of_both(data, table):
    found = match_columns(data, table, _rules())

    assert [field.name for field in found.schema][: len(table)] == table.names
    assert sorted(p for p in found.sources if p is not None) == list(range(len(data)))
    assert set(_paths(table)) <= set(_paths(found.schema))


@given(schemas, schemas)
def test_write_to_a_path_loses_no_field_at_any_depth(data, table):
    try:
        found = match_columns(data, table, _rules(same_types=True))
    except DeltaAnalysisError as error:
        assert error.condition == "DELTA_FAILED_TO_MERGE_FIELDS"  # noqa: PT017
        return

    assert set(_paths(table)) | set(_paths(data)) == set(_paths(found.schema))


@given(schemas, schemas, st.booleans())
def test_data_that_a_table_grew_for_fits_it_then(data, table, same_types):
    try:
        grown = match_columns(data, table, _rules(same_types=same_types)).schema
    except DeltaAnalysisError:
        return

    assert match_columns(data, grown, _rules(same_types=same_types, evolve=False)).schema == grown
    assert match_columns(make_nullable(data), grown, _rules(same_types=same_types)).schema == grown


@given(schemas, schemas)
def test_table_that_may_not_grow_keeps_its_schema_or_refuses(data, table):
    try:
        found = match_columns(data, table, _rules(evolve=False))
    except DeltaAnalysisError as error:
        assert error.condition == "DELTA_METADATA_MISMATCH"  # noqa: PT017
        return

    assert found.schema == table
