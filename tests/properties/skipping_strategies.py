"""What tests of data skipping are made of: small tables with real statistics, and conditions."""

import datetime
import io
from dataclasses import dataclass
from decimal import Context
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import assume
from hypothesis import strategies as st

from puredelta.log.actions import AddFile
from puredelta.log.files import files_table
from puredelta.schema.arrow import to_arrow
from puredelta.schema.datatypes import (
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DecimalType,
    StructField,
    StructType,
)
from puredelta.schema.physical import PHYSICAL_NAME_KEY
from puredelta.table.columns.column_mapping import MappingMode, physical_schema
from puredelta.table.partition_values import plain_from_text, text_from_value
from puredelta.table.skipping.bound_casts import keeps_order
from puredelta.table.skipping.columns import StatsColumns
from puredelta.table.skipping.predicate import (
    And,
    CastValue,
    Column,
    Comparison,
    Constant,
    In,
    IsNull,
    IsTrue,
    Literal,
    Not,
    Or,
    StartsWith,
    Unknown,
)
from puredelta.table.statistics.file_stats import stats_from_arrow, stats_from_footer
from puredelta.table.statistics.indexed_columns import Indexing
from tests.properties.table_strategies import decimal_types, partition_types, values

ZONES = ["UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kolkata", "Pacific/Apia"]
TARGETS = [
    SHORT, INTEGER, LONG, FLOAT, DOUBLE, DATE, TIMESTAMP, TIMESTAMP_NTZ, DecimalType(38, 10),
    DecimalType(22, 2),
]  # fmt: skip

DAY = 86_400_000_000

_WIDE = Context(prec=80)
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_PATHS = [("c",), ("d",), ("s", "a"), ("s", "t", "b")]


@dataclass
class Made:
    """A table with its rows.

    Attributes:
        files: Rows of `FILES`.
        columns: Its columns.
        rows: The plain values of each row of each file, by path, that a reader sees.
        types: The types of its columns.
    """

    files: pa.Table
    columns: StatsColumns
    rows: list[list[dict[tuple[str, ...], Any]]]
    types: dict[tuple[str, ...], Any]


def plain(value, data_type):
    """Turn a Python value into a plain one, as literals have it."""
    if value is None:
        return None
    if isinstance(data_type, DecimalType):
        return int(value.scaleb(data_type.scale, _WIDE))
    if data_type == DATE:
        return (value - _EPOCH.date()).days
    if data_type in (TIMESTAMP, TIMESTAMP_NTZ):
        moment = value.replace(tzinfo=datetime.timezone.utc)
        return (moment - _EPOCH) // datetime.timedelta(microseconds=1)
    return value


@st.composite
def tables(draw):
    """A table of a few files with rows, some deleted, and statistics, some missing."""
    kinds = {path: draw(partition_types()) for path in _PATHS}
    mode = draw(st.sampled_from([MappingMode.NONE, MappingMode.NAME]))
    data_schema = _schema(kinds)
    partition_type = draw(partition_types())
    schema = StructType((*data_schema.fields, _column("p", partition_type)))
    rows, adds = [], []
    for number in range(draw(st.integers(1, 3))):
        found = draw(st.lists(_rows(kinds), max_size=6))
        text = text_from_value(draw(st.none() | values(partition_type)), partition_type)
        stats = draw(_statistics(found, physical_schema(data_schema, schema, mode)))
        deleted = draw(st.sets(st.integers(0, 5), max_size=3))
        value = plain_from_text(text, partition_type)
        rows.append(
            [
                {**_flat(row, kinds), ("p",): value}
                for place, row in enumerate(found)
                if place not in deleted
            ]
        )
        name = "p" if mode is MappingMode.NONE else "col-p"
        adds.append(_add(number, {name: text}, _wide(stats) if deleted else stats))
    columns = StatsColumns(schema, ("p",), mode)
    return Made(files_table(adds), columns, rows, {**kinds, ("p",): partition_type})


@st.composite
def casts(draw):
    """A table of one file, and one of its columns cast to another type."""
    kinds = st.sampled_from([BYTE, INTEGER, LONG, FLOAT, DATE, TIMESTAMP, TIMESTAMP_NTZ])
    kind = draw(kinds | decimal_types())
    targets = [target for target in TARGETS if target != kind and keeps_order(kind, target)]
    assume(targets)
    found = draw(st.lists(values(kind), min_size=1, max_size=4))
    return one_column(kind, found), draw(st.sampled_from(targets))


def one_column(kind, found):
    """A table of one file with the column `c`."""
    schema = StructType((StructField("c", kind),))
    table = pa.Table.from_pylist([{"c": value} for value in found], to_arrow(schema))
    rows = [{("c",): plain(value, kind)} for value in found]
    files = files_table([_add(0, {}, stats_from_arrow(table, schema))])
    return Made(files, StatsColumns(schema), [rows], {("c",): kind})


def conditions(made):
    """Conditions on a table, most about values that are in it."""
    about = st.sampled_from(sorted(made.types)).flatmap(lambda path: _about(made, path))
    constants = [Constant(value=True), Constant(value=False), Constant(None), Unknown()]
    leaf = st.integers(0, 9).flatmap(lambda draw: about if draw else st.sampled_from(constants))

    def joined(inner):
        some = st.lists(inner, min_size=1, max_size=3).map(tuple)
        return st.one_of(
            some.map(And), some.map(Or), inner.map(Not), inner.map(IsTrue), inner.map(IsNull)
        )

    return st.recursive(leaf, joined, max_leaves=6)


def _column(name, data_type):
    return StructField(name, data_type, metadata={PHYSICAL_NAME_KEY: f"col-{name}"})


def _schema(kinds):
    inner = StructType((_column("b", kinds["s", "t", "b"]),))
    outer = StructType((_column("a", kinds["s", "a"]), _column("t", inner)))
    return StructType((_column("c", kinds["c",]), _column("d", kinds["d",]), _column("s", outer)))


def _rows(kinds):
    c, d, a, b = (st.none() | values(kinds[path]) for path in _PATHS)
    inner = st.none() | st.fixed_dictionaries({"b": b})
    outer = st.none() | st.fixed_dictionaries({"a": a, "t": inner})
    return st.fixed_dictionaries({"c": c, "d": d, "s": outer})


def _flat(row, kinds):
    found = {}
    for path in _PATHS:
        value = row
        for name in path:
            value = None if value is None else value[name]
        found[path] = plain(value, kinds[path])
    found["s",] = None if row["s"] is None else "struct"
    return found


@st.composite
def _statistics(draw, rows, schema):
    names = [field.name for field in schema]
    table = pa.Table.from_pylist([_renamed(row, schema) for row in rows], to_arrow(schema))
    assert table.column_names == names
    indexing = Indexing(prefix=draw(st.integers(1, 6)))
    if draw(st.booleans()):
        text = stats_from_arrow(table, schema, indexing)
    else:
        sink = io.BytesIO()
        pq.write_table(table, sink, row_group_size=draw(st.integers(1, 4)))
        sink.seek(0)
        text = stats_from_footer(pq.read_metadata(sink), schema, indexing)
    gone = draw(
        st.sampled_from(["", "", "", "all", "numRecords", "minValues", "maxValues", "nullCount"])
    )
    return None if gone == "all" else _without(text, gone)


def _renamed(row, schema):
    if row is None:
        return None
    logical = {field.name.removeprefix("col-"): field for field in schema}
    return {
        field.name: _renamed(row[name], field.data_type)
        if isinstance(field.data_type, StructType)
        else row[name]
        for name, field in logical.items()
    }


def _without(text, key):
    told = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    told.pop(key, None)
    return msgspec.json.encode(told).decode()


def _wide(stats):
    return stats and stats[:-1] + (',"tightBounds":false}' if len(stats) > 2 else "}")


def _add(number, partition_values, stats):
    return AddFile(
        path=f"f{number}",
        partition_values=partition_values,
        size=1,
        modification_time=1,
        data_change=True,
        stats=stats,
    )


def _about(made, path):
    kind = made.types[path]
    present = [row[path] for rows in made.rows for row in rows if row[path] is not None]
    near = st.sampled_from(present) if present else st.nothing()
    literals = st.one_of(near, near.map(lambda value: _beside(value, kind)), _plains(kind))
    column = Column(path)
    operators = st.sampled_from(["=", "!=", "<", "<=", ">", ">=", "<=>"])
    operands = st.just((column, kind)) | _converted(column, kind)
    found = [
        st.builds(Comparison, operators, st.just(column), literals.map(lambda v: Literal(v, kind))),
        st.builds(Comparison, operators, literals.map(lambda v: Literal(v, kind)), st.just(column)),
        st.builds(
            In,
            st.just(column),
            st.lists(literals, min_size=1, max_size=12).map(tuple),
            st.just(kind),
            st.booleans(),
        ),
        st.just(IsNull(column)),
        st.just(IsNull(Column(("s",)))),
        st.builds(Comparison, operators, st.just(column), st.just(Literal(None, kind))),
        operands.flatmap(
            lambda one: st.builds(
                Comparison,
                operators,
                st.just(one[0]),
                _plains(one[1]).map(lambda value: Literal(value, one[1])),
            )
        ),
    ]
    if kind == STRING:
        starts = literals.flatmap(lambda text: st.integers(0, 9).map(lambda end: text[:end]))
        found.append(st.builds(StartsWith, st.just(column), starts))
    alike = [other for other, type_ in made.types.items() if type_ == kind]
    others = st.sampled_from(alike).map(Column)
    found.append(st.builds(Comparison, operators, st.just(column), others))
    return st.one_of(found)


def _converted(column, kind):
    targets = [target for target in TARGETS if target != kind and keeps_order(kind, target)]
    if not targets:
        return st.nothing()
    return st.sampled_from(targets).map(lambda target: (CastValue(column, target), target))


def _plains(kind):
    return values(kind).map(lambda value: plain(value, kind))


def _beside(value, kind):
    """A value next to another, where that is easy to tell."""
    edges = {BYTE: 2**7, SHORT: 2**15, INTEGER: 2**31, LONG: 2**63}
    if kind in edges:
        return max(value - 1, -edges[kind])
    if kind in (TIMESTAMP, TIMESTAMP_NTZ):
        return value + 1
    if kind == STRING:
        return value[:4] + "\x80"
    return value
