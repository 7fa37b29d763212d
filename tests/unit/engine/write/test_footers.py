"""What is read off the footers of a write's files: the bounds of columns that number rows."""

import base64
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.engine.write.footers import Layout, read_written_files
from puredelta.schema.datatypes import LONG, StructField, StructType
from puredelta.table.columns.column_mapping import MappingMode
from puredelta.table.expressions.identity_columns import IdentityColumn, identity_metadata
from puredelta.table.statistics.indexed_columns import Indexing

NUMBERED = {
    **identity_metadata(IdentityColumn("nr", 1, 1)),
    "delta.columnMapping.id": 1,
    "delta.columnMapping.physicalName": "col-1",
}
PLAIN = {"delta.columnMapping.id": 2, "delta.columnMapping.physicalName": "v"}
TABLE = StructType(
    (StructField("nr", LONG, metadata=NUMBERED), StructField("v", LONG, metadata=PLAIN))
)


def told(name, numbers, *, stored="nr", statistics=True):
    made = io.BytesIO()
    columns = {stored: pa.array(numbers, pa.int64()), "v": pa.array(numbers, pa.int64())}
    pq.write_table(pa.table(columns), made, write_statistics=statistics)
    footer = base64.b64encode(made.getvalue()).decode()
    return {"name": name, "partition": "", "size": 1, "modified": 1, "footer": footer}


def layout(mode=MappingMode.NONE):
    return Layout(table=TABLE, mode=mode, partition_columns=(), indexing=Indexing(count=0))


def test_bounds_are_those_of_all_files_with_or_without_statistics_in_the_log():
    files = [told("a", [5, 9]), told("b", [-2, 7]), told("empty", [])]

    found = read_written_files(files, layout())

    assert found.bounds == {"nr": (-2, 9)}
    assert found.rows == 4


def test_bounds_are_found_under_the_names_of_files():
    files = [told("a", [5, 9], stored="col-1")]

    assert read_written_files(files, layout(MappingMode.NAME)).bounds == {"nr": (5, 9)}


@pytest.mark.parametrize("missing", [0, 1])
def test_bounds_are_unknown_when_a_footer_does_not_tell(missing):
    files = [told(str(place), [1], statistics=place != missing) for place in range(2)]

    assert read_written_files(files, layout()).bounds == {"nr": None}


def test_columns_that_number_nothing_have_no_bounds():
    plain = Layout(
        table=StructType((StructField("nr", LONG), StructField("v", LONG))),
        mode=MappingMode.NONE,
        partition_columns=(),
        indexing=Indexing(),
    )

    assert read_written_files([told("a", [1])], plain).bounds == {}


def test_files_do_not_tell_what_the_table_does_with_a_column():
    schema = '{"type":"struct","fields":[{"name":"nr","type":"long","nullable":true,"metadata":'
    told_more = schema + '{"comment":"c","delta.identity.start":1}}]}'

    assert layout().in_files(told_more) == schema + '{"comment":"c"}}]}'
