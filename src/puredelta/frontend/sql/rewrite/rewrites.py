"""The texts that Spark reads in place of statements that it cannot run as they are written."""

from pyspark.sql import SparkSession

from puredelta.engine.session.sessions import active_session, setting
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.catalog.lookup import is_path_name, look_up, newest_version
from puredelta.frontend.sql.rewrite.alter_column import generated_by_alter
from puredelta.frontend.sql.rewrite.create_table import created_table, with_properties
from puredelta.frontend.sql.rewrite.insert_defaults import insert_of_defaults, update_of_defaults
from puredelta.frontend.sql.tokens import Tokens
from puredelta.table.expressions.generated_columns import (
    enforces_generated_columns,
    get_generated_columns,
)
from puredelta.table.expressions.identity_columns import identity_columns

MERGE_SCHEMA = "mergeSchema"

# Catalog, schema and table.
_WITH_CATALOG = 3


def rewritten_statement(text: str) -> str | None:
    """Return the text that Spark reads in place of a statement; None for the text as it is.

    Raises:
        DeltaAnalysisError: PUREDELTA_GENERATED_COLUMN_IN_ALTER_TABLE, and what a rewrite raises.
    """
    refuse_generation(text)
    # One INSERT can have both the clause and DEFAULT: the second rewrite reads the first's text.
    evolving = rewritten_insert(text)
    computed = insert_of_computed(evolving or text) or update_of_computed(text)
    return computed or evolving or rewritten_create(text)


def rewritten_insert(text: str) -> str | None:
    """Return INSERT WITH SCHEMA EVOLUTION as an INSERT with an option; None for other texts.

    Spark has the clause from 4.2 on, and the option since 4.0.
    """
    found = evolving_insert(text)
    if found is None:
        return None
    name, rewritten = found
    at = look_up(active_session(), name)
    # Where there is no table, Spark says so; tables of other formats are Spark's.
    return rewritten if at is None or at.table is not None else None


def evolving_insert(text: str) -> tuple[tuple[str, ...], str] | None:
    """Read INSERT WITH SCHEMA EVOLUTION; None for any other text.

    Returns:
        The name of the table, and the statement as each Spark can read it: with an option in place
        of the clause.
    """
    tokens = Tokens(text)
    if not tokens.take("INSERT"):
        return None
    insert = text[: tokens.end_of_last]
    if not tokens.take("WITH", "SCHEMA", "EVOLUTION"):
        return None
    begin = tokens.end_of_last
    if not (tokens.take("INTO") or tokens.take("OVERWRITE")):
        return None
    tokens.take("TABLE")
    # The name in IDENTIFIER(...) is known only after Spark has evaluated it.
    name = () if tokens.sees("IDENTIFIER", "(") else tokens.name()
    if not name:
        return None
    head = f"{insert}{text[begin : tokens.end_of_last]} WITH ('{MERGE_SCHEMA}' = 'true'"
    if tokens.take("WITH", "("):
        return name, f"{head}, {text[tokens.end_of_last :].lstrip()}"
    return name, f"{head}) {text[tokens.end_of_last :].lstrip()}"


def insert_of_computed(text: str) -> str | None:
    """Return an INSERT without the columns that the table fills, where it has DEFAULT for them.

    None for other texts.
    """
    found = insert_of_defaults(text)
    snapshot = None if found is None else newest_version(active_session(), found.table)
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
    snapshot = None if found is None else newest_version(active_session(), found.table)
    if found is None or snapshot is None:
        return None
    if not enforces_generated_columns(snapshot.protocol, snapshot.metadata):
        return None
    computed = [field.name for field in get_generated_columns(snapshot)]
    return found.without(computed, snapshot.schema.names)


def rewritten_create(text: str) -> str | None:
    """Return CREATE and REPLACE TABLE with properties in place of CHECK and GENERATED clauses.

    None for other texts, and for tables of another format.

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
    # Another catalog would store the properties as they are and generate nothing.
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
    at = look_up(active_session(), name)
    if at is not None and at.table is not None:
        raise DeltaAnalysisError(
            "PUREDELTA_GENERATED_COLUMN_IN_ALTER_TABLE", tableName=".".join(name), verb=verb
        )


def _is_ours(session: SparkSession, name: tuple[str, ...]) -> bool:
    """Say whether the catalog of a name is one of this package's."""
    catalog = name[0] if len(name) == _WITH_CATALOG else session.catalog.currentCatalog()
    kind = setting(session, f"spark.sql.catalog.{catalog}", "")
    return kind == setting(session, "spark.sql.catalog.spark_catalog", "")
