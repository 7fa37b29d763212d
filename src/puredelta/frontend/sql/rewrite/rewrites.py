"""Statements that Spark can run once they are said in other words: those words."""

import json

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from puredelta.engine.bridge.failures import unlogged
from puredelta.engine.session.spark_objects import active_session, setting
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.catalog.create_like import template_of
from puredelta.frontend.catalog.lookup import ResolvedName, find_by_name, is_path_name
from puredelta.frontend.catalog.staging import LIKE
from puredelta.frontend.sql.parser import Like, Statement, Target, evolving_insert
from puredelta.frontend.sql.rewrite.alter_column import generated_by_alter
from puredelta.frontend.sql.rewrite.create_table import created_table, with_properties
from puredelta.frontend.sql.rewrite.insert_defaults import insert_of_defaults, update_of_defaults
from puredelta.frontend.sql_text import columns, dotted, literal, properties
from puredelta.log.snapshot import Snapshot
from puredelta.schema.column_path import quoted
from puredelta.schema.datatypes import DECLARED_TYPE_KEY
from puredelta.table.columns.char_lengths import declared_column
from puredelta.table.expressions.generated_columns import get_generated_columns
from puredelta.table.expressions.identity_columns import identity_columns

# Catalog, schema and table.
_WITH_CATALOG = 3


def rewritten_insert(text: str) -> str | None:
    """Return INSERT WITH SCHEMA EVOLUTION as an INSERT with an option; None for other texts.

    Spark has the clause from 4.2 on, and the option since 4.0.
    """
    found = evolving_insert(text)
    if found is None:
        return None
    target, rewritten = found
    at = with_looked_up_names(active_session(), target.name)
    # Where there is no table, Spark says so; tables of other formats are Spark's.
    return rewritten if at is None or at.table is not None else None


def insert_of_computed(text: str) -> str | None:
    """Return an INSERT without the columns that the table fills, where it says DEFAULT for them.

    None for other texts.
    """
    found = insert_of_defaults(text)
    snapshot = None if found is None else _snapshot_of(found.table)
    if found is None or snapshot is None:
        return None
    numbered = [column.name for column in identity_columns(snapshot.schema)]
    found.check_numbered(numbered, snapshot.schema.names)
    filled = [*(field.name for field in get_generated_columns(snapshot)), *numbered]
    stand_in = next((name for name in snapshot.schema.names if name not in filled), None)
    return found.without(filled, snapshot.schema.names, stand_in)


def update_of_computed(text: str) -> str | None:
    """Return an UPDATE without the columns that the table computes, where it sets them to DEFAULT.

    None for other texts.
    """
    found = update_of_defaults(text)
    snapshot = None if found is None else _snapshot_of(found.table)
    if found is None or snapshot is None:
        return None
    computed = [field.name for field in get_generated_columns(snapshot)]
    return found.without(computed, snapshot.schema.names)


def has_declared_length(target: Target, column: tuple[str, ...]) -> bool:
    """Say whether a nested column of a Delta table is a text of a declared length."""
    snapshot = _snapshot_of(target.name)
    if snapshot is None:
        return False
    try:
        found = declared_column(snapshot.schema, column)
    except DeltaAnalysisError:
        return False
    return len(found.path) > 1 and DECLARED_TYPE_KEY in found.field.metadata


def _snapshot_of(name: tuple[str, ...]) -> Snapshot | None:
    """Return the newest version of a Delta table; None for other tables and where there is none."""
    at = with_looked_up_names(active_session(), name)
    return None if at is None or at.table is None else at.table.log().latest()


def rewritten_create(text: str) -> str | None:
    """Return CREATE and REPLACE TABLE with properties in place of CHECK and GENERATED clauses.

    None for other texts, and for tables that are not to be Delta tables.

    Raises:
        DeltaAnalysisError: a name given twice, or a nested column that is generated.
    """
    found = created_table(text)
    if found is None:
        return None
    session = active_session()
    if found.provider is not None:
        is_delta = found.provider.lower() == "delta"
    else:
        is_path = is_path_name(found.table)
        is_delta = is_path or setting(session, "spark.sql.sources.default") == "delta"
    return with_properties(found) if is_delta and _is_ours(session, found.table) else None


def refuse_generation(text: str) -> None:
    """Refuse ALTER TABLE with a GENERATED clause on a Delta table.

    Raises:
        DeltaAnalysisError: PUREDELTA_GENERATED_COLUMN_IN_ALTER_TABLE.
    """
    found = generated_by_alter(text)
    if found is None:
        return
    name, verb = found
    at = with_looked_up_names(active_session(), name)
    if at is not None and at.table is not None:
        raise DeltaAnalysisError(
            "PUREDELTA_GENERATED_COLUMN_IN_ALTER_TABLE", tableName=".".join(name), verb=verb
        )


def _is_ours(session: SparkSession, name: tuple[str, ...]) -> bool:
    """Say whether the catalog of a name is one of this package's."""
    catalog = name[0] if len(name) == _WITH_CATALOG else session.catalog.currentCatalog()
    kind = setting(session, f"spark.sql.catalog.{catalog}", "")
    return kind == setting(session, "spark.sql.catalog.spark_catalog", "")


def rewritten_like(statement: Statement, like: Like) -> str | None:
    """Return CREATE TABLE LIKE as a CREATE TABLE; None if no Delta table has to do with it.

    Raises:
        AnalysisException: Spark's TABLE_OR_VIEW_NOT_FOUND for a source that is not there.
        DeltaAnalysisError: TABLE_OR_VIEW_ALREADY_EXISTS, DELTA_MISSING_DELTA_TABLE.
    """
    session = active_session()
    into_delta = (like.provider or "").lower() == "delta"
    source = with_looked_up_names(session, like.source.name)
    from_delta = source is not None and source.table is not None
    if not into_delta and not from_delta:
        return None
    if not like.if_not_exists:
        _refuse_taken(session, statement.target)
    if like.provider is None or into_delta:
        told = {**like.properties, LIKE: json.dumps(like.source.name)}
        return _create(statement.target, like, "", "delta", properties(told))
    return _create_other(session, statement.target, like, like.provider)


def _create_other(session: SparkSession, target: Target, like: Like, provider: str) -> str:
    """Say a table of another format with the columns of a Delta table."""
    partitioned = template_of(session, like.source.name).partition_columns
    schema = session.table(dotted(like.source.name)).schema
    clauses = [properties(like.properties)]
    if partitioned:
        clauses.append(f"PARTITIONED BY ({', '.join(map(quoted, partitioned))})")
    return _create(target, like, columns(session, schema), provider, *clauses)


def _create(target: Target, like: Like, listed: str, provider: str, *clauses: str) -> str:
    exists = "IF NOT EXISTS " if like.if_not_exists else ""
    location = "" if like.location is None else f"LOCATION {literal(like.location)}"
    name = dotted(target.name)
    said = [f"CREATE TABLE {exists}{name} {listed} USING {quoted(provider)}", *clauses, location]
    return " ".join(said)


def _refuse_taken(session: SparkSession, target: Target) -> None:
    there = with_looked_up_names(session, target.name)
    if there is None or (there.table is None and there.provider is None and not there.is_view):
        return
    name = ".".join(target.name)
    raise DeltaAnalysisError("TABLE_OR_VIEW_ALREADY_EXISTS", relationName=name)


def with_looked_up_names(session: SparkSession, name: tuple[str, ...]) -> ResolvedName | None:
    """Look a name up; None where nothing has it."""
    try:
        with unlogged():
            return find_by_name(session, name)
    except AnalysisException:
        return None
