"""Random sequences of INSERT and ALTER TABLE leave the rows that a plain model of the table has."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as some
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from pyspark.errors import PySparkException
from pyspark.sql import Row as SparkRow

from tests.spark.table_model import Column, Model, Rule, path_text, quoted, value_at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAMES = ("a", "b", "c", "two words", "dotted.name", "größe", "x;{}=")
KINDS = ("INT", "BIGINT", "STRING", "STRUCT")
NUMBERS = some.none() | some.integers(-4, 9)
TEXTS = some.none() | some.sampled_from(["", "x", "tea", "zoë", "a b"])
TABLES = itertools.count()


class TableMachine(RuleBasedStateMachine):
    """A table beside its model."""

    spark: SparkSession

    @initialize(mode=some.sampled_from(["name", "id", "upgraded"]), partitioned=some.booleans())
    def create(self, mode: str, partitioned: bool) -> None:
        """Start with three columns, one of them a partition column in half of the runs."""
        self.table = f"t_sequence_{next(TABLES)}"
        self.partition = partitioned
        # A partition column comes last, as Spark has it.
        columns = [Column(0, "id", "INT"), Column(1, "name", "STRING"), Column(2, "p", "INT")]
        self.model = Model(columns)
        mapping = f"'delta.columnMapping.mode' = '{mode}', " if mode != "upgraded" else ""
        self.sql(
            f"CREATE TABLE {self.table} (id INT, name STRING, p INT) USING delta"
            + (" PARTITIONED BY (p)" if partitioned else "")
            + f" TBLPROPERTIES ({mapping}'delta.enableTypeWidening' = 'true')"
        )
        self.seen: list[Any] = [self.model.shown()]
        if mode == "upgraded":
            self.insert_rows([{0: 1, 1: "old", 2: 1}, {0: None, 1: None, 2: None}])
            self.change("SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")

    def teardown(self) -> None:
        """Take the table away."""
        if hasattr(self, "table"):
            self.spark.sql(f"DROP TABLE IF EXISTS {self.table}")

    # ---- what happens to the table

    @rule(data=some.data())
    def insert(self, data: Any) -> None:
        """Insert some rows; one that a rule forbids keeps them all out."""
        self.insert_rows(data.draw(some.lists(self.a_row(), min_size=1, max_size=3)))

    @rule(data=some.data())
    def overwrite(self, data: Any) -> None:
        """Replace all rows by one."""
        row = data.draw(self.a_row())
        statement = f"INSERT OVERWRITE {self.table} VALUES {self.model.values(row)}"
        if not self.model.takes(row):
            self.refused(statement, "DELTA_VIOLATE_CONSTRAINT", "DELTA_NOT_NULL_CONSTRAINT")
            return
        self.model.rows = [row]
        self.committed(statement)

    @precondition(lambda self: len(self.model.columns) < 6)
    @rule(data=some.data(), name=some.sampled_from(NAMES), kind=some.sampled_from(KINDS))
    def add_column(self, data: Any, name: str, kind: str) -> None:
        """Add a column somewhere, or a field to a struct."""
        structs = [c for c in self.model.columns if c.kind == "STRUCT"]
        parent = data.draw(some.sampled_from([None, *structs]))
        kind = "INT" if parent and kind == "STRUCT" else kind
        siblings = parent.fields if parent else self.model.columns
        if self.is_taken(name, siblings):
            return
        place = data.draw(some.integers(0, len(siblings)))
        where = "FIRST" if place == 0 else f"AFTER {quoted(siblings[place - 1].name)}"
        new = self.model.new(name, kind)
        path = (parent, new) if parent else (new,)
        siblings.insert(place, new)
        self.change(f"ADD COLUMN {path_text(path)} {new.type} {where}")

    @rule(data=some.data())
    def drop_column(self, data: Any) -> None:
        """Drop a column or a field; what something depends on stays."""
        path = data.draw(some.sampled_from(self.model.paths()))
        siblings = self.model.siblings(path)
        statement = f"ALTER TABLE {self.table} DROP COLUMN {path_text(path)}"
        if self.partition and path[-1].key == 2:
            self.refused(statement, "DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN")
        elif self.model.rules_on(path):
            self.refused(statement, "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE")
        elif len(siblings) == 1:
            self.refused(statement, "DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA")
        elif not (self.partition and len(path) == 1 and len(siblings) == 2):
            siblings.remove(path[-1])
            self.committed(statement)

    @rule(data=some.data(), name=some.sampled_from(NAMES))
    def rename_column(self, data: Any, name: str) -> None:
        """Rename a column or a field; not what a constraint names."""
        path = data.draw(some.sampled_from(self.model.paths()))
        if self.is_taken(name, self.model.siblings(path)):
            return
        statement = f"ALTER TABLE {self.table} RENAME COLUMN {path_text(path)} TO {quoted(name)}"
        if self.model.rules_on(path):
            self.refused(statement, "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE")
            return
        path[-1].name = name
        self.committed(statement)

    @rule(data=some.data())
    def move_column(self, data: Any) -> None:
        """Move a column or a field among its siblings."""
        path = data.draw(some.sampled_from(self.model.paths()))
        siblings, column = self.model.siblings(path), path[-1]
        others = [c for c in siblings if c is not column]
        place = data.draw(some.integers(0, len(others)))
        where = "FIRST" if place == 0 else f"AFTER {quoted(others[place - 1].name)}"
        siblings[:] = [*others[:place], column, *others[place:]]
        self.change(f"ALTER COLUMN {path_text(path)} {where}")

    @rule(data=some.data())
    def widen_column(self, data: Any) -> None:
        """Make a BIGINT of an INT."""
        numbers = [p for p in self.model.paths() if p[-1].kind == "INT"]
        if not numbers:
            return
        path = data.draw(some.sampled_from(numbers))
        statement = f"ALTER TABLE {self.table} ALTER COLUMN {path_text(path)} TYPE BIGINT"
        if self.model.rules_on(path):
            self.refused(statement, "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE")
            return
        path[-1].kind = "BIGINT"
        self.committed(statement)

    @rule(data=some.data(), least=some.integers(-4, 4))
    def add_constraint(self, data: Any, least: int) -> None:
        """Demand that a number is at least so much; rows that are there decide."""
        numbers = [p for p in self.model.paths() if p[-1].kind in ("INT", "BIGINT")]
        if not numbers or len(self.model.rules) == 2:
            return
        wanted = Rule(f"rule_{next(self.model.keys)}", data.draw(some.sampled_from(numbers)), least)
        statement = f"ALTER TABLE {self.table} ADD CONSTRAINT {wanted.name} CHECK ({wanted.text})"
        if all(wanted.holds(row) for row in self.model.rows):
            self.model.rules.append(wanted)
            self.committed(statement)
        else:
            self.refused(statement, "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION")

    @precondition(lambda self: self.model.rules)
    @rule()
    def drop_constraint(self) -> None:
        """Drop the oldest constraint."""
        self.change(f"DROP CONSTRAINT {self.model.rules.pop(0).name}")

    @rule(data=some.data())
    def set_not_null(self, data: Any) -> None:
        """Demand values of a column; rows that are there decide."""
        column = data.draw(some.sampled_from(self.model.columns))
        statement = f"ALTER TABLE {self.table} ALTER COLUMN {quoted(column.name)} SET NOT NULL"
        if any(row.get(column.key) is None for row in self.model.rows):
            self.refused(statement, "DELTA_")
            return
        column.must_hold = True
        self.committed(statement)

    @precondition(lambda self: any(c.must_hold for c in self.model.columns))
    @rule()
    def drop_not_null(self) -> None:
        """Allow nulls again."""
        column = next(c for c in self.model.columns if c.must_hold)
        column.must_hold = False
        self.change(f"ALTER COLUMN {quoted(column.name)} DROP NOT NULL")

    @rule()
    def map_anew(self) -> None:
        """Take the column mapping away and bring it back; what was dropped stays gone."""
        off = f"ALTER TABLE {self.table} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none')"
        if any(set(" ;{}=") & set(path[-1].name) for path in self.model.paths()):
            self.refused(off, "DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING")
            return
        self.committed(off)
        self.change("SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")

    # ---- what readers see

    @invariant()
    def shows_what_the_model_has(self) -> None:
        """SELECT * gives the columns and the rows of the model, and the catalog its types."""
        if not hasattr(self, "table"):
            return
        frame = self.spark.table(self.table)
        assert read(frame) == self.model.shown()
        assert frame.dtypes == [(c.name, plain_type(c)) for c in self.model.columns]

    @rule(data=some.data())
    def look_up(self, data: Any) -> None:
        """A filter finds the rows of the model, whatever the files call the column."""
        numbers = [p for p in self.model.paths() if p[-1].kind in ("INT", "BIGINT")]
        if not numbers:
            return
        path = data.draw(some.sampled_from(numbers))
        wanted = data.draw(some.integers(-4, 9))
        found = self.spark.table(self.table).where(f"{path_text(path)} = {wanted}").count()
        assert found == sum(value_at(row, path) == wanted for row in self.model.rows)
        values = [v for row in self.model.rows if (v := value_at(row, path)) is not None]
        bounds = self.spark.sql(
            f"SELECT min({path_text(path)}), max({path_text(path)}), count(*) FROM {self.table}"
        ).first()
        least, most = min(values, default=None), max(values, default=None)
        assert bounds is not None
        assert tuple(bounds) == (least, most, len(self.model.rows))

    @rule(data=some.data())
    def travel(self, data: Any) -> None:
        """An old version has its own names and rows."""
        version = data.draw(some.integers(0, len(self.seen) - 1))
        old = self.spark.sql(f"SELECT * FROM {self.table} VERSION AS OF {version}")
        assert read(old) == self.seen[version]

    # ---- how it is done

    def insert_rows(self, rows: list[dict[int, Any]]) -> None:
        values = ", ".join(self.model.values(row) for row in rows)
        statement = f"INSERT INTO {self.table} VALUES {values}"
        if all(self.model.takes(row) for row in rows):
            self.model.rows += rows
            self.committed(statement)
        else:
            self.refused(statement, "DELTA_VIOLATE_CONSTRAINT", "DELTA_NOT_NULL_CONSTRAINT")

    def change(self, what: str) -> None:
        self.committed(f"ALTER TABLE {self.table} {what}")

    def committed(self, statement: str) -> None:
        self.sql(statement)
        self.seen.append(self.model.shown())

    def refused(self, statement: str, *conditions: str) -> None:
        with pytest.raises(PySparkException) as told:
            self.sql(statement)
        condition = told.value.getCondition() or ""
        assert condition.startswith(conditions), f"{statement}: {told.value}"

    def sql(self, statement: str) -> None:
        self.spark.sql(statement).collect()

    def is_taken(self, name: str, siblings: list[Column]) -> bool:
        return name.lower() in {column.name.lower() for column in siblings}

    def a_row(self) -> some.SearchStrategy[dict[int, Any]]:
        return some.fixed_dictionaries({c.key: values_of(c) for c in self.model.columns})


def values_of(column: Column) -> some.SearchStrategy[Any]:
    """Values that a column may be given."""
    if column.kind == "STRUCT":
        return some.none() | some.fixed_dictionaries({f.key: values_of(f) for f in column.fields})
    return TEXTS if column.kind == "STRING" else NUMBERS


def plain_type(column: Column) -> str:
    """The type as `DataFrame.dtypes` tells it."""
    if column.kind != "STRUCT":
        return column.kind.lower()
    return f"struct<{','.join(f'{f.name}:{plain_type(f)}' for f in column.fields)}>"


def read(frame: Any) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Names and rows of a frame, in the form of `Model.shown`."""
    rows = [tuple(tuple(v) if isinstance(v, SparkRow) else v for v in r) for r in frame.collect()]
    return frame.columns, sorted(rows, key=repr)


def test_the_table_is_what_the_model_is(spark: SparkSession) -> None:
    TableMachine.spark = spark
    run_state_machine_as_test(
        TableMachine,
        settings=settings(
            max_examples=7,
            stateful_step_count=14,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
