"""Ids and physical names under random changes of a schema: none is ever given twice."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from puredelta.schema.datatypes import LONG, StructField, StructType
from puredelta.table.columns.mapping_ids import keep_ids_of, with_mapping, without_ids
from puredelta.table.protocol.feature_activation import all_fields
from tests.properties.strategies import fields, schemas

ID = "delta.columnMapping.id"
PHYSICAL = "delta.columnMapping.physicalName"
NAME = {"delta.columnMapping.mode": "name"}
MAX = "delta.columnMapping.maxColumnId"

steps = st.lists(
    st.tuples(st.sampled_from(["add", "drop", "rename", "replace"]), fields, st.integers(0, 9)),
    max_size=12,
)


def changed(schema, configuration, step):
    kind, field, place = step
    present = list(schema.fields)
    if kind == "replace":
        return keep_ids_of((schema, configuration), StructType((field,)), NAME)
    if kind == "add":
        present.append(field)
    elif present and kind == "drop":
        del present[place % len(present)]
    elif present:
        at = place % len(present)
        present[at] = replace(present[at], name=field.name)
    return StructType(tuple(present)), configuration


def keys(schema):
    return {(one.metadata[ID], one.metadata[PHYSICAL]) for one in all_fields(schema)}


@given(schemas, steps)
def test_no_id_and_no_name_ever_means_two_columns(schema, changes):
    now = with_mapping(schema, NAME)
    ever = set(keys(now[0]))
    for step in changes:
        known = {one for one in keys_or_none(changed(*now, step)[0]) if one is not None}
        now = with_mapping(*changed(*now, step))
        present = keys(now[0])
        assert len(present) == sum(1 for _ in all_fields(now[0]))
        assert not {number for number, _ in present - known} & {number for number, _ in ever}
        ever |= present
        assert len({number for number, _ in ever}) == len({name for _, name in ever}) == len(ever)
        assert int(now[1][MAX]) >= max((number for number, _ in ever), default=0)


def keys_or_none(schema):
    for one in all_fields(schema):
        yield (one.metadata[ID], one.metadata[PHYSICAL]) if ID in one.metadata else None


@given(schemas)
def test_taking_the_mapping_away_gives_the_schema_that_was(schema):
    plain = without_ids(schema, {})[0]

    assert without_ids(*with_mapping(plain, NAME)) == (plain, {})


@given(schemas)
def test_giving_again_changes_nothing(schema):
    once = with_mapping(StructType((*schema.fields, StructField("more", LONG))), NAME)

    assert with_mapping(*once) == once
