"""The assertion that two tables are equal, and the message that shows how they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from puredelta.testing.row_matching import FrozenRow, Tolerance, freeze_rows, unmatched
from puredelta.testing.table_rows import TableLike, read_rows, type_name

# Pairs of rows that are looked at to find out which rows changed; more take too long.
_MOST_PAIRS = 20_000
_ROWS_SHOWN = 20


def assert_table_equal(
    actual: TableLike,
    expected: TableLike,
    *,
    columns: Sequence[str] | None = None,
    check_types: bool = True,
    check_column_order: bool = False,
    check_row_order: bool = False,
    rtol: float = 1e-5,
    atol: float = 1e-8,
) -> None:
    """Fail unless two tables have the same columns and the same rows, in any order.

    A null equals a null, and NaN equals NaN. Rows that occur several times count as often. The
    order of rows and of columns, and whether a column can be null, do not matter.

    >>> assert_table_equal([{"id": 1, "v": 0.1 + 0.2}], [{"v": 0.3, "id": 1}])
    >>> assert_table_equal([{"id": 1, "v": "a"}], [{"id": 1, "v": None}])
    Traceback (most recent call last):
    AssertionError: The tables differ: 1 row found, 1 expected.
    Rows:
      changed  id=1; v: expected null, found 'a'

    Args:
        actual: the table under test: a `DeltaTable`, the path of a table (a text is a path, not a
            name), what `puredelta.open_table` returns, a DataFrame of Spark, pandas, polars or
            Arrow, or rows of Python.
        expected: as `actual`. Rows of Python, as dictionaries or tuples, take the types of
            `actual`; what a dictionary lacks is null, and a time without a zone is in UTC.
        columns: the only columns that are compared; by default all.
        check_types: whether columns need to have the same types. Without it numbers are equal
            whatever their types are.
        check_column_order: whether the columns need to be in the same order.
        check_row_order: whether the rows need to be in the same order.
        rtol: how far two floats may be apart, as a share of the expected one.
        atol: how far two floats may be apart besides.

    Raises:
        AssertionError: The tables differ; the message shows the columns and rows that differ, of
            rows the first 20.
    """
    __tracebackhide__ = True
    found = read_rows(actual)
    wanted = read_rows(expected, found.schema)
    if columns is not None:
        found, wanted = _select(found, columns, "actual"), _select(wanted, columns, "expected")
    message = describe_difference(
        found,
        wanted,
        EqualityRules(check_types, check_column_order, check_row_order, Tolerance(rtol, atol)),
    )
    if message:
        raise AssertionError(message)


@dataclass(frozen=True, slots=True)
class EqualityRules:
    """What has to be equal.

    Attributes:
        types: do types of columns have to be?
        column_order: does the order of columns have to be?
        row_order: does the order of rows have to be?
        tolerance: how close floats have to be.
    """

    types: bool
    column_order: bool
    row_order: bool
    tolerance: Tolerance


def describe_difference(found: pa.Table, expected: pa.Table, rules: EqualityRules) -> str:
    """Return how two tables differ, in lines; empty when they do not.

    Args:
        found: the table under test, in types of Delta.
        expected: what it should be.
        rules: what has to be equal.
    """
    head = f"The tables differ: {_count(found.num_rows)} found, {expected.num_rows:,} expected."
    wrong_columns = [*_columns_that_differ(found.schema, expected.schema, rules)]
    # Rows are compared where both have the same columns, in the order of the expected table.
    rows: list[str] = []
    if set(found.column_names) == set(expected.column_names):
        aligned = found.select(expected.column_names)
        if not rules.types:
            aligned, expected = _as_numbers(aligned, expected)
        rows = _rows_that_differ(aligned, expected, rules)
    if not wrong_columns and not rows:
        return ""
    lines = [head]
    if wrong_columns:
        lines += ["Columns:", *wrong_columns]
    if rows:
        lines += ["Rows:", *rows[:_ROWS_SHOWN]]
        if len(rows) > _ROWS_SHOWN:
            lines.append(f"  ... and {len(rows) - _ROWS_SHOWN:,} more that differ")
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------ columns


def _select(table: pa.Table, columns: Sequence[str], name: str) -> pa.Table:
    lacking = [column for column in columns if column not in table.column_names]
    if lacking:
        there = ", ".join(table.column_names)
        raise AssertionError(f"No column {', '.join(lacking)} in the {name} table; it has {there}")
    return table.select(list(columns))


def _columns_that_differ(
    found: pa.Schema, expected: pa.Schema, rules: EqualityRules
) -> Iterator[str]:
    for field in expected:
        wanted = type_name(field.type)
        kind = found.field(field.name).type if field.name in found.names else None
        if kind is None:
            yield f"  {field.name}: expected {wanted}, not found"
        elif rules.types and kind != field.type:
            yield f"  {field.name}: expected {wanted}, found {type_name(kind)}"
    for field in found:
        if field.name not in expected.names:
            yield f"  {field.name}: not expected, found {type_name(field.type)}"
    if rules.column_order and found.names != expected.names:
        yield f"  order: expected {', '.join(expected.names)}, found {', '.join(found.names)}"


def _as_numbers(found: pa.Table, expected: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return both tables with numbers of different types in one type."""
    for position, name in enumerate(expected.column_names):
        types = found.schema.field(name).type, expected.schema.field(name).type
        if types[0] != types[1] and all(_is_number(kind) for kind in types):
            found = found.set_column(position, name, found[name].cast(pa.float64()))
            expected = expected.set_column(position, name, expected[name].cast(pa.float64()))
    return found, expected


def _is_number(kind: pa.DataType) -> bool:
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_null)
    return any(test(kind) for test in tests)


# --------------------------------------------------------------------------------------------- rows


def _rows_that_differ(found: pa.Table, expected: pa.Table, rules: EqualityRules) -> list[str]:
    rows = freeze_rows(found), freeze_rows(expected)
    if rules.row_order:
        return [*_in_order(found, expected, rows, rules.tolerance)]
    extra, missing = unmatched(*rows, rules.tolerance)
    pairs = _changed(rows, extra, missing, rules.tolerance)
    lines = [_changed_line(found, expected, *pair) for pair in pairs]
    ours, theirs = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    lines += [f"  missing  {_row(expected, row)}" for row in missing if row not in theirs]
    lines += [f"  extra    {_row(found, row)}" for row in extra if row not in ours]
    return lines


def _in_order(
    found: pa.Table,
    expected: pa.Table,
    rows: tuple[list[FrozenRow], list[FrozenRow]],
    tolerance: Tolerance,
) -> Iterator[str]:
    for position, (ours, theirs) in enumerate(zip(*rows, strict=False)):
        if not all(ours.equal_cells(theirs, tolerance)):
            wanted, got = _row(expected, position), _row(found, position)
            yield f"  row {position}: expected {wanted}; found {got}"
    for position in range(found.num_rows, expected.num_rows):
        yield f"  row {position}: missing  {_row(expected, position)}"
    for position in range(expected.num_rows, found.num_rows):
        yield f"  row {position}: extra    {_row(found, position)}"


def _changed(
    rows: tuple[list[FrozenRow], list[FrozenRow]],
    extra: Sequence[int],
    missing: Sequence[int],
    tolerance: Tolerance,
) -> list[tuple[int, int, list[bool]]]:
    """Pair rows that have at least half of their values in common, those with most first.

    Returns:
        The position in the table found, the one in the expected table, and for each column whether
        the values are equal.
    """
    if len(extra) * len(missing) > _MOST_PAIRS:
        return []
    alike = []
    for theirs in missing:
        for ours in extra:
            equal = rows[0][ours].equal_cells(rows[1][theirs], tolerance)
            # Of two columns in common, the first is more likely the key of the rows.
            if 2 * sum(equal) >= len(equal):
                alike.append((-sum(equal), [not one for one in equal], theirs, ours, equal))
    pairs: dict[int, tuple[int, int, list[bool]]] = {}
    taken = set()
    for _, _, theirs, ours, equal in sorted(alike):
        if theirs not in pairs and ours not in taken:
            pairs[theirs] = (ours, theirs, equal)
            taken.add(ours)
    return [pairs[theirs] for theirs in sorted(pairs)]


def _changed_line(
    found: pa.Table, expected: pa.Table, ours: int, theirs: int, equal: Sequence[bool]
) -> str:
    got, wanted = _values(found, ours), _values(expected, theirs)
    same, different = [], []
    for name, is_equal in zip(expected.column_names, equal, strict=True):
        if is_equal:
            same.append(f"{name}={_cell(wanted[name])}")
        else:
            different.append(f"{name}: expected {_cell(wanted[name])}, found {_cell(got[name])}")
    return f"  changed  {'; '.join([', '.join(same), *different])}"


def _values(table: pa.Table, row: int) -> dict[str, Any]:
    values: dict[str, Any] = table.slice(row, 1).to_pylist()[0]
    return values


def _row(table: pa.Table, row: int) -> str:
    return ", ".join(f"{name}={_cell(value)}" for name, value in _values(table, row).items())


def _cell(value: Any) -> str:
    if value is None:
        return "null"
    return str(value) if hasattr(value, "isoformat") else repr(value)


def _count(rows: int) -> str:
    return f"{rows:,} row{'' if rows == 1 else 's'}"
