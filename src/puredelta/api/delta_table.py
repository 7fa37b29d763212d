"""DeltaTable and its builders, with the names and signatures that delta-spark's users know."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, overload

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession

from puredelta.api.alter_methods import TableChanges
from puredelta.api.explain_files import FilesExplained, explain_files
from puredelta.api.html import table_html
from puredelta.api.inspection import Inspection
from puredelta.api.keyed_methods import TableVerbs
from puredelta.api.merge_builder import DeltaMergeBuilder
from puredelta.api.merge_methods import TableMerges
from puredelta.api.refusals import TableRefusals
from puredelta.api.replace_where import Replaced, replace_where
from puredelta.api.row_arguments import Rows, rows_from_argument
from puredelta.api.row_methods import TableRows
from puredelta.api.table_builder import IdentityGenerator, TableBuilder
from puredelta.api.table_frame import TableFrame
from puredelta.commands.alter.drop_feature import DropFeature
from puredelta.commands.alter.properties import SetProperties
from puredelta.commands.create.create import CREATE, CREATE_OR_REPLACE, REPLACE
from puredelta.commands.describe import DescribeDetail, DescribeHistory
from puredelta.commands.table_ref import TableRef
from puredelta.engine.exceptions import public, shown
from puredelta.engine.hadoop.table_options import check_options
from puredelta.engine.session.context import context_of
from puredelta.errors.classes import (
    DeltaAnalysisError,
    DeltaError,
)
from puredelta.frontend.catalog.lookup import ResolvedName, find_by_name, find_by_path, parse_name
from puredelta.frontend.catalog.partition_paths import is_table
from puredelta.frontend.convert import convert_to_delta
from puredelta.storage.location import path_text

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from puredelta.conversion.report import Conversion
    from puredelta.log.snapshot import Snapshot

__all__ = ["DeltaMergeBuilder", "DeltaTable", "DeltaTableBuilder", "IdentityGenerator"]


class DeltaTable(TableChanges, TableMerges, TableRows, TableVerbs, TableRefusals):
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

    @classmethod
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
            DeltaAnalysisException: DELTA_MISSING_DELTA_TABLE when there is no table.
            DeltaIllegalArgumentException: DELTA_TABLE_FOR_PATH_UNSUPPORTED_HADOOP_CONF for an
                option of another name.
        """
        try:
            options = check_options(hadoopConf or {})
            found = find_by_path(sparkSession, path_text(path), options)
        except DeltaError as error:
            raise public(error) from error.__cause__
        return cls(sparkSession, _delta_only(found), read_path=found.read_path)

    @classmethod
    def forName(cls, sparkSession: SparkSession, tableOrViewName: str) -> DeltaTable:
        """Return the table of a name, ``delta.`path` `` among them.

        Raises:
            DeltaAnalysisException: DELTA_MISSING_DELTA_TABLE when there is none, for a view or
                another format.
        """
        parts = parse_name(sparkSession, _text(tableOrViewName, "tableOrViewName"))
        try:
            found = find_by_name(sparkSession, parts)
        except AnalysisException as error:
            if error.getCondition() != "TABLE_OR_VIEW_NOT_FOUND":
                raise
            found = ResolvedName(name=tableOrViewName)
        return cls(sparkSession, _delta_only(found), read_path=found.read_path)

    @classmethod
    def isDeltaTable(cls, sparkSession: SparkSession, identifier: str | PathLike[str]) -> bool:
        """Say whether a path is a Delta table or a partition of one; a table's name is not."""
        with shown():
            return is_table(sparkSession, path_text(identifier))

    @overload
    @classmethod
    def convertToDelta(
        cls,
        sparkSession: SparkSession,
        identifier: str,
        partitionSchema: str | StructType | None = None,
        *,
        dryRun: Literal[False] = False,
        onBadFile: str = "fail",
        collectStats: bool = True,
        inferPartitions: bool | None = None,
        deltaPath: str | PathLike[str] | None = None,
    ) -> DeltaTable: ...

    @overload
    @classmethod
    def convertToDelta(
        cls,
        sparkSession: SparkSession,
        identifier: str,
        partitionSchema: str | StructType | None = None,
        *,
        dryRun: Literal[True],
        onBadFile: str = "fail",
        collectStats: bool = True,
        inferPartitions: bool | None = None,
        deltaPath: str | PathLike[str] | None = None,
    ) -> Conversion: ...

    @overload
    @classmethod
    def convertToDelta(
        cls,
        sparkSession: SparkSession,
        identifier: str,
        partitionSchema: str | StructType | None = None,
        *,
        dryRun: bool,
        onBadFile: str = "fail",
        collectStats: bool = True,
        inferPartitions: bool | None = None,
        deltaPath: str | PathLike[str] | None = None,
    ) -> DeltaTable | Conversion: ...

    @classmethod
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
            dryRun: look what would become of it, and write nothing.
            onBadFile: `fail`, or `skip` to leave out files that cannot become part of the table.
            collectStats: make statistics of the files; False is NO STATISTICS.
            inferPartitions: where none are told, infer partition columns from the names of
                folders; by default as `spark.puredelta.convert.inferPartitions` says.
            deltaPath: the folder of the Delta table, where it cannot or must not be that of the
                files: the table then names the files where they are. VACUUM leaves them alone.

        Returns:
            The table; its `conversion` tells which files were left out. A dry run returns that
            report alone.

        Raises:
            DeltaAnalysisException: DELTA_CONVERT_NON_PARQUET_TABLE for another format, and what is
                wrong with columns, partitions or the place.
            DeltaConcurrentModificationException: another conversion was first.
        """
        with shown():
            done = convert_to_delta(
                sparkSession,
                _text(identifier, "identifier"),
                partitionSchema,
                dry_run=dryRun,
                on_bad_file=onBadFile,
                collect_stats=collectStats,
                infer_partitions=inferPartitions,
                delta_path=None if deltaPath is None else path_text(deltaPath),
            )
        if dryRun:
            return done.report
        left_out = done.report if done.report.skipped_count else None
        return cls(sparkSession, done.table, conversion=left_out)

    @property
    def conversion(self) -> Conversion | None:
        """Which files `convertToDelta` left out when it made this table; None if it left out none.

        Only what that call returned has it, since the table itself does not keep it.
        """
        return self._conversion

    @classmethod
    def create(cls, sparkSession: SparkSession | None = None) -> DeltaTableBuilder:
        """Start the definition of a table that must not exist."""
        return DeltaTableBuilder(sparkSession, CREATE)

    @classmethod
    def createIfNotExists(cls, sparkSession: SparkSession | None = None) -> DeltaTableBuilder:
        """Start the definition of a table that stays as it is if it exists."""
        return DeltaTableBuilder(sparkSession, CREATE, if_not_exists=True)

    @classmethod
    def replace(cls, sparkSession: SparkSession | None = None) -> DeltaTableBuilder:
        """Start the definition of a table that must exist and is replaced."""
        return DeltaTableBuilder(sparkSession, REPLACE)

    @classmethod
    def createOrReplace(cls, sparkSession: SparkSession | None = None) -> DeltaTableBuilder:
        """Start the definition of a table, whether it exists or not."""
        return DeltaTableBuilder(sparkSession, CREATE_OR_REPLACE)

    def toDF(self) -> DataFrame:
        """Return the table as a DataFrame; each time it runs, it reads the newest version.

        Its columns can stand in conditions of `delete`, `update` and `merge`.
        """
        frame = self._frames.frame()
        return frame if self._alias is None else frame.alias(self._alias)

    def alias(self, aliasName: str) -> DeltaTable:
        """Return the same table under a name for conditions."""
        name = _text(aliasName, "aliasName")
        return DeltaTable(self._spark, self._table, name, frames=self._frames)

    def history(self, limit: int | None = None) -> DataFrame:
        """Return who made which version, newest first, in the columns of DESCRIBE HISTORY.

        Args:
            limit: how many versions to look at; all by default.
        """
        if limit is not None and type(limit) is not int:
            raise TypeError(f"limit needs to be an int but got '{type(limit)}'.")
        return DescribeHistory(table=self._table, limit=limit).run(context_of(self._spark))

    def detail(self) -> DataFrame:
        """Return what the table is, one row in the columns of DESCRIBE DETAIL."""
        return DescribeDetail(table=self._table).run(context_of(self._spark))

    @property
    def inspect(self) -> Inspection:
        """Files, partitions, statistics, history, checkpoints and protocol, also as Arrow.

        Each is a method, and what it returns has `to_arrow()`, `to_df()` and `to_pandas()`.
        """
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

    def replace_where(self, df: Rows, condition: str | Column) -> Replaced:
        """Replace the rows that match a condition by others, in one version.

        Columns are matched by name.

        Args:
            df: the rows that come in, a DataFrame of PySpark, pandas, polars or Arrow; they must
                match the condition.
            condition: which rows of the table leave it.

        Returns:
            The version that was made, the rows, files and bytes that came, and the files and
            bytes that left.

        Raises:
            DeltaAnalysisException: DELTA_REPLACE_WHERE_MISMATCH for a row of `df` that does not
                match, or a condition that names no columns of the table.
            ConcurrentAppendException: another writer added matching rows in the meantime.
        """
        with shown():
            return replace_where(self._table, rows_from_argument(self._spark, df, "df"), condition)

    def explain_files(self, condition: str | Column | None = None) -> FilesExplained:
        """Tell which files a query with a condition reads now, and what leaves out the others.

        Nothing is read but the log. `print` it, or let a notebook show it.

        Args:
            condition: over the table's columns; by default none, so that all files are read.

        Returns:
            How many files and bytes are read and there are, and what each part of the condition
            skips by partition values or statistics.

        Raises:
            AnalysisException: Spark's, for a condition that it cannot read or resolve.
        """
        with shown():
            return explain_files(self._table, self.toDF(), condition)

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
        versions = {
            "delta.minReaderVersion": _value(int, readerVersion, "The readerVersion"),
            "delta.minWriterVersion": _value(int, writerVersion, "The writerVersion"),
        }
        self._set({key: str(version) for key, version in versions.items()})

    def addFeatureSupport(self, featureName: str) -> None:
        """Add a table feature to the protocol.

        Args:
            featureName: its name, in any case of letters.

        Raises:
            ValueError: the name is no str.
            DeltaTableFeatureException: DELTA_UNSUPPORTED_FEATURES_IN_CONFIG.
        """
        name = _value(str, featureName, "featureName")
        self._set({f"delta.feature.{name}": "supported"})

    def dropFeatureSupport(self, featureName: str, truncateHistory: bool | None = None) -> None:
        """Remove a table feature, and with it what uses it.

        Args:
            featureName: its name, spelled as `detail()` shows it.
            truncateHistory: delete the versions that use it, once they have expired.

        Raises:
            ValueError: an argument of another type.
            DeltaTableFeatureException: the feature cannot be dropped, or not yet.
        """
        feature = _value(str, featureName, "featureName")
        truncates = truncateHistory is not None and _value(bool, truncateHistory, "truncateHistory")
        command = DropFeature(table=self._table, feature=feature, truncates_history=truncates)
        with shown():
            command.run(context_of(self._spark))

    def _set(self, properties: dict[str, str]) -> None:
        with shown():
            SetProperties(table=self._table, properties=properties).run(context_of(self._spark))

    def __repr__(self) -> str:
        return f"DeltaTable({self._table.label})"

    def _repr_html_(self) -> str:
        """Show the table in a notebook: place, version, size, schema, partitioning, features."""
        snapshot: Snapshot = self._table.log().latest()
        return table_html(self._table, snapshot)


class DeltaTableBuilder(TableBuilder):
    """The definition of a table, piece by piece; `execute` makes it."""

    def execute(self) -> DeltaTable:
        """Make the table.

        Raises:
            DeltaAnalysisException: DELTA_CREATE_TABLE_MISSING_TABLE_NAME_OR_LOCATION, and what
                CREATE TABLE raises.
        """
        with shown():
            table = self._definition.run()
        return DeltaTable(self._definition.session, table)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} needs to be a string but got '{type(value)}'.")
    return value


_NAMED = {int: "an integer", str: "a string", bool: "a boolean"}


def _delta_only(found: ResolvedName) -> TableRef:
    if found.table is None:
        raise public(DeltaAnalysisError("DELTA_MISSING_DELTA_TABLE", tableName=found.name))
    return found.table


def _value(kind: type, value: Any, name: str) -> Any:
    """Return an argument as the methods about features check theirs."""
    if type(value) is not kind:
        # A ValueError and these words, as delta-spark has them.
        raise ValueError(f"{name} needs to be {_NAMED[kind]} but got '{type(value)}'.")
    return value
