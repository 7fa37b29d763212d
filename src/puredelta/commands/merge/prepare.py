"""A MERGE before its first job: the target's new schema, and the clauses resolved."""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from puredelta.commands.dml.column_values import AssignableColumns, Path, new_path, target_path
from puredelta.commands.dml.dml_target import by_display_name
from puredelta.commands.dml.scopes import Scope
from puredelta.commands.merge.frame_columns import with_columns_of
from puredelta.commands.merge.request import DeleteClause, MergeClauses, MergeRequest
from puredelta.commands.merge.resolved_clauses import ResolvedMerge, Resolver
from puredelta.commands.rows.column_matching import with_rules_of_table
from puredelta.commands.rows.layout import evolved_layout, spark_schema
from puredelta.commands.rows.removed_files import check_not_append_only
from puredelta.commands.rows.target import WriteTarget
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.catalyst.plan_rebinding import rebind_to_scan
from puredelta.engine.catalyst.qualified_names import qualify
from puredelta.engine.row_checks.store_assignment import StoreAssignment
from puredelta.engine.scan.pinned_files import frame_of_files
from puredelta.engine.session.context import Context
from puredelta.engine.session.spark_types import from_spark
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.actions import Metadata
from puredelta.log.snapshot import Snapshot
from puredelta.table.evolution.matching_rules import MatchingRules
from puredelta.table.evolution.merge_evolution import evolve_schema
from puredelta.table.expressions.identity_columns import check_not_given, identity_columns
from puredelta.table.protocol.active_definitions import active_definitions
from puredelta.table.protocol.protocol import check_writable, schema_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedMerge:
    """A MERGE that can begin.

    Attributes:
        target: the table, with the metadata that it gets.
        merge: the clauses.
        columns: the target's columns afterwards, and how values are put into them.
        scan: all rows of the target, with whose columns the clauses were resolved.
    """

    target: WriteTarget
    merge: ResolvedMerge
    columns: AssignableColumns
    scan: DataFrame

    def rows_of(self, files: pa.Table) -> DataFrame:
        """Return the rows of some files, under the columns of `scan`."""
        target = self.target
        table, session = target.table, target.context.session
        rows = frame_of_files(session, table.root, target.before, files, table.options)
        return rebind_to_scan(self.scan, rows)


def prepare(request: MergeRequest, context: Context, before: Snapshot) -> PreparedMerge:
    """Resolve a MERGE against a version of its target.

    Args:
        request: what was asked for.
        context: the session.
        before: the version.

    Raises:
        DeltaAnalysisError: clauses, columns or types that don't fit.
        DeltaUnsupportedOperationError: the table may not be written so.
    """
    table, clauses = request.table, request.clauses
    check_writable(before.protocol, before.metadata, table.label)
    # Protocol: Append-only Tables. Inserts alone are allowed in such a table.
    if not clauses.inserts_only:
        check_not_append_only(before, table.label)
    known = active_definitions(before.metadata, before.protocol)
    schema = spark_schema(known)
    evolves = request.evolves or context.settings.auto_merge
    # Only schema evolution can give columns to a table that has none.
    if not schema.fields and not evolves:
        raise DeltaAnalysisError("DELTA_MERGE_INTO_EMPTY_SCHEMA_TARGET")
    metadata = _grown(request, context, before, known, schema) if evolves else known
    assignment = StoreAssignment(
        context.session,
        by_name=True,
        table=table.label,
        follows_ansi=context.settings.casts_follow_ansi,
    )
    columns = AssignableColumns(
        schema=spark_schema(metadata),
        partitions=frozenset(name.lower() for name in before.partition_columns),
        assignment=assignment,
        evolves=evolves,
    )
    # The clauses are resolved against a scan of all files; later scans take over its column ids.
    scanned = frame_of_files(context.session, table.root, before, None, table.options)
    scan = by_display_name(request.rows, scanned, table)
    merge = _resolved(request, scan, schema, columns)
    _check_numbers(known, merge)
    target = WriteTarget(
        context=context,
        table=table,
        before=before,
        # `known` may lack definitions that no feature activates; the table keeps them in its log.
        metadata=before.metadata if metadata == known else metadata,
        options=WriteOptions(),
    )
    return PreparedMerge(
        target=target,
        merge=merge,
        columns=columns,
        scan=scan,
    )


def _grown(
    request: MergeRequest, context: Context, before: Snapshot, known: Metadata, target: StructType
) -> Metadata:
    columns = schema_of(known)
    rules = MatchingRules(table=request.table.label, by_name=True, evolve=True, same_types=False)
    rules = with_rules_of_table(rules, before, columns, context)
    source = from_spark(request.source.schema)
    paths = assigned_columns(request.clauses, target, request.alias)
    return evolved_layout(known, evolve_schema(columns, source, paths, rules))


def assigned_columns(
    clauses: MergeClauses, target: StructType, alias: Path
) -> Iterator[Path | None]:
    """Yield the paths that clauses assign to by name; None for `*`, which takes all of the source.

    WHEN NOT MATCHED BY SOURCE sees no source, so it brings nothing.

    Args:
        clauses: the clauses.
        target: the target's columns.
        alias: what the target is called.
    """
    for clause in (*clauses.matched, *clauses.not_matched):
        if isinstance(clause, DeleteClause):
            continue
        if clause.assignments is None:
            yield None
            continue
        for assignment in clause.assignments:
            path = target_path(assignment.path, alias, target)
            yield path or new_path(assignment.path, alias)


def _resolved(
    request: MergeRequest, scan: DataFrame, schema: StructType, columns: AssignableColumns
) -> ResolvedMerge:
    # Rows that the statement names already have the alias; `qualify` adds it to a plain scan.
    target = qualify(scan, request.alias) if request.rows is None else scan
    if request.frame is not None:
        request = with_columns_of(request, request.frame, target)
    resolver = Resolver(
        target=Scope(target),
        source=Scope(request.source),
        both=Scope(target.crossJoin(request.source)),
        alias=request.alias,
        before=schema,
        columns=columns,
    )
    return resolver.resolved(request.condition, request.clauses)


def _check_numbers(known: Metadata, merge: ResolvedMerge) -> None:
    """Refuse values for columns that number rows.

    Raises:
        DeltaAnalysisError: DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED,
            DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED.
    """
    columns = schema_of(known)
    numbering = {column.name for column in identity_columns(columns)}
    for action in merge:
        # GENERATED BY DEFAULT allows values in inserted rows; no identity column allows an update.
        if action.kind == "insert":
            check_not_given(columns, action.given)
        elif named := sorted(numbering & action.given):
            raise DeltaAnalysisError(
                "DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED", colName=named[0]
            )
