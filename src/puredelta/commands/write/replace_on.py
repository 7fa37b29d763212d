"""replaceOn and replaceUsing: the rows go for which there is a match among the new ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.rows.layout import spark_schema
from puredelta.commands.rows.removed_files import paths_of
from puredelta.commands.rows.target import RemovedFiles, WriteTarget
from puredelta.commands.write.replaced_rows import replace_rows
from puredelta.engine.bridge.deferred import settled
from puredelta.engine.bridge.failures import unlogged
from puredelta.engine.catalyst.sql_conditions import check_deterministic
from puredelta.engine.scan.pinned_files import frame_of_files
from puredelta.engine.session.sessions import time_zone
from puredelta.engine.session.spark_objects import column_of
from puredelta.engine.session.table_reads import expressions_read
from puredelta.engine.write.footers import WrittenFiles
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.column_path import quote_name
from puredelta.table.partition_keys import PartitionKeys, keys_of, with_keys
from puredelta.txn.transaction import Transaction


@dataclass(frozen=True, slots=True)
class SameValues:
    """Rows that are equal to a new one in some columns; null is equal to nothing.

    Attributes:
        data: the new rows.
        pairs: the columns, by their names in the table and in the data.
    """

    data: DataFrame
    pairs: Sequence[tuple[str, str]]

    def matched(self, rows: DataFrame) -> DataFrame:
        """Return the rows that are equal to a new one."""
        return rows.join(self.data, self._condition(rows), "left_semi")

    def kept(self, rows: DataFrame) -> DataFrame:
        """Return the others."""
        return rows.join(self.data, self._condition(rows), "left_anti")

    def reads(self, rows: DataFrame, root: str) -> bool:  # noqa: ARG002
        """Say whether finding matches takes other rows of the table: never."""
        return False

    def _condition(self, rows: DataFrame) -> Column:
        same = [rows[quote_name(ours)] == self.data[quote_name(new)] for ours, new in self.pairs]
        condition = same[0]
        for one in same[1:]:
            condition &= one
        return condition


@dataclass(frozen=True, slots=True)
class MatchesOn:
    """Rows for which a condition is true together with a new one.

    Attributes:
        data: the new rows.
        condition: SQL over the columns of the table and of the data.
        alias: what the condition calls the table; None for nothing.
    """

    data: DataFrame
    condition: str
    alias: str | None

    def matched(self, rows: DataFrame) -> DataFrame:
        """Return the rows with a match."""
        return self._joined(rows, "left_semi")

    def kept(self, rows: DataFrame) -> DataFrame:
        """Return the others."""
        return self._joined(rows, "left_anti")

    def check(self, rows: DataFrame) -> None:
        """Check that the condition can be asked.

        Raises:
            DeltaAnalysisError: DELTA_INSERT_REPLACE_ON_AMBIGUOUS_COLUMNS_IN_CONDITION,
                DELTA_INSERT_REPLACE_ON_UNRESOLVED_COLUMNS_IN_CONDITION,
                INVALID_NON_DETERMINISTIC_EXPRESSIONS.
        """
        check_deterministic(self._resolved(self._named(rows)), self.condition)

    def reads(self, rows: DataFrame, root: str) -> bool:
        """Say whether a subquery of the condition reads the table in this folder."""
        condition = column_of(self._resolved(self._named(rows)))
        return expressions_read([condition], root)

    def _joined(self, rows: DataFrame, how: str) -> DataFrame:
        named = self._named(rows)
        return named.join(self.data, column_of(self._resolved(named)), how)

    def _named(self, rows: DataFrame) -> DataFrame:
        return rows if self.alias is None else rows.alias(self.alias)

    def _resolved(self, named: DataFrame) -> object:
        """Resolve the condition as a filter over all pairs, whose errors users know."""
        try:
            with unlogged(), settled():
                pairs = named.crossJoin(self.data).where(F.expr(self.condition))
        except AnalysisException as error:
            raise self._translated(error) from error
        return pairs._jdf.queryExecution().analyzed().condition()

    def _translated(self, error: AnalysisException) -> Exception:
        condition = error.getCondition() or ""
        parameters = error.getMessageParameters() or {}
        name = parameters.get("objectName") or parameters.get("name") or self.condition
        if condition == "AMBIGUOUS_REFERENCE":
            return DeltaAnalysisError(
                "DELTA_INSERT_REPLACE_ON_AMBIGUOUS_COLUMNS_IN_CONDITION", columnNames=name
            )
        if condition.startswith("UNRESOLVED_COLUMN"):
            return DeltaAnalysisError(
                "DELTA_INSERT_REPLACE_ON_UNRESOLVED_COLUMNS_IN_CONDITION", columnNames=name
            )
        return error


@dataclass(frozen=True, slots=True)
class RowsMatched:
    """An overwrite of the rows for which there is a match among the new ones.

    Attributes:
        target: the table.
        matching: what a match is.
    """

    target: WriteTarget
    matching: SameValues | MatchesOn

    @property
    def must_hold(self) -> str | None:
        """No condition."""
        return None

    def replaced(self, written: WrittenFiles) -> RemovedFiles:
        """Take the rows with a match away."""
        if not written.files:
            return RemovedFiles()
        return replace_rows(self.target, self._candidates(written), self.matching, written)

    def track(
        self,
        transaction: Transaction,
        written: WrittenFiles,
        replaced: RemovedFiles,  # noqa: ARG002
    ) -> None:
        """Depend on the files that may have matches, or that may come to have some.

        Each row is judged by itself, so others may take other rows of the same files away.
        """
        table = self.target.table.root
        if self.matching.reads(_columns_of(self.target), table):
            transaction.read_whole_table()
            return
        # Whether rows that others add have a match is known of their partitions alone.
        transaction.read_rows_alone(lambda files: files)
        transaction.read_files(paths_of(self._candidates(written)))
        keys = self._partition_keys()
        if keys is None:
            transaction.read_partitions(lambda _: True, "a match with a new row")
            return
        hit = _hit(keys, written)
        transaction.read_partitions(
            lambda values: keys.of_values(values) in hit, "the partitions written"
        )

    def _candidates(self, written: WrittenFiles) -> pa.Table:
        files = self.target.before.files
        keys = self._partition_keys()
        if keys is None:
            return files
        return with_keys(files, keys.of_files(files), sorted(_hit(keys, written)))

    def _partition_keys(self) -> PartitionKeys | None:
        """Tell partitions apart by the columns that must be equal; None where there are none."""
        if not isinstance(self.matching, SameValues):
            return None
        before, data = self.target.before, self.matching.data.schema
        types = {field.name: field.dataType for field in spark_schema(before.metadata)}
        # Values of one type are equal when their texts mean the same; others are cast first.
        same = [pair for pair, new in self.matching.pairs if types[pair] == data[new].dataType]
        columns = [name for name in before.partition_columns if name in same]
        zone = time_zone(self.target.context.session)
        return keys_of(before, zone, columns) if columns else None


def _hit(keys: PartitionKeys, written: WrittenFiles) -> set[str]:
    values = (file.partition_values for file in written.files)
    return {keys.of_values(value) for value in values if not keys.has_null(value)}


def select_matched_rows(target: WriteTarget, data: DataFrame) -> RowsMatched:
    """Plan an overwrite of the rows with a match, as the writer's options say.

    Args:
        target: the table.
        data: the new rows, as the user gave them.

    Raises:
        DeltaAnalysisError: columns or a condition that cannot be.
    """
    options = target.options
    if options.replace_using is not None:
        return RowsMatched(target, SameValues(data, _pairs(target, data)))
    condition = options.replace_on or ""
    matching = MatchesOn(data, condition, options.target_alias or None)
    matching.check(_columns_of(target))
    return RowsMatched(target, matching)


def _columns_of(target: WriteTarget) -> DataFrame:
    """Return the columns of a table, to resolve conditions against."""
    before, table = target.before, target.table
    nothing = before.files.slice(0, 0)
    return frame_of_files(target.context.session, table.root, before, nothing, table.options)


def _pairs(target: WriteTarget, data: DataFrame) -> list[tuple[str, str]]:
    names = target.options.using_columns
    return [
        (_found(name, target.before.schema.names, "table"), _found(name, data.columns, "query"))
        for name in names
    ]


def _found(name: str, known: Sequence[str], where: str) -> str:
    found = next((column for column in known if column.lower() == name.lower()), None)
    if found is None:
        raise DeltaAnalysisError(
            "UNRESOLVED_INSERT_REPLACE_USING_COLUMN",
            colName=name,
            relationType=where,
            suggestion=known,
        )
    return found
