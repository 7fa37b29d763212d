"""Files whose rows moved to other files, and the records that say so."""

from dataclasses import dataclass

import msgspec

from puredelta.commands.rows.file_writing import new_files
from puredelta.commands.rows.removed_files import moved_files
from puredelta.engine.session.context import Context
from puredelta.engine.write.footers import WrittenFiles
from puredelta.log.actions import Action, AddFile, RemoveFile
from puredelta.log.files import to_remove_file
from puredelta.table.protocol.row_tracking import row_count


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedRows:
    """Files whose rows are in other files now.

    Attributes:
        removed: the files that go.
        written: the files that hold their rows.
        started_ms: when the rows began to move, in milliseconds since 1970.
    """

    removed: tuple[AddFile, ...]
    written: WrittenFiles
    started_ms: int

    def actions(self, context: Context) -> list[Action]:
        """Return the records of the commit; they declare that no data changes."""
        added = map(moved_files, new_files(context, self.written))
        return [*added, *map(self._gone, self.removed)]

    def _gone(self, file: AddFile) -> RemoveFile:
        """Return the record that takes a file away.

        As delta-spark has it, all bear the time before the rows were read, and of the statistics
        only the count of rows: readers of the change feed need it, and bounds nobody asks for.
        """
        count = row_count(file)
        stats = None if count is None else msgspec.json.encode({"numRecords": count}).decode()
        return msgspec.structs.replace(
            moved_files(to_remove_file(file)), deletion_timestamp=self.started_ms, stats=stats
        )
