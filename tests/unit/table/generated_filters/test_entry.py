"""Which columns of a version filters are derived for."""

import msgspec
import pytest

from puredelta.log.actions import Protocol
from puredelta.log.table_log import TableLog
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import INTEGER, LONG, StructField, StructType
from puredelta.storage.memory import MemoryStore
from puredelta.table.expressions.generated_columns import generate_partition_filters
from puredelta.table.generated_filters.expressions import Cast
from puredelta.table.skipping.predicate import Column, Comparison, Literal
from tests.unit.log.logs import METADATA, commit

C = Column(("c",))
FILTERS = [Comparison("=", C, Literal(1, INTEGER)), Comparison("<", C, Literal(9, INTEGER))]


def snapshot(*, by=("P",), writer=4, expression="CAST(c AS BIGINT)"):
    told = {} if expression is None else {"delta.generationExpression": expression}
    schema = StructType(
        (
            StructField("c", INTEGER),
            StructField("p", LONG, True, told),
            StructField("q", LONG, True, {"delta.generationExpression": "CAST(c AS BIGINT)"}),
        )
    )
    table = msgspec.structs.replace(
        METADATA, schema_string=schema_to_json(schema), partition_columns=list(by)
    )
    store = MemoryStore()
    protocol = Protocol(min_reader_version=1, min_writer_version=writer)
    commit(store, 0, table, protocol)
    return TableLog(store).latest()


def read(text, schema):
    assert schema.names == ["c", "p", "q"]
    return {"CAST(c AS BIGINT)": Cast(C, LONG), "c + 1": None}[text]


def test_generated_columns_that_partition_the_table():
    found = generate_partition_filters(snapshot(), FILTERS, read)

    assert found == ["`p` IS NULL OR `p` = 1", "`p` IS NULL OR `p` <= 8"]


@pytest.mark.parametrize(
    "told", [{"by": ()}, {"expression": None}, {"writer": 2}, {"expression": "c + 1"}]
)
def test_tables_for_which_nothing_is_derived(told):
    assert generate_partition_filters(snapshot(**told), FILTERS, read) == []


def test_query_without_filters_reads_no_expression():
    assert generate_partition_filters(snapshot(), [], lambda *_: pytest.fail("asked")) == []
