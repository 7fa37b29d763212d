"""The history row of a write: its parameters and what it did, in numbers."""

from dataclasses import dataclass

from puredelta.commands.file_metrics import removal_metrics, row_count, write_metrics
from puredelta.commands.rows.target import RemovedFiles
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.write.footers import WrittenFiles
from puredelta.settings import Settings
from puredelta.table.deletion_vectors.writing import MarkedFiles
from puredelta.txn.commit_info import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteParameters:
    """What a write says of itself.

    Attributes:
        appends: it takes nothing away.
        partition_by: what the writer was given as partitioning.
        predicate: what it was given to replace, in SQL; for an append, what has no effect.
        dynamic: it was asked to replace the partitions that get rows.
        evolves: it may add columns.
        options: the writer's options.
    """

    appends: bool
    partition_by: tuple[str, ...]
    predicate: str | None
    dynamic: bool
    evolves: bool
    options: WriteOptions

    @property
    def selects(self) -> bool:
        """Whether rows are selected, by a condition or by new ones."""
        matches = self.options.matches_data and not self.appends
        return self.predicate is not None or matches


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamBatch:
    """A batch of a streaming query, which history calls STREAMING UPDATE.

    Attributes:
        query: the id of the query, which its checkpoint keeps.
        number: of the batch; a batch that runs again after a crash has the same.
        complete: the batch has all rows of the result, which replace those of the table.
        reads_table: the query reads the table that it writes.
    """

    query: str
    number: int
    complete: bool
    reads_table: bool = False

    def operation(self, written: WrittenFiles, replaced: RemovedFiles) -> Operation:
        """Return what history says of the batch.

        Args:
            written: the new files.
            replaced: what the batch took away.
        """
        parameters = {
            "outputMode": "Complete" if self.complete else "Append",
            "queryId": self.query,
            "epochId": str(self.number),
        }
        metrics = {
            "numAddedFiles": str(len(written.files)),
            "numRemovedFiles": str(len(replaced.removed)),
            "numOutputRows": str(written.rows),
            "numOutputBytes": str(written.bytes),
        }
        return Operation("STREAMING UPDATE", parameters, metrics)


def operation_of(
    parameters: WriteParameters, settings: Settings, written: WrittenFiles, replaced: RemovedFiles
) -> Operation:
    """Return what history says of a write.

    Args:
        parameters: what it was asked for.
        settings: which numbers the session wants.
        written: the new files.
        replaced: what it took away.
    """
    metrics = write_metrics(written, replaced.rewritten)
    counts_rows = settings.replaced_row_metrics and settings.replace_by_data
    if not parameters.appends and (
        settings.removal_metrics or (parameters.selects and counts_rows)
    ):
        metrics |= removal_metrics(replaced.removed)
    if replaced.marked.before:
        metrics = _with_marked(metrics, replaced.marked)
    if parameters.selects and not counts_rows:
        metrics["numOutputRows"] = str(written.rows)
    elif parameters.selects:
        metrics = _with_rows(metrics, replaced, appends=parameters.appends)
    return Operation("WRITE", _parameters(parameters), metrics)


def _parameters(written: WriteParameters) -> dict[str, object]:
    options = written.options
    parameters: dict[str, object] = {
        "mode": "Append" if written.appends else "Overwrite",
        "partitionBy": list(written.partition_by),
    }
    if written.predicate is not None:
        parameters["predicate"] = written.predicate
    if written.dynamic:
        parameters["isDynamicPartitionOverwrite"] = True
    if options.overwrite_schema:
        parameters["canOverwriteSchema"] = True
    if written.evolves:
        parameters["canMergeSchema"] = True
    if options.replace_on is not None:
        parameters["replaceOnCond"] = options.replace_on
    if options.replace_using is not None:
        parameters["replaceUsingCols"] = f"({options.replace_using})"
    return parameters


def _with_marked(metrics: dict[str, str], marked: MarkedFiles) -> dict[str, str]:
    """Count files that lost rows by vectors as delta-spark does, by the records of the commit.

    A file that stays counts as written, and a file that goes has no bytes.
    """
    stay = marked.after
    added = {
        "numFiles": len(stay),
        "numOutputRows": row_count(stay),
        "numOutputBytes": sum(file.size for file in stay),
        "numRemovedFiles": len(marked.emptied),
    }
    known = {key: str(int(metrics[key]) + count) for key, count in added.items() if key in metrics}
    return {**metrics, **known}


def _with_rows(metrics: dict[str, str], replaced: RemovedFiles, *, appends: bool) -> dict[str, str]:
    """Add how many rows went and moved."""
    metrics = {**metrics, "numAddedChangeFiles": str(len(replaced.changes))}
    if metrics["numFiles"] == "0":
        # Rows are counted where they are written; without a file nobody counts.
        del metrics["numOutputRows"]
        return metrics
    # Rows that stay in a file with a vector count as copied, as those of a new file do.
    metrics["numCopiedRows"] = str(replaced.copied + row_count(replaced.marked.after))
    if not appends:
        metrics["numDeletedRows"] = str(replaced.deleted)
    return metrics
