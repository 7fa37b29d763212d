"""CREATE, REPLACE and AS SELECT as one atomic step: staged here, committed when Spark says so."""

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from puredelta.commands.create.create import CREATE, Create
from puredelta.commands.create.ctas_files import stored_schema
from puredelta.commands.table_ref import TableRef
from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.scan.described_table import DescribedTable
from puredelta.engine.scan.handle import ScanHandle
from puredelta.engine.session.context import context_of
from puredelta.engine.session.paths import hadoop_path
from puredelta.engine.session.session_catalog import default_location, register
from puredelta.engine.session.sessions import active_session
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.catalog.column_metadata import COLUMNS, with_metadata
from puredelta.frontend.catalog.create_like import Template, template_of
from puredelta.frontend.catalog.load_table import named_table
from puredelta.frontend.catalog.lookup import RESERVED
from puredelta.frontend.catalog.spark_objects import (
    declared_clustering,
    declared_partitioning,
    declared_schema,
)
from puredelta.frontend.options import write_options
from puredelta.schema.codec import schema_from_json, schema_to_json
from puredelta.table.columns.char_lengths import with_declared_lengths

LIKE = "puredelta.like"
"""The property with the source of CREATE TABLE LIKE: the parts of its name, as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedTable:
    """A table that a statement is making.

    Attributes:
        session: where the statement runs.
        create: what will be run.
        registers: database and name for the session catalog; None if it has the table.
    """

    session: SparkSession
    create: Create
    registers: tuple[str, str] | None


# Spark's StagedTable is an object of the JVM: its handle refers to a session and a DataFrame of
# Python by a number.
_staged: dict[int, StagedTable] = {}
_numbers = itertools.count(1)


@serve("catalog.stage")
def stage(text: str, columns: Any, transforms: Any) -> str:
    """Stage a statement; return the description of the table it will make.

    Columns and partitioning are the objects in which Spark has them.

    Raises:
        DeltaAnalysisError: DELTA_NOT_A_DELTA_TABLE, DELTA_AMBIGUOUS_PATHS_IN_CREATE_TABLE,
            DELTA_TABLE_LOCATION_MISMATCH, DELTA_OPERATION_NOT_ALLOWED for partition transforms.
    """
    request = json.loads(text)
    session = active_session()
    table, is_managed = _placed(request, session)
    given: Mapping[str, str] = request["properties"]
    declared = with_metadata(schema_from_json(declared_schema(columns)), request["properties"])
    declared = with_declared_lengths(declared, declared)
    schema = schema_to_json(declared)
    create = Create(
        table=table,
        mode=request["mode"],
        schema=declared,
        partition_columns=declared_partitioning(transforms, _named(request)),
        cluster_by=declared_clustering(transforms),
        properties={k: v for k, v in given.items() if k not in {*RESERVED, LIKE, COLUMNS}},
        comment=given.get("comment"),
        is_managed=is_managed,
        saves_table=request["savesTable"],
    )
    if LIKE in given:
        create = _like(create, template_of(session, json.loads(given[LIKE])))
    number = next(_numbers)
    is_new = "path" not in request and "existing" not in request
    registers = (request["namespace"], request["table"]) if is_new else None
    _staged[number] = StagedTable(session=session, create=create, registers=registers)
    return DescribedTable(
        handle=ScanHandle(root=table.root, name=table.name, staged=number),
        name=table.label,
        schema=schema,
        partitions=create.partition_columns,
        properties={"provider": "delta", "location": table.root},
        bytes=0,
    ).to_json()


def _like(create: Create, template: Template) -> Create:
    """Take over from a template what the statement does not specify."""
    return replace(
        create,
        schema=template.schema,
        partition_columns=template.partition_columns,
        cluster_by=template.cluster_by,
        properties={**template.properties, **create.properties},
        comment=template.comment,
    )


def add_query(number: int, frame: DataFrame, options: Mapping[str, str]) -> None:
    """Stage the query of AS SELECT."""
    staged = _staged[number]
    create = replace(
        staged.create,
        frame=frame,
        schema=stored_schema(frame),
        options=write_options(options),
    )
    _staged[number] = replace(staged, create=create)


@serve("catalog.commit")
def commit(text: str, _first: Any, _second: Any) -> None:
    """Run the staged statement, and register a new table with the session catalog."""
    staged = _staged.pop(_number(text))
    create = staged.create
    # The log comes before the entry: a name without a log would be a table that nobody can read.
    create.run(context_of(staged.session))
    if staged.registers is not None:
        database, name = staged.registers
        register(staged.session, database, name, create.table.root, is_managed=create.is_managed)


@serve("catalog.abort")
def abort(text: str, _first: Any, _second: Any) -> None:
    """Forget a staged statement."""
    # A statement whose commit failed is no longer staged when Spark aborts it.
    _staged.pop(_number(text), None)


def _number(text: str) -> int:
    number = ScanHandle.from_json(text).staged
    assert number is not None  # noqa: S101  # `stage` made the handle
    return number


def _placed(request: Mapping[str, Any], session: SparkSession) -> tuple[TableRef, bool]:
    """Return the table with its location, and whether the catalog chose the location."""
    location = request["properties"].get("location")
    if "path" in request:
        table = TableRef(root=hadoop_path(session, request["path"]))
        if location is not None and hadoop_path(session, location) != table.root:
            raise DeltaAnalysisError(
                "DELTA_AMBIGUOUS_PATHS_IN_CREATE_TABLE",
                identifier=request["path"],
                location=location,
            )
        return table, False
    # A replaced table stays where it is, with its history.
    if "existing" in request and request["mode"] != CREATE:
        return _existing(request, session, location)
    if location is not None:
        root, is_managed = hadoop_path(session, location), False
    else:
        root, is_managed = default_location(session, request["namespace"], request["table"]), True
    return named_table({**request, "properties": {"location": root}}), is_managed


def _existing(
    request: Mapping[str, Any], session: SparkSession, location: str | None
) -> tuple[TableRef, bool]:
    entry = request["existing"]
    table = named_table({**request, "properties": entry})
    if entry.get("provider", "").lower() != "delta":
        raise DeltaAnalysisError("DELTA_NOT_A_DELTA_TABLE", tableName=table.label)
    if location is not None and hadoop_path(session, location) != table.root:
        raise DeltaAnalysisError(
            "DELTA_TABLE_LOCATION_MISMATCH",
            tableName=table.label,
            existingTableLocation=table.root,
            tableLocation=location,
        )
    return table, entry.get("is_managed_location") == "true" or "external" not in entry


def _named(request: Mapping[str, Any]) -> str:
    return str(request.get("path") or request["table"])
