"""Rows that an overwrite replaces: marked by deletion vectors where the table has them."""

import pyarrow as pa

from puredelta.commands.dml.dml_target import DmlTarget
from puredelta.commands.dml.row_removal import mark_rows
from puredelta.commands.rows.file_rewriting import Matching, without_matches
from puredelta.commands.rows.target import RemovedFiles, WriteTarget
from puredelta.engine.dml.affected_rows import find_affected_rows, with_row_positions
from puredelta.engine.write.footers import WrittenFiles


def replace_rows(
    target: WriteTarget, candidates: pa.Table, matching: Matching, new: WrittenFiles
) -> RemovedFiles:
    """Take rows out of files, as a DELETE of them would.

    Readers of the change feed learn from the vectors which rows went. Protocol: Add CDC File.

    Args:
        target: the table.
        candidates: the files that may have such rows, rows of `target.before.files`.
        matching: which rows go.
        new: the files that come by the same commit.
    """
    subject = DmlTarget(target)
    if not (subject.has_vectors and target.context.settings.delete_vectors):
        return without_matches(target, candidates, matching, new)
    if not candidates.num_rows:
        return RemovedFiles()
    rows = matching.matched(with_row_positions(subject.scan(candidates)))
    marked = mark_rows(subject, find_affected_rows(rows, candidates, target.table.root))
    return RemovedFiles(marked=marked, deleted=marked.rows)
