"""Iceberg tables for tests: made by pyiceberg in a catalog of their own, or by Spark, committed."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.expressions import AlwaysTrue

GOLDEN = Path(__file__).parent / "golden" / "iceberg"


class IcebergTables:
    """A catalog on SQLite with the tables of one test.

    Args:
        folder: Where all of it lies.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.catalog = SqlCatalog(
            "tests", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}"
        )
        self.catalog.create_namespace("d")

    def create(self, name, schema, *, partitions=(), properties=None):
        """Create a table; Iceberg gives ids anew, the outermost columns first.

        Args:
            name: What it is called.
            schema: Of Arrow or of pyiceberg.
            partitions: What partitions it: column, transform, name.
            properties: Of the table.
        """
        table = self.catalog.create_table(f"d.{name}", schema, properties=properties or {})
        if partitions:
            with table.update_spec() as change:
                for column, transform, shown in partitions:
                    change.add_field(column, transform, shown)
        return table

    def filled(self, name, rows, **options):
        """Create a table of Arrow rows."""
        table = self.create(name, rows.schema, **options)
        table.append(rows)
        return table

    def path(self, name) -> Path:
        """Where a table lies."""
        return self.folder / "d" / name

    def close(self) -> None:
        """Let go of the database."""
        self.catalog.engine.dispose()


def rows_of(table) -> pa.Table:
    """All rows of a table, as pyiceberg reads them."""
    return table.scan(row_filter=AlwaysTrue()).to_arrow()


def golden_table(name: str, folder: Path) -> Path:
    """Copy a table that Spark wrote; its metadata goes on naming the folder it was made in."""
    return Path(shutil.copytree(GOLDEN / name, folder / name))


def golden_rows(name: str) -> list[dict]:
    """The rows of such a table as Spark read them with Iceberg, each as its JSON."""
    lines = (GOLDEN / f"{name}.rows.json").read_text().splitlines()
    return [json.loads(line) for line in lines]
