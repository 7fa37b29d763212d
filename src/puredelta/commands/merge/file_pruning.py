"""Which files of the target a MERGE reads, chosen before any of their rows is read."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cache, reduce
from operator import and_

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column

from puredelta.commands.dml.dml_target import track_reads
from puredelta.commands.dml.scopes import Expression, Scope
from puredelta.commands.merge.key_pruning import Key, keys_of, predicate_from_keys
from puredelta.commands.merge.prepare import PreparedMerge
from puredelta.commands.merge.resolved_clauses import ResolvedMerge
from puredelta.commands.merge.source import Source
from puredelta.commands.rows.target import WriteTarget
from puredelta.engine.catalyst.sql_conditions import ResolvedCondition as Condition
from puredelta.engine.catalyst.sql_conditions import has_subquery, in_names_of
from puredelta.engine.dml.candidate_files import Choice, choose_files
from puredelta.engine.session.table_reads import expressions_read
from puredelta.log.actions import AddFile
from puredelta.log.file_stats import num_records
from puredelta.log.files import FILES, files_in, files_table
from puredelta.table.skipping.columns import columns_of_table
from puredelta.table.skipping.spread import is_spread
from puredelta.txn.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The files that a MERGE searches.

    Attributes:
        files: as `log.files.FILES`.
        condition: what a row of the target must satisfy to have a match; None where that is not
            known, and where rows change without a match.
        choice: how the files were chosen; None where all of them are searched.
        by_keys: the keys of the source took part in the choice.
    """

    files: pa.Table = field(repr=False)
    condition: Column | None = None
    choice: Choice | None = None
    by_keys: bool = False

    @property
    def row_count(self) -> int | None:
        """How many rows the files have, deleted ones included; None where statistics are silent."""
        counts = num_records(self.files)
        return None if counts.null_count else int(pc.sum(counts).as_py() or 0)


def choose_candidates(prepared: PreparedMerge, source: Source) -> Candidates:
    """Choose the files that may have rows with a match, or rows that change without one.

    The part of ON that is about the target alone excludes some files, and the keys of the source
    exclude more.

    Args:
        prepared: the target and the clauses.
        source: the rows that are merged.
    """
    # An empty source matches nothing: no file is read.
    if not source.count and not prepared.merge.by_source:
        return Candidates(files=FILES.empty_table())
    everything = Candidates(files=prepared.target.before.files)
    # NOT MATCHED BY SOURCE changes rows that have no match, which ON cannot exclude.
    if prepared.merge.by_source:
        return everything
    ours = Scope(prepared.scan).column_ids
    alone = [conjunct.column for conjunct in _of_one_side(prepared, ours)]
    chosen = _chosen(prepared, alone) if alone else everything
    if chosen.files.num_rows <= 1:
        return chosen
    keys = keys_of_sides(prepared, source)
    # Reading the keys costs a job over the source, which is repaid only if some file is left out.
    if _are_spread(keys, prepared.target, chosen.files):
        return chosen
    by_keys = _key_conditions(prepared, source, keys)
    return replace(_chosen(prepared, [*alone, *by_keys]) if by_keys else chosen, by_keys=True)


def _are_spread(keys: Sequence[Key], target: WriteTarget, files: pa.Table) -> bool:
    """Say whether any key may be in any of some files, as far as their statistics tell."""
    columns = columns_of_table(target.before)
    return all(
        key.ours.kind == "AttributeReference"
        and is_spread((str(key.ours.catalyst.name()),), files, columns)
        for key in keys
    )


def keys_of_sides(prepared: PreparedMerge, source: Source) -> list[Key]:
    """Return the keys by which ON matches rows of the target with rows of the source."""
    ours, theirs = Scope(prepared.scan).column_ids, Scope(source.frame).column_ids
    return list(keys_of(prepared.merge, ours, theirs))


def _key_conditions(prepared: PreparedMerge, source: Source, keys: Sequence[Key]) -> list[Column]:
    """Return what rows with a match must satisfy by the keys of the source, which is read."""
    theirs = Scope(source.frame).column_ids
    alone = [conjunct.column for conjunct in _of_one_side(prepared, theirs)]
    return predicate_from_keys(keys, source, alone)


def _chosen(prepared: PreparedMerge, conditions: list[Column]) -> Candidates:
    target = prepared.target
    condition = reduce(and_, conditions)
    before = target.before
    rows = prepared.scan.where(condition)
    files, choice = choose_files(rows, target.table.root, before, before.files)
    return Candidates(files=files, condition=condition, choice=choice)


def _of_one_side(prepared: PreparedMerge, side: AbstractSet[int]) -> Iterator[Expression]:
    """Yield the conjuncts of ON that a row of one side decides by itself, without subqueries.

    Args:
        prepared: whose ON it is.
        side: the ids of the columns of that side.
    """
    for conjunct in prepared.merge.on.conjuncts():
        named = conjunct.column_ids
        # A subquery has to run first; its outcome is not known while files are chosen.
        if named and named <= side and not has_subquery(conjunct.catalyst):
            yield conjunct


def track(
    transaction: Transaction, prepared: PreparedMerge, source: Source, candidates: Candidates
) -> None:
    """Record in a transaction what a MERGE depends on: its files, and others that may come.

    Args:
        transaction: the transaction; while it commits, the source is cached.
        prepared: the target and the clauses.
        source: the rows that are merged.
        candidates: the files that were searched.
    """
    target, text = prepared.target, str(prepared.merge.on)
    # A subquery over the target, or a clause for rows without a match, depends on every row.
    if prepared.merge.by_source or expressions_read(prepared.merge.columns, target.table.root):
        transaction.read_whole_table()
        return
    about = None
    if candidates.condition is not None:
        filtered = prepared.scan.where(candidates.condition)._jdf.queryExecution().analyzed()
        expression = in_names_of(filtered.condition(), filtered.child())
        about = Condition(text, expression).about(target.before.partition_columns)
    if _depends_on_changed_rows_alone(prepared.merge):
        # The keys are read only if another writer commits first, and once for all of its commits.
        known = cache(lambda: _of_matches(prepared, source, candidates))
        transaction.read_rows_alone(lambda files: _may_match(prepared, known(), files))
    track_reads(transaction, target, candidates.files, about, text)


def _of_matches(prepared: PreparedMerge, source: Source, candidates: Candidates) -> Column | None:
    """Return what rows of the target must satisfy to have a match; None where that is not known."""
    by_keys: list[Column] = []
    if not candidates.by_keys:
        by_keys = _key_conditions(prepared, source, keys_of_sides(prepared, source))
    conditions = [*by_keys, *([] if candidates.condition is None else [candidates.condition])]
    return reduce(and_, conditions) if conditions else None


def _depends_on_changed_rows_alone(merge: ResolvedMerge) -> bool:
    """Say whether rows that others take away make no difference, unless they change here, too.

    A row of the source is inserted for want of a match; so each row with a match has to change.
    """
    if merge.by_source or not merge.matched:
        return False
    # With a last clause for all matches every row with a match changes here. Otherwise another
    # writer may delete a matched row that stays here, and its source row would have to be inserted.
    return not merge.not_matched or merge.matched[-1].condition is None


def _may_match(
    prepared: PreparedMerge, condition: Column | None, files: Sequence[AddFile]
) -> list[AddFile]:
    """Return those of some files, which others may have written, that may have a match."""
    if condition is None:
        return list(files)
    target, listed = prepared.target, files_table(files)
    rows = prepared.rows_of(listed).where(condition)
    found, _ = choose_files(rows, target.table.root, target.before, listed)
    return files_in(found, files)
