"""DeltaTable, with the methods and signatures that delta-spark's users know, and some more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter
from pyspark.sql.types import DataType, StructType

from puredelta.api.connect.client import also_on_connect
from puredelta.api.dry_run import DryRun
from puredelta.api.dry_run_types import dry_run_returns
from puredelta.api.explain_change import ChangeExplained
from puredelta.api.explain_files import FilesExplained, explain_files
from puredelta.api.explain_stream import explain_stream_of
from puredelta.api.inspection import Inspection
from puredelta.api.merge_builder import DeltaMergeBuilder, start_merge
from puredelta.api.methods import (
    alter_methods,
    clone_methods,
    maintenance_methods,
    open_methods,
    row_methods,
    stream_methods,
)
from puredelta.api.methods.clone_methods import CloneArguments
from puredelta.api.methods.optimize_builder import DeltaOptimizeBuilder
from puredelta.api.replace_where import Replaced, replace_where
from puredelta.api.row_arguments import Rows, rows_from_argument
from puredelta.api.statement_result import StatementResult
from puredelta.api.table_builder import DeltaTableBuilder
from puredelta.api.table_frame import TableFrame
from puredelta.commands.create.create import CREATE, CREATE_OR_REPLACE, REPLACE
from puredelta.commands.describe import DescribeDetail
from puredelta.commands.expression_arguments import Assignments, Expression
from puredelta.commands.keyed.append_new import Appended, AppendNew
from puredelta.commands.keyed.dedupe import Deduped
from puredelta.commands.keyed.scd2 import Scd2, Scd2Result
from puredelta.commands.keyed.upsert import Upsert, Upserted
from puredelta.commands.optimize.optimize import Optimize
from puredelta.commands.table_ref import TableRef
from puredelta.commands.write.preview import WritePreview
from puredelta.conversion.report import Conversion
from puredelta.engine.exceptions import shown
from puredelta.engine.session.context import context_of
from puredelta.frontend.column_arguments import Columns, RequestedColumn
from puredelta.log.reader import TableReader
from puredelta.maintenance.clone.report import ClonePreview
from puredelta.maintenance.health.report import TableHealth
from puredelta.maintenance.restore_preview import RestorePreview
from puredelta.maintenance.vacuum.preview import VacuumPreview
from puredelta.notebook.table_facts import table_html
from puredelta.streaming.explain import StreamExplained

__all__ = ["DeltaTable"]


class DeltaTable:
    """A Delta table of a session, by name or path.

    Examples:
        >>> table = DeltaTable.forPath(spark, "/tmp/events")  # doctest: +SKIP
        >>> table.history(1).show()  # doctest: +SKIP
    """

    def __init__(
        self,
        spark: SparkSession,
        table: TableRef,
        alias: str | None = None,
        read_path: str | None = None,
        conversion: Conversion | None = None,
        frames: TableFrame | None = None,
    ) -> None:
        """Use `forPath` or `forName`; this takes what they found."""
        self._spark = spark
        self._table = table
        self._alias = alias
        self._frames = frames or TableFrame(spark, table, read_path or table.root)
        self._conversion = conversion

    # ------------------------------------------------------------------------------ finding a table

    @classmethod
    @also_on_connect
    def forPath(
        cls,
        sparkSession: SparkSession,
        path: str | PathLike[str],
        hadoopConf: dict[str, str] | None = None,
    ) -> DeltaTable:
        """Return the table at a path.

        Args:
            sparkSession: where it is read and written.
            path: its folder, or that of one of its partitions, as text or as a `pathlib.Path`.
            hadoopConf: options of the file system for this table, over those of the session; their
                names start with `fs.` or `dfs.`.

        Raises:
            DeltaAnalysisException: DELTA_MISSING_DELTA_TABLE when the path is no table.
            DeltaIllegalArgumentException: DELTA_TABLE_FOR_PATH_UNSUPPORTED_HADOOP_CONF for an
                option of another name.
        """
        table, read_path = open_methods.open_path(sparkSession, path, hadoopConf)
        return cls(sparkSession, table, read_path=read_path)

    @classmethod
    @also_on_connect
    def forName(cls, sparkSession: SparkSession, tableOrViewName: str) -> DeltaTable:
        """Return the table of a name, ``delta.`path` `` among them.

        Raises:
            DeltaAnalysisException: DELTA_MISSING_DELTA_TABLE when no table has the name, for a
                view, or for another format.
        """
        table, read_path = open_methods.open_name(sparkSession, tableOrViewName)
        return cls(sparkSession, table, read_path=read_path)

    @classmethod
    @also_on_connect
    def isDeltaTable(cls, sparkSession: SparkSession, identifier: str | PathLike[str]) -> bool:
        """Say whether a path is a Delta table or a partition of one; a table's name is not."""
        return open_methods.is_delta_table(sparkSession, identifier)

    # ------------------------------------------------------------------------------- making a table

    @classmethod
    @dry_run_returns(Conversion)
    @also_on_connect
    def convertToDelta(
        cls,
        sparkSession: SparkSession,
        identifier: str,
        partitionSchema: str | StructType | None = None,
        *,
        dryRun: bool = False,
        onBadFile: str = "fail",
        collectStats: bool = True,
        inferPartitions: bool | None = None,
        deltaPath: str | PathLike[str] | None = None,
    ) -> DeltaTable | Conversion:
        """Make a Delta table of Parquet files in place; none of them is moved or written anew.

        What is a Delta table already stays as it is, and a line is printed that says so.

        Args:
            sparkSession: where the files are read, and whose catalog is looked at.
            identifier: ``parquet.`path` ``, ``iceberg.`path` `` or the name of a table.
            partitionSchema: the partition columns, as in `CREATE TABLE` or as a schema. The
                catalog knows those of its tables.
            dryRun: write nothing, and return what would become of the files.
            onBadFile: `fail`, or `skip` to leave out files that cannot become part of the table.
            collectStats: make statistics of the files; False is NO STATISTICS.
            inferPartitions: without `partitionSchema`, infer partition columns from the names of
                folders; by default as `spark.puredelta.convert.inferPartitions` says.
            deltaPath: the folder of the Delta table, where it cannot or must not be that of the
                files: the table then names the files where they are. VACUUM leaves them alone.

        Returns:
            The table; its `conversion` has the files that were left out. A dry run returns that
            report alone.

        Raises:
            DeltaAnalysisException: DELTA_CONVERT_NON_PARQUET_TABLE for another format, and what is
                wrong with columns, partitions or the place.
            DeltaConcurrentModificationException: another conversion was first.
        """
        done = open_methods.convert(
            sparkSession,
            identifier,
            partitionSchema,
            dry_run=dryRun,
            on_bad_file=onBadFile,
            collect_stats=collectStats,
            infer_partitions=inferPartitions,
            delta_path=deltaPath,
        )
        if dryRun:
            return done.report
        left_out = done.report if done.report.skipped_count else None
        return cls(sparkSession, done.table, conversion=left_out)

    @property
    def conversion(self) -> Conversion | None:
        """Which files the `convertToDelta` that returned this left out; None for none."""
        return self._conversion

    @classmethod
    @also_on_connect
    def create(cls, sparkSession: SparkSession | None = None) -> DeltaTableBuilder:
        """Start the definition of a table that must not exist."""
        return DeltaTableBuilder(sparkSession, CREATE, DeltaTable)

    @classmethod
    @also_on_connect
    def createIfNotExists(cls, sparkSession: SparkSession | None = None) -> DeltaTableBuilder:
        """Start the definition of a table that stays as it is if it exists."""
        return DeltaTableBuilder(sparkSession, CREATE, DeltaTable, if_not_exists=True)

    @classmethod
    @also_on_connect
    def replace(cls, sparkSession: SparkSession | None = None) -> DeltaTableBuilder:
        """Start the definition of a table that must exist and is replaced."""
        return DeltaTableBuilder(sparkSession, REPLACE, DeltaTable)

    @classmethod
    @also_on_connect
    def createOrReplace(cls, sparkSession: SparkSession | None = None) -> DeltaTableBuilder:
        """Start the definition of a table, whether it exists or not."""
        return DeltaTableBuilder(sparkSession, CREATE_OR_REPLACE, DeltaTable)

    # ------------------------------------------------------------------------------ reading a table

    def toDF(self) -> DataFrame:
        """Return the newest version when it runs; conditions of changes may name its columns."""
        frame = self._frames.frame()
        return frame if self._alias is None else frame.alias(self._alias)

    def alias(self, aliasName: str) -> DeltaTable:
        """Return the same table under a name for conditions."""
        name = open_methods.text_argument(aliasName, "aliasName")
        return DeltaTable(self._spark, self._table, name, frames=self._frames)

    def history(self, limit: int | None = None) -> DataFrame:
        """Return the versions and their commits, newest first, in the columns of DESCRIBE HISTORY.

        Args:
            limit: how many versions to look at; all by default.
        """
        return maintenance_methods.history(self._spark, self._table, limit)

    def detail(self) -> DataFrame:
        """Return what the table is, one row in the columns of DESCRIBE DETAIL."""
        return DescribeDetail(table=self._table).run(context_of(self._spark))

    @property
    def inspect(self) -> Inspection:
        """Files, partitions, history and more, by methods; as Arrow, pandas or a DataFrame."""
        return Inspection(self._spark, self._table)

    def files(self) -> DataFrame:
        """Return the data files, a row each: path, size, partition, rows; see `inspect.files`."""
        return self.inspect.files().to_df()

    def partitions(self) -> DataFrame:
        """Return the partitions, a row each: values, files, bytes; see `inspect.partitions`."""
        return self.inspect.partitions().to_df()

    def stats(self, column: str | None = None) -> DataFrame:
        """Return bounds and null counts, a row a file and column; see `inspect.stats`.

        Args:
            column: the path of one column, whose bounds come in its type; by default all, with
                bounds as text.
        """
        return self.inspect.stats(column).to_df()

    def protocol(self) -> DataFrame:
        """Return the features of the protocol and what they mean; see `inspect.protocol`."""
        return self.inspect.protocol().to_df()

    def explain_files(self, condition: str | Column | None = None) -> FilesExplained:
        """Return which files a query with a condition reads now, by the log; `print` it.

        Args:
            condition: over the table's columns; by default none, so that all files are read.

        Returns:
            How many files and bytes are read, of how many, and what the condition's parts skip.

        Raises:
            AnalysisException: Spark's, for a condition that it cannot read or resolve.
        """
        with shown():
            return explain_files(self._table, self.toDF(), condition)

    def explain_stream(
        self,
        *,
        batches: int = 10,
        checkpointLocation: str | None = None,
        **options: str | bool | int,
    ) -> StreamExplained:
        """Return what a stream over the table would read next, by the log; `print` it.

        Args:
            batches: how many batches are planned.
            checkpointLocation: of a query, which would go on from there; by default a new one.
            options: of the reader, such as `maxFilesPerTrigger` and `skipChangeCommits`.

        Returns:
            The next batches, with versions, files and bytes, and what would stop the stream.

        Raises:
            DeltaError: DELTA_ILLEGAL_OPTION, DELTA_SCHEMA_NOT_SET, or a start that does not exist.

        Example:
            >>> print(table.explain_stream(maxFilesPerTrigger=100))  # doctest: +SKIP
        """
        with shown():
            return explain_stream_of(self._spark, self._table, options, checkpointLocation, batches)

    # ------------------------------------------------------------------- changing rows: a condition

    @dry_run_returns(ChangeExplained)
    def delete(
        self, condition: Expression | None = None, *, dryRun: bool = False, retry: int = 0
    ) -> StatementResult | ChangeExplained:
        """Delete the rows for which a condition is true.

        Args:
            condition: SQL or a Column; None for all rows. Subqueries are allowed.
            dryRun: delete nothing, and return which files would be read and written, and how many
                rows would be deleted.
            retry: how many times it is run again when another writer's commit is in its way.

        Returns:
            `num_affected_rows`, in one row, and as its attribute `commit` what was committed.

        Raises:
            ValueError: `retry` is negative.
            TypeError: a condition that is neither.
            ParseException, AnalysisException: Spark's, for a condition that it cannot read.
            DeltaUnsupportedOperationException: DELTA_CANNOT_MODIFY_APPEND_ONLY.
            DeltaConcurrentModificationException: another writer's commit that this cannot follow.

        Examples:
            >>> table.delete("day < '2024-01-01'")  # doctest: +SKIP
        """
        return row_methods.delete(
            self._spark, self._table, self.toDF, condition, dry_run=dryRun, retry=retry
        )

    @dry_run_returns(ChangeExplained)
    def update(
        self,
        condition: Expression | None = None,
        set: Assignments | None = None,
        *,
        dryRun: bool = False,
        retry: int = 0,
    ) -> StatementResult | ChangeExplained:
        """Give columns other values in the rows for which a condition is true.

        Args:
            condition: SQL or a Column; None for all rows. Subqueries are allowed.
            set: values by the names of the columns, or of fields such as `s.x`: SQL or Columns,
                over the old row.
            dryRun: change nothing, and return which files would be read and written, and how many
                rows would change.
            retry: how many times it is run again when another writer's commit is in its way.

        Returns:
            `num_affected_rows`, in one row, and as its attribute `commit` what was committed.

        Raises:
            ValueError: `set` is None, or `retry` is negative.
            TypeError: an argument of another type.
            ParseException, AnalysisException: Spark's, for what is no SQL, or names no column.
            DeltaAnalysisException: values that columns cannot have.
            DeltaArithmeticException: DELTA_CAST_OVERFLOW_IN_TABLE_WRITE, a value that does not fit.
            DeltaInvariantViolationException: a row that would break a rule of the table.
            DeltaUnsupportedOperationException: DELTA_CANNOT_MODIFY_APPEND_ONLY.
            DeltaConcurrentModificationException: another writer's commit that this cannot follow.

        Examples:
            >>> table.update("id = 7", {"name": "upper(name)"})  # doctest: +SKIP
        """
        return row_methods.update(
            self._spark, self._table, self.toDF, condition, set, dry_run=dryRun, retry=retry
        )

    @dry_run_returns(WritePreview)
    def replace_where(
        self, df: Rows, condition: str | Column, *, dryRun: bool = False
    ) -> Replaced | WritePreview:
        """Replace the rows that match a condition by others, matched by name, in one version.

        Args:
            df: the new rows, of PySpark, pandas, polars or Arrow; they must match the condition.
            condition: which rows of the table are replaced.
            dryRun: commit nothing, and return what would be written and removed. The rows are
                written to files that are removed again, so that each of them is checked.

        Returns:
            The version that was made, and the rows, files and bytes written and removed.

        Raises:
            DeltaAnalysisException: DELTA_REPLACE_WHERE_MISMATCH for a row of `df` that does not
                match, or a condition that names no columns of the table.
            ConcurrentAppendException: another writer added matching rows in the meantime.

        Examples:
            >>> table.replace_where(corrected, "month = 2")  # doctest: +SKIP
        """
        with shown():
            rows = rows_from_argument(self._spark, df, "df")
            return replace_where(self._table, rows, condition, dry_run=dryRun)

    def merge(self, source: Rows, condition: Expression) -> DeltaMergeBuilder:
        """Start a MERGE of rows into this table.

        Names that both have need an alias in front: `table.alias("t").merge(df.alias("s"), ...)`.

        Args:
            source: the rows: a DataFrame of PySpark, or one of pandas, polars or Arrow.
            condition: which row of the source belongs to which row of the table, SQL or a Column.

        Returns:
            A builder that takes the clauses; its `execute` merges.

        Raises:
            ValueError: `source` or `condition` is None.
            TypeError: an argument of another type.
            ParseException: Spark's, for a text that is no SQL expression.
        """
        known = self._frames.known
        return start_merge(
            self._spark, self._table, source, condition, alias=self._alias, frame=known
        )

    # ------------------------------------------------------------------------- changing rows: a key

    @dry_run_returns(ChangeExplained)
    def append_new(
        self, df: Rows, key: str | Sequence[str], *, dryRun: bool = False, retry: int = 0
    ) -> Appended | ChangeExplained:
        """Append the rows whose key the table does not have yet.

        Columns are matched by name; null keys are equal. Rows of `df` that have the same new key
        are all appended; `df.dropDuplicates([...])` leaves one of them.

        Args:
            df: the rows, a DataFrame of PySpark, pandas, polars or Arrow.
            key: the column that identifies a row, or several.
            dryRun: write nothing, and return how many rows are new.
            retry: how many times it is run again when another writer's commit is in its way.

        Returns:
            The version that was made, if any row is new, and the rows, files and bytes appended.

        Raises:
            ValueError: no column is named as the key, or `retry` is negative.
            ConcurrentAppendException: another writer added rows, which may have the same keys.
            DeltaAnalysisException: columns or types that don't fit.

        Examples:
            >>> table.append_new(batch, key="id").rows  # doctest: +SKIP
        """
        rows = rows_from_argument(self._spark, df, "df")
        command = AppendNew(table=self._table, frame=rows, key=key)
        return row_methods.run_or_explain(self._spark, command, dry_run=dryRun, retry=retry)

    @dry_run_returns(ChangeExplained)
    def upsert(
        self,
        df: Rows,
        key: str | Sequence[str],
        *,
        orderBy: Expression | None = None,
        evolve: bool = False,
        skipUnchanged: bool = False,
        dryRun: bool = False,
        retry: int = 0,
    ) -> Upserted | ChangeExplained:
        """Update the rows whose key the table has, and insert the others, in one version.

        Columns are matched by name. Those that `df` lacks keep their values in updated rows, and
        get their default in new ones. Keys that are null, or have null parts, are equal.

        Args:
            df: the rows, a DataFrame of PySpark, pandas, polars or Arrow.
            key: the column that identifies a row, or several.
            orderBy: which of several rows of `df` with one key counts: the one in which this is
                greatest, SQL or a Column. Without it such rows are refused.
            evolve: let the table grow by columns that it lacks.
            skipUnchanged: leave rows alone that have all the values already, and files in which
                only such rows are.
            dryRun: write nothing, and return which rows and files would change.
            retry: how many times it is run again when another writer's commit is in its way.

        Returns:
            The version that was made, and how many rows were inserted and updated.

        Raises:
            ValueError: no column is named as the key, or `retry` is negative.
            DeltaRuntimeException: PUREDELTA_DUPLICATE_KEYS, several rows of `df` have one key.
            DeltaAnalysisException: columns or types that don't fit.
            DeltaInvariantViolationException: a row that a rule of the table refuses.
            DeltaConcurrentModificationException: another writer's commit is in the way.

        Examples:
            >>> table.upsert(changes, key="id", orderBy="time").inserted  # doctest: +SKIP
        """
        command = Upsert(
            table=self._table,
            frame=rows_from_argument(self._spark, df, "df"),
            key=key,
            order_by=orderBy,
            evolve=evolve,
            skip_unchanged=skipUnchanged,
        )
        return row_methods.run_or_explain(self._spark, command, dry_run=dryRun, retry=retry)

    def upsert_stream(
        self, df: DataFrame, key: str | Sequence[str], *, sequence_by: str | None = None
    ) -> DataStreamWriter:
        """Merge the rows of a stream by their key, each batch once, whatever crashes.

        Args:
            df: a stream, or an aggregation of one in output mode update.
            key: the column that identifies a row, or several; nulls are equal.
            sequence_by: the column, of stream and table, in which the newest row of a key is
                greatest: rows that come late change nothing. Without it later batches win.

        Returns:
            The writer: give it a checkpointLocation, and `start()` it.

        Raises:
            ValueError: no column is named as the key.
            DeltaAnalysisException: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA for a column that `df` lacks.

        Examples:
            >>> writer = table.upsert_stream(arrivals, key="id", sequence_by="at")  # doctest: +SKIP
        """
        return stream_methods.upsert_stream(self._table, df, key, sequence_by)

    @dry_run_returns(ChangeExplained)
    def scd2(  # noqa: PLR0913  # each column may have another name
        self,
        df: Rows,
        key: str | Sequence[str],
        *,
        at: Expression | None = None,
        validFrom: str = "valid_from",
        validTo: str = "valid_to",
        current: str = "is_current",
        endMissing: bool = False,
        dryRun: bool = False,
        retry: int = 0,
    ) -> Scd2Result | ChangeExplained:
        """Bring the current rows up to date and keep the earlier ones, in one version.

        A slowly changing dimension of type 2: the table has, besides the columns of `df`, one for
        when a row began to be valid, one for when it ended and one for whether it is still valid.
        A row of `df` that differs from the current row of its key ends that one and follows it; a
        row of a new key begins; a row that has all the values already changes nothing.

        Args:
            df: the rows as they are now, one a key: of PySpark, pandas, polars or Arrow.
            key: the column that says what a row is about, or several; nulls are equal.
            at: since when the rows are valid, SQL or a Column over `df`. By default its column
                `validFrom` if it has one, else now.
            validFrom: the table's column for when a row began to be valid.
            validTo: the column for when it ended; null in current rows.
            current: the column for whether it is still valid, a BOOLEAN.
            endMissing: end the current rows of keys that `df` does not have: as of `at` if it
                names no column, so that it is one time for all, else as of now.
            dryRun: write nothing, and return which rows and files would change.
            retry: how many times it is run again when another writer's commit is in its way.

        Returns:
            The version that was made, and how many keys were new, updated, ended and unchanged.

        Raises:
            ValueError: no column is named as the key, or `retry` is negative.
            DeltaRuntimeException: PUREDELTA_DUPLICATE_KEYS, several rows of `df`, or current ones,
                have one key; PUREDELTA_LATE_ROWS, a row would begin before the one it follows.
            DeltaAnalysisException: columns or types that don't fit.
            DeltaConcurrentModificationException: another writer's commit is in the way.

        Examples:
            >>> prices.scd2(today, key="item", at="current_date()").updated  # doctest: +SKIP
        """
        command = Scd2(
            table=self._table,
            frame=rows_from_argument(self._spark, df, "df"),
            key=key,
            at=at,
            valid_from=validFrom,
            valid_to=validTo,
            current=current,
            end_missing=endMissing,
        )
        return row_methods.run_or_explain(self._spark, command, dry_run=dryRun, retry=retry)

    @dry_run_returns(ChangeExplained)
    def dedupe(
        self,
        key: str | Sequence[str] | None = None,
        *,
        orderBy: Expression | None = None,
        dryRun: bool = False,
        retry: int = 0,
    ) -> Deduped | ChangeExplained:
        """Delete all rows but one of each key.

        Args:
            key: the column in which rows are equal, or several; nulls are equal. By default all
                columns, so that one row stays of those that are equal in all.
            orderBy: the row stays in which this is greatest, SQL or a Column; any by default.
            dryRun: delete nothing, and return which rows and files would change.
            retry: how many times it is run again when another writer's commit is in its way.

        Returns:
            The version that was made, how many rows were deleted, and what became of files.

        Raises:
            ValueError: an empty list as the key, or `retry` is negative.
            AnalysisException: Spark's, for a column that is missing or cannot be compared.
            DeltaUnsupportedOperationException: DELTA_CANNOT_MODIFY_APPEND_ONLY.
            DeltaConcurrentModificationException: another writer's commit is in the way.

        Examples:
            >>> table.dedupe("id", orderBy="time").deleted  # doctest: +SKIP
        """
        return row_methods.dedupe(
            self._spark, self._table, key, orderBy, dry_run=dryRun, retry=retry
        )

    # ----------------------------------- changing constraints, columns, properties and features

    def constraints(self) -> DataFrame:
        """Return the CHECK constraints: name, expression, and whether old rows are validated."""
        return alter_methods.constraint_rows(self._spark, self._table)

    def addConstraint(
        self, name: str, expr: str, notValid: bool = False, dryRun: bool = False
    ) -> DryRun | None:
        """Add a CHECK constraint, which each row must meet from now on.

        Args:
            name: its name, in any case of letters.
            expr: the condition, in SQL over the table's columns; null does not meet it.
            notValid: leave out the rows of the table; `validateConstraint` checks them later.
            dryRun: change nothing and read no rows, and return what would be done.

        Raises:
            DeltaAnalysisException: DELTA_NEW_CHECK_CONSTRAINT_VIOLATION when rows do not meet it,
                DELTA_CONSTRAINT_ALREADY_EXISTS, DELTA_INVALID_CONSTRAINT_NAME,
                DELTA_NON_BOOLEAN_CHECK_CONSTRAINT, and others for a condition that cannot be one.

        Examples:
            >>> table.addConstraint("positive", "amount > 0")  # doctest: +SKIP
        """
        return alter_methods.add_constraint(
            self._spark, self._table, name, expr, not_valid=notValid, dry_run=dryRun
        )

    def dropConstraint(
        self, name: str, ifExists: bool = False, dryRun: bool = False
    ) -> DryRun | None:
        """Drop a CHECK constraint.

        Args:
            name: its name, in any case of letters.
            ifExists: pass over a constraint that does not exist.
            dryRun: change nothing, and return what would be done.

        Raises:
            DeltaAnalysisException: DELTA_CONSTRAINT_DOES_NOT_EXIST.
        """
        return alter_methods.drop_constraint(
            self._spark, self._table, name, if_exists=ifExists, dry_run=dryRun
        )

    def validateConstraint(self, name: str, dryRun: bool = False) -> DryRun | None:
        """Check the rows that are older than a constraint that was added as not valid.

        Args:
            name: its name, in any case of letters.
            dryRun: change nothing and read no rows, and return what would be done.

        Raises:
            DeltaAnalysisException: DELTA_CONSTRAINT_DOES_NOT_EXIST,
                DELTA_NEW_CHECK_CONSTRAINT_VIOLATION when rows do not meet it.
        """
        return alter_methods.validate_constraint(self._spark, self._table, name, dry_run=dryRun)

    def addColumns(self, columns: Columns, dryRun: bool = False) -> DryRun | None:
        """Add columns at the end; rows of the table have null in them.

        Args:
            columns: DDL text such as `n INT COMMENT 'x', s STRUCT<a: INT>`, a PySpark schema, or a
                list of its fields.
            dryRun: change nothing, and return what would be done.

        Raises:
            DeltaAnalysisException: DELTA_DUPLICATE_COLUMNS_FOUND.ADDING_COLUMNS, and others for
                columns that a table cannot have.
            ParseException: a text that is no DDL.

        Examples:
            >>> print(table.addColumns("note STRING", dryRun=True))  # doctest: +SKIP
        """
        return alter_methods.add_columns(self._spark, self._table, columns, dry_run=dryRun)

    def dropColumns(
        self, *names: str, ifExists: bool = False, dryRun: bool = False
    ) -> DryRun | None:
        """Drop columns, or fields of structs; data files stay as they are.

        Args:
            names: their paths, `a` or `s.x`, with back quotes where a name needs them.
            ifExists: pass over columns that do not exist.
            dryRun: change nothing, and return what would be done.

        Raises:
            DeltaAnalysisException: DELTA_UNSUPPORTED_DROP_COLUMN without column mapping,
                DELTA_COLUMN_NOT_FOUND_IN_SCHEMA, and what names what depends on a column.
        """
        return alter_methods.drop_columns(
            self._spark, self._table, names, if_exists=ifExists, dry_run=dryRun
        )

    def renameColumn(self, name: str, newName: str, dryRun: bool = False) -> DryRun | None:
        """Rename a column, or a field of a struct; data files stay as they are.

        Args:
            name: its path, `a` or `s.x`, with back quotes where a name needs them.
            newName: its new name alone, without quotes.
            dryRun: change nothing, and return what would be done.

        Raises:
            DeltaAnalysisException: DELTA_UNSUPPORTED_RENAME_COLUMN without column mapping,
                DELTA_COLUMN_NOT_FOUND_IN_SCHEMA, DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE and
                DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE.
        """
        return alter_methods.rename_column(self._spark, self._table, name, newName, dry_run=dryRun)

    def alterColumn(
        self,
        name: str,
        type: str | DataType | None = None,
        comment: str | None = None,
        nullable: bool | None = None,
        position: str | None = None,
        default: str | None = None,
        dryRun: bool = False,
    ) -> DryRun | None:
        """Change a column, or what is inside one, in one version; what is None stays as it is.

        Args:
            name: its path, `a`, `s.x` or `l.element`, with back quotes where a name needs them.
            type: a wider type, as DDL text or PySpark's; needs `delta.enableTypeWidening`.
            comment: what it is about; an empty text takes the comment away.
            nullable: False for NOT NULL, which must hold already; a dry run looks, too.
            position: `FIRST`, or `AFTER` another column.
            default: what new rows get that leave it out, in SQL; an empty text for nothing.
            dryRun: change nothing, and return what would be done.

        Raises:
            DeltaAnalysisException: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA,
                DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP for another type,
                DELTA_NEW_NOT_NULL_CONSTRAINT_VIOLATION, and what depends on the column.

        Examples:
            >>> table.alterColumn("n", type="BIGINT", comment="how many")  # doctest: +SKIP
        """
        wanted = RequestedColumn(
            kind=type, comment=comment, nullable=nullable, position=position, default=default
        )
        return alter_methods.alter_column(self._spark, self._table, name, wanted, dry_run=dryRun)

    def replaceColumns(self, columns: Columns, dryRun: bool = False) -> DryRun | None:
        """Give the table another list of columns; those that keep their names are kept.

        Args:
            columns: DDL text, a PySpark schema, or a list of its fields.
            dryRun: change nothing, and return what would be done.

        Raises:
            DeltaAnalysisException: DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP for columns that
                files cannot follow, and what names what depends on a column.
        """
        return alter_methods.replace_columns(self._spark, self._table, columns, dry_run=dryRun)

    def setProperties(self, properties: Mapping[str, str], dryRun: bool = False) -> DryRun | None:
        """Set table properties; the key `comment` sets the table's description.

        Args:
            properties: values by key.
            dryRun: change nothing, and return what would be done.

        Raises:
            DeltaAnalysisException: DELTA_UNKNOWN_CONFIGURATION and others, as SET TBLPROPERTIES.
        """
        return alter_methods.set_properties(self._spark, self._table, properties, dry_run=dryRun)

    def unsetProperties(self, *keys: str, dryRun: bool = False) -> DryRun | None:
        """Remove table properties; keys that are not set are passed over.

        Args:
            keys: the properties.
            dryRun: change nothing, and return what would be done.
        """
        return alter_methods.unset_properties(self._spark, self._table, keys, dry_run=dryRun)

    def upgradeTableProtocol(self, readerVersion: int, writerVersion: int) -> None:
        """Raise the protocol to at least these versions; it is never lowered.

        Args:
            readerVersion: 1, 2 or 3.
            writerVersion: 1 to 7.

        Raises:
            ValueError: an argument is no int.
            DeltaIllegalArgumentException: a version that does not exist.
            DeltaTableFeatureException: DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE.
        """
        alter_methods.upgrade_protocol(self._spark, self._table, readerVersion, writerVersion)

    def addFeatureSupport(self, featureName: str) -> None:
        """Add a table feature to the protocol.

        Args:
            featureName: its name, in any case of letters.

        Raises:
            ValueError: the name is no str.
            DeltaTableFeatureException: DELTA_UNSUPPORTED_FEATURES_IN_CONFIG.
        """
        alter_methods.add_feature(self._spark, self._table, featureName)

    def dropFeatureSupport(self, featureName: str, truncateHistory: bool | None = None) -> None:
        """Remove a table feature, and with it what uses it.

        Args:
            featureName: its name, spelled as `detail()` shows it.
            truncateHistory: delete the versions that use it, once they have expired.

        Raises:
            ValueError: an argument of another type.
            DeltaTableFeatureException: the feature cannot be dropped, or not yet.
        """
        alter_methods.drop_feature(self._spark, self._table, featureName, truncateHistory)

    # ---------------------------------------------------------------------------- cloning, upkeep

    @dry_run_returns(ClonePreview)
    def clone(
        self,
        target: str,
        isShallow: bool = False,
        replace: bool = False,
        properties: dict[str, str] | None = None,
        *,
        dryRun: bool = False,
    ) -> DeltaTable | ClonePreview:
        """Make a table that names the files of this one and copies none; what it writes is its own.

        Args:
            target: the name or the absolute path of the new table.
            isShallow: must be True: other clones do not exist.
            replace: a table without rows may be at the target, and is replaced.
            properties: table properties of the clone, besides those of this table.
            dryRun: write nothing, and return what the clone would be.

        Raises:
            ValueError: an argument of another type.
            DeltaIllegalArgumentException: DELTA_UNSUPPORTED_DEEP_CLONE.
            DeltaAnalysisException: DELTA_TABLE_ALREADY_EXISTS,
                DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION, or a property that is not right.
            DeltaIllegalStateException: DELTA_UNSUPPORTED_NON_EMPTY_CLONE.

        Examples:
            >>> test = table.clone("events_test", isShallow=True)  # doctest: +SKIP
        """
        return self._clone(CloneArguments(target, isShallow, replace, properties), dryRun)

    @dry_run_returns(ClonePreview)
    def cloneAtVersion(
        self,
        version: int,
        target: str,
        isShallow: bool = False,
        replace: bool = False,
        properties: dict[str, str] | None = None,
        *,
        dryRun: bool = False,
    ) -> DeltaTable | ClonePreview:
        """Clone a version of this table; see `clone`."""
        given = CloneArguments(target, isShallow, replace, properties)
        return self._clone(given.at_version(version), dryRun)

    @dry_run_returns(ClonePreview)
    def cloneAtTimestamp(
        self,
        timestamp: str,
        target: str,
        isShallow: bool = False,
        replace: bool = False,
        properties: dict[str, str] | None = None,
        *,
        dryRun: bool = False,
    ) -> DeltaTable | ClonePreview:
        """Clone this table as it was at a time; see `clone`."""
        given = CloneArguments(target, isShallow, replace, properties)
        return self._clone(given.at_timestamp(timestamp), dryRun)

    def _clone(self, given: CloneArguments, dry_run: bool) -> DeltaTable | ClonePreview:
        if dry_run:
            return clone_methods.preview(self._spark, self._table, given)
        return DeltaTable(self._spark, clone_methods.clone(self._spark, self._table, given))

    def optimize(self) -> DeltaOptimizeBuilder:
        """Begin to put small files together, or rows in order.

        Examples:
            >>> table.optimize().where("day = '2024-01-01'").executeCompaction()  # doctest: +SKIP
        """
        return DeltaOptimizeBuilder(self._spark, Optimize(table=self._table))

    @dry_run_returns(RestorePreview)
    def restoreToVersion(self, version: int, *, dryRun: bool = False) -> DataFrame | RestorePreview:
        """Make an older version the newest one; no data file is written or copied.

        Args:
            version: the version to go back to.
            dryRun: change nothing, and return what would be done.

        Returns:
            One row with the sizes and numbers of files; no row where the table is at the version.

        Raises:
            ValueError: the version is no int.
            DeltaAnalysisException: DELTA_CANNOT_RESTORE_TABLE_VERSION.
            DeltaIllegalArgumentException: PUREDELTA_RESTORE_FILES_MISSING.

        Examples:
            >>> print(table.restoreToVersion(3, dryRun=True))  # doctest: +SKIP
        """
        return maintenance_methods.restore_to_version(
            self._spark, self._table, version, dry_run=dryRun
        )

    @dry_run_returns(RestorePreview)
    def restoreToTimestamp(
        self, timestamp: str, *, dryRun: bool = False
    ) -> DataFrame | RestorePreview:
        """Make the version that was the latest at a time the newest one; see `restoreToVersion`.

        Args:
            timestamp: the time, such as `2024-05-01 12:00:00`, in the zone of the session.
            dryRun: change nothing, and return what would be done.

        Raises:
            ValueError: the timestamp is no str.
            DeltaAnalysisException: DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER,
                DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER, DELTA_TIMESTAMP_INVALID.
        """
        return maintenance_methods.restore_to_timestamp(
            self._spark, self._table, timestamp, dry_run=dryRun
        )

    def generate(self, mode: str) -> None:
        """Write manifests, by which engines that do not know Delta tables find the data files.

        Args:
            mode: `symlink_format_manifest`.

        Raises:
            ValueError: the mode is no str.
            DeltaIllegalArgumentException: DELTA_MODE_NOT_SUPPORTED.
            DeltaUnsupportedOperationException: a table with deletion vectors or column mapping.
        """
        maintenance_methods.generate(self._spark, self._table, mode)

    def health(self) -> TableHealth:
        """Report what makes the table slow or large, each with the statement that mends it.

        Examples:
            >>> print(table.health())  # doctest: +SKIP
        """
        return maintenance_methods.health(self._table)

    @dry_run_returns(VacuumPreview)
    def vacuum(
        self, retentionHours: float | None = None, *, dryRun: bool = False
    ) -> DataFrame | VacuumPreview:
        """Delete the files that no version within the retention needs; print how many.

        Args:
            retentionHours: for how long files stay that are in no newer version; by default the
                table's `delta.deletedFileRetentionDuration`, which is a week unless set.
            dryRun: delete nothing, and return the files, and which versions would be lost.

        Returns:
            A DataFrame without columns and rows, as delta-spark has it.

        Raises:
            DeltaIllegalArgumentException: DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE, or
                DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT for less than the table's retention.
            TypeError: retentionHours is not a number.

        Examples:
            >>> print(table.vacuum(dryRun=True))  # doctest: +SKIP
        """
        return maintenance_methods.vacuum(self._spark, self._table, retentionHours, dry_run=dryRun)

    # ------------------------------------------------------------------------------ showing a table

    def __repr__(self) -> str:
        return f"DeltaTable({self._table.label})"

    def _repr_html_(self) -> str:
        """Show the table in a notebook: place, version, size, schema, partitioning, features."""
        log = self._table.log()
        return table_html(self._table.label, TableReader(log, log.latest()))
