"""deltalake (delta-rs) as a writer."""

import sys
from pathlib import Path

from deltalake import CommitProperties, DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError

from tests.endurance.writers.operations import Chooser, Operation
from tests.endurance.writers.plain_engine import arrow_rows
from tests.endurance.writers.writing import RefusedError, Rows, write

# Of two writers of deltalake 1.6.6 alone, an overwrite keeps rows that another one appends
# meanwhile, and OPTIMIZE puts files together that another one has removed: rows are there twice.
SOUND = ("append", "update", "delete", "merge")


class DeltalakeEngine:
    """Writes by the Python package of delta-rs."""

    def __init__(self, path: str, name: str) -> None:
        self.name = name
        self._path = path

    def run(self, operation: Operation) -> int | None:
        """Carry an operation out, one of `SOUND`; see `Engine`."""
        told = CommitProperties(custom_metadata={"userMetadata": operation.token})
        table = DeltaTable(self._path)
        rows = arrow_rows([(id_, 0) for id_ in operation.ids])
        where = f"id % {operation.divisor} = {operation.remainder}"
        try:
            match operation.kind:
                case "append":
                    write_deltalake(table, rows, mode="append", commit_properties=told)
                case "update":
                    table.update({"v": "v + 1"}, predicate=where, commit_properties=told)
                case "delete":
                    table.delete(where, commit_properties=told)
                case _:
                    merge = table.merge(rows, "t.id = s.id", "s", "t", commit_properties=told)
                    merge = merge.when_matched_update({"v": "t.v + 100"})
                    merge.when_not_matched_insert({"id": "s.id", "v": "1"}).execute()
        except CommitFailedError as error:
            raise RefusedError(str(error)) from error
        # The table may be newer than the commit, where another one came after it.
        return None

    def read(self) -> tuple[int, Rows]:
        """Return the newest version, and its rows."""
        table = DeltaTable(self._path)
        rows = table.to_pyarrow_table(columns=["id", "v"])
        return table.version(), list(zip(*rows.to_pydict().values(), strict=True))


def main(path: str, writer: str, notes: str, stop: str, share: str) -> None:
    """Write; see `write`."""
    engine = DeltalakeEngine(path, f"deltalake {writer}")
    write(engine, Chooser(int(writer), SOUND), Path(notes), Path(stop), int(share))


if __name__ == "__main__":
    main(*sys.argv[1:])
