"""Iceberg tables for tests, by pyiceberg or by Spark, and what becomes of them without Spark."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.transforms import IdentityTransform

from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.request import ConversionSettings, ConvertRequest
from puredelta.conversion.source_table import ICEBERG, ConvertTarget
from puredelta.log.table_log import open_log
from puredelta.table.protocol.protocol import schema_of

GOLDEN = Path(__file__).parent / "golden" / "iceberg"

PEOPLE = pa.table({"id": pa.array([1, 2], pa.int64()), "name": ["ann", None]})


class IcebergTables:
    """A catalog on SQLite with the tables of one test.

    Args:
        folder: Where they lie; the database of the catalog lies beside it.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.catalog = SqlCatalog(
            "tests", uri=f"sqlite:///{folder.parent}/catalog.db", warehouse=f"file://{folder}"
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


def identity(name):
    """A partition by the values of a column."""
    return name, IdentityTransform(), f"{name}_part"


def convert(path, *, request=None, **around):
    """Convert a table without a session; what holds around it may be said."""
    return ConvertToDeltaCommandBase(
        target=ConvertTarget(provider=ICEBERG, location=str(path), label=f"iceberg.`{path}`"),
        request=request or ConvertRequest(),
        settings=ConversionSettings(**around),
    ).run()


def snapshot(path):
    """The Delta table."""
    return open_log(f"file://{path}").latest()


def schema(path):
    """The columns of the Delta table."""
    return schema_of(snapshot(path).metadata)


def adds(path):
    """The files that the first version adds, in the order of their paths."""
    lines = (path / "_delta_log" / f"{0:020}.json").read_text().splitlines()
    found = [json.loads(line)["add"] for line in lines if '"add"' in line[:8]]
    return sorted(found, key=lambda one: one["path"])


def stats(path):
    """Their statistics."""
    return [json.loads(one["stats"]) for one in adds(path)]


def golden_table(name: str, folder: Path) -> Path:
    """Copy a table that Spark wrote; its metadata goes on naming the folder it was made in."""
    return Path(shutil.copytree(GOLDEN / name, folder / name))


def golden_rows(name: str) -> list[dict]:
    """The rows of such a table as Spark read them with Iceberg, each as its JSON."""
    lines = (GOLDEN / f"{name}.rows.json").read_text().splitlines()
    return [json.loads(line) for line in lines]
