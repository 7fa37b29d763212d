"""Random changes of columns: who stays is the same column in files, who comes was never there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from puredelta.schema.changes import (
    FIRST,
    Position,
    added,
    dropped,
    find_column_position,
    moved,
    with_column,
)
from puredelta.schema.datatypes import (
    INTEGER,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
)
from puredelta.schema.physical import PHYSICAL_NAME_KEY
from puredelta.schema.walk import types_in
from puredelta.table.columns.column_mapping import ID_KEY
from puredelta.table.columns.mapping_ids import MAX_ID_KEY, with_mapping

MAPPED = {"delta.columnMapping.mode": "name"}
NAMES = ("a", "b", "C", "d e", "x.y")
Path = tuple[str, ...]


def types() -> st.SearchStrategy[DataType]:
    """Types with structs in each place where there can be one."""
    return st.recursive(
        st.just(INTEGER),
        lambda inner: st.one_of(
            structs(inner),
            inner.map(ArrayType),
            st.tuples(inner, inner).map(lambda pair: MapType(*pair)),
        ),
        max_leaves=8,
    )


def structs(inner: st.SearchStrategy[DataType]) -> st.SearchStrategy[StructType]:
    """Structs of one to four fields."""
    names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True)
    return names.flatmap(
        lambda given: st.tuples(*(inner for _ in given)).map(
            lambda kinds: StructType(
                tuple(StructField(name, kind) for name, kind in zip(given, kinds, strict=True))
            )
        )
    )


def columns(data_type: DataType, above: Path = ()) -> list[Path]:
    """All columns that are fields of structs, by their paths."""
    match data_type:
        case StructType(fields):
            parts = [(field.name, field.data_type) for field in fields]
        case ArrayType(element):
            parts = [("element", element)]
        case MapType(key, value):
            parts = [("key", key), ("value", value)]
        case _:
            parts = []
    own = [(*above, name) for name, _ in parts] if isinstance(data_type, StructType) else []
    return own + [path for name, kind in parts for path in columns(kind, (*above, name))]


def siblings(schema: StructType, path: Path) -> list[str]:
    holder = find_column_position(schema, path[:-1]).field.data_type if path[1:] else schema
    assert isinstance(holder, StructType)
    return holder.names


def changed(draw: st.DrawFn, schema: StructType) -> StructType:
    path = draw(st.sampled_from(columns(schema)))
    others = siblings(schema, path)
    free = [name for name in NAMES if name not in others]
    match draw(st.sampled_from(("add", "drop", "rename", "move"))):
        case "add" if free:
            place = draw(st.sampled_from([None, FIRST, Position(path[-1])]))
            return added(schema, path[:-1], StructField(free[0], INTEGER), place)
        case "drop" if others[1:]:
            return dropped(schema, path)
        case "rename" if free:
            return with_column(
                schema,
                path,
                lambda one: StructField(free[-1], one.data_type, one.nullable, one.metadata),
            )
        case _:
            return moved(schema, path, draw(st.sampled_from([FIRST, Position(others[-1])])))


def ids(schema: StructType) -> dict[object, object]:
    """Each column by its number: its name in files."""
    found = [
        field for one in types_in(schema) if isinstance(one, StructType) for field in one.fields
    ]
    named = {one.metadata[ID_KEY]: one.metadata[PHYSICAL_NAME_KEY] for one in found}
    assert len(named) == len(found), "a number twice"
    return named


@given(data=st.data(), start=structs(types()), steps=st.integers(1, 6))
def test_columns_keep_their_numbers_and_new_ones_get_new_ones(data, start, steps):
    schema, configuration = with_mapping(start, MAPPED)
    ever = ids(schema)
    for _ in range(steps):
        schema, configuration = with_mapping(
            data.draw(st.composite(changed)(schema)), configuration
        )
        now = ids(schema)
        fresh = now.keys() - ever.keys()
        assert {number: ever[number] for number in now.keys() & ever.keys()} == {
            number: name for number, name in now.items() if number in ever
        }
        assert all(number > max(ever) for number in fresh)
        ever |= now
        assert int(configuration[MAX_ID_KEY]) == max(ever)


@given(data=st.data(), schema=structs(types()))
def test_a_move_keeps_all_columns_and_moving_back_gives_the_schema(data, schema):
    path = data.draw(st.sampled_from(columns(schema)))
    names = siblings(schema, path)
    at = names.index(path[-1])

    there = moved(schema, path, data.draw(st.sampled_from([FIRST, *map(Position, names)])))
    back = moved(there, path, Position(names[at - 1]) if at else FIRST)

    assert sorted(columns(there)) == sorted(columns(schema))
    assert back == schema
