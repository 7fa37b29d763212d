"""The fields of `_metadata` for row tracking, and how the optimizer computes them.

Spark's Parquet reader gives the ids that a file has for its rows, the file list those from which a
whole file is numbered; the id of a row results from both.
"""

import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import StructType

from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.bridge.classes import new, scala_object, static_method
from puredelta.engine.bridge.handles import items_of, sequence
from puredelta.engine.session.sessions import active_session
from puredelta.engine.session.spark_objects import frame_of_plan
from puredelta.log.actions import Metadata
from puredelta.schema.column_path import quote_name
from puredelta.table.protocol.row_tracking import stored_columns

ROW_ID = "row_id"
ROW_COMMIT_VERSION = "row_commit_version"
BASE_ROW_ID = "base_row_id"
DEFAULT_ROW_COMMIT_VERSION = "default_row_commit_version"

# By these Spark knows a field of `_metadata`: as one of all rows of a file, or as a hidden column.
_COLUMN, _OF_FILES = "__metadata_col", "__file_source_metadata_col"
_CONSTANT = "__file_source_constant_metadata_col"
_GENERATED = "__file_source_generated_metadata_col"

# What files hold themselves may be null until the optimizer has made ids of it.
_STORED = (ROW_ID, ROW_COMMIT_VERSION)


def row_id_fields(metadata: Metadata) -> str | None:
    """Return the fields that `_metadata` gets besides, as JSON of Spark; None without ids of rows.

    They are `ScanHandle.row_ids` of the table's scans.
    """
    names = stored_columns(metadata.configuration)
    if not names:
        return None
    fields = [
        _field(ROW_ID, _GENERATED, names[0]),
        _field(BASE_ROW_ID, _CONSTANT, True),
        _field(DEFAULT_ROW_COMMIT_VERSION, _CONSTANT, True),
        _field(ROW_COMMIT_VERSION, _GENERATED, names[1]),
    ]
    return json.dumps({"type": "struct", "fields": fields})


def _field(name: str, kind: str, value: object) -> dict[str, object]:
    marks = {_COLUMN: name, _OF_FILES: True, kind: value}
    # That a field is not nullable says that its ids are not computed yet: `row_ids` makes a plan
    # only then.
    return {"name": name, "type": "long", "nullable": False, "metadata": marks}


@serve("scan.row_ids")
def row_ids(_text: str, relation: Any, _second: Any) -> Any:
    """Return a plan that computes the ids of a scan's rows; None where the query needs none."""
    asked = relation.output().last()
    if not asked.metadata().contains(_OF_FILES):
        return None
    asked_fields = StructType.fromJson(json.loads(asked.dataType().json()))
    if ROW_ID not in asked_fields.names or asked_fields[ROW_ID].nullable:
        return None  # the scan below a plan that was returned already
    return _with_ids(relation, asked, asked_fields)


def _with_ids(relation: Any, asked: Any, asked_fields: StructType) -> Any:
    stored = asked.withDataType(_spark_type(as_stored(asked_fields.json()))).newInstance()
    others = relation.output().init()
    scan = new(
        "org.apache.spark.sql.execution.datasources.LogicalRelation",
        relation.relation(),
        others.appended(stored),
        relation.catalogTable(),
        relation.isStreaming(),
        relation.stream(),
    )
    frame = frame_of_plan(active_session(), scan)
    computed = frame.select(_computed(F.col(quote_name(str(asked.name()))), asked_fields))
    (struct,) = items_of(computed._jdf.queryExecution().analyzed().projectList())
    alias = scala_object("org.apache.spark.sql.catalyst.expressions.Alias").apply(
        struct.child(),
        asked.name(),
        asked.exprId(),
        asked.qualifier(),
        new("scala.Some", asked.metadata()),
        sequence([]),
    )
    return new("org.apache.spark.sql.catalyst.plans.logical.Project", others.appended(alias), scan)


def as_stored(fields: str) -> str:
    """Return fields of `_metadata`, as JSON of Spark, as the scan itself gives them."""
    asked_fields = json.loads(fields)
    for field in asked_fields["fields"]:
        field["nullable"] = field["nullable"] or field["name"] in _STORED
    return json.dumps(asked_fields)


def _spark_type(text: str) -> Any:
    return static_method("org.apache.spark.sql.types.DataType", "fromJson")(text)


def _computed(scanned: Column, asked_fields: StructType) -> Column:
    given: Mapping[str, Column] = {
        ROW_ID: scanned.getField(BASE_ROW_ID) + scanned.getField("row_index"),
        ROW_COMMIT_VERSION: scanned.getField(DEFAULT_ROW_COMMIT_VERSION),
    }
    values = [
        F.coalesce(scanned.getField(name), given[name]) if name in given else scanned.getField(name)
        for name in asked_fields.names
    ]
    pairs = zip(values, asked_fields.names, strict=True)
    return F.struct(*(value.alias(name) for value, name in pairs)).alias("ids")
