"""From the file actions in Parquet, as any writer lays them out, to rows of ours."""

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from puredelta._util.progress import track
from puredelta.log.actions import camel_case
from puredelta.log.checkpoint.struct_stats import stats_texts
from puredelta.log.files import (
    MAY_BE_SPELLED_OTHERWISE,
    MORE_THAN_DECODED,
    SPELLED_AS_OURS,
    canonical_path,
    joined_tables,
    log_path,
    nulls,
    qualified_path,
)


def file_rows(file: pq.ParquetFile, column: str, schema: pa.Schema, table: str) -> pa.Table:
    """Read the rows of one kind of file action.

    Columns that a writer left out are null, those that we do not know are passed over.

    Args:
        file: A checkpoint, a part of one or a sidecar.
        column: `add` or `remove`.
        schema: What is wanted: `FILES` or `TOMBSTONES`.
        table: The URL of the table.

    Raises:
        pa.ArrowException: The file is damaged.
        OSError: The same.
    """
    if not has_actions(file, column):
        return schema.empty_table()
    wanted = [f"{column}.{camel_case(name)}" for name in schema.names]
    tables: list[pa.Table] = []
    groups = file.metadata.num_row_groups
    for number in track(range(groups), "reading the checkpoint", groups, "row groups"):
        group = file.read_row_group(number, columns=wanted)
        found = [_columns(chunk, schema, table) for chunk in _present(group[column])]
        if "stats" in schema.names and _has_member(file, column, "stats_parsed"):
            found = _with_parsed_stats(found, file, number, column)
        tables.extend(found)
    return joined_tables(tables, schema)


def has_actions(file: pq.ParquetFile, column: str) -> bool:
    """Say whether a checkpoint has the column of a kind of action.

    Raises:
        pa.ArrowInvalid: It has two of them, or one of another type.
    """
    found = [field for field in file.schema_arrow if field.name == column]
    if len(found) > 1 or not all(pa.types.is_struct(field.type) for field in found):
        raise pa.ArrowInvalid(f"the column {column} is there twice, or is no struct")
    return bool(found)


def _present(rows: pa.ChunkedArray) -> Iterable[pa.StructArray]:
    for chunk in rows.chunks:
        # Protocol: Checkpoint Schema. A row has one action: the columns of all other kinds are
        # null.
        present = chunk.drop_null() if chunk.null_count else chunk
        if len(present):
            yield present


def _with_parsed_stats(
    found: list[pa.Table], file: pq.ParquetFile, number: int, column: str
) -> list[pa.Table]:
    """Fill in statistics as JSON where the file has them only as columns."""
    # The columns are many, and most writers repeat in them what the JSON says.
    if not any(rows["stats"].null_count for rows in found):
        return found
    rows = pa.concat_tables(found)
    group = file.read_row_group(number, columns=[f"{column}.stats_parsed"])
    # Both reads leave out the same rows, those without a file, so the rows correspond.
    parsed = pa.chunked_array(
        [stats_texts(pc.struct_field(chunk, "stats_parsed")) for chunk in _present(group[column])],
        pa.string(),
    )
    index = rows.schema.get_field_index("stats")
    return [rows.set_column(index, rows.schema.field(index), pc.coalesce(rows["stats"], parsed))]


def _has_member(file: pq.ParquetFile, column: str, name: str) -> bool:
    kind = file.schema_arrow.field(column).type
    return bool(pa.types.is_struct(kind)) and kind.get_field_index(name) >= 0


def _columns(rows: pa.StructArray, schema: pa.Schema, table: str) -> pa.Table:
    columns = {field.name: _member(rows, camel_case(field.name), field.type) for field in schema}
    if columns["path"].null_count:
        raise pa.ArrowInvalid("a file has no path")
    if _lacks_member(columns["deletion_vector"]):
        raise pa.ArrowInvalid("the deletion vector of a file is not described")
    columns |= _spelled(columns["path"], table)
    found = pa.table({name: columns[name] for name in schema.names}, schema=schema)
    _refuse_negative(found)
    return found


def _lacks_member(vectors: pa.StructArray) -> bool:
    """Say whether a description of a vector lacks what each has; only the offset may be missing."""
    present = vectors.drop_null()
    return any(
        pc.struct_field(present, field.name).null_count
        for field in (vectors.type if len(present) else ())
        if field.name != "offset"
    )


def _refuse_negative(files: pa.Table) -> None:
    """Refuse sizes and counts below zero, as in the lines of a commit."""
    # Tombstones, which have no statistics, may have any size: nothing is computed from it.
    found = {"size": files["size"]} if "stats" in files.column_names else {}
    vectors = files["deletion_vector"]
    if vectors.null_count < len(vectors):
        for name in ("offset", "sizeInBytes", "cardinality"):
            found[f"deletionVector.{name}"] = pc.struct_field(vectors, name)
    for name, numbers in found.items():
        minimum = pc.min(numbers).as_py()
        if minimum is not None and minimum < 0:
            raise pa.ArrowInvalid(f"{name} is {minimum}, which is below zero")


def _member(rows: pa.StructArray, name: str, kind: pa.DataType) -> pa.Array:
    """Take one member of a struct column; writers leave some out, and order others as they like."""
    if rows.type.get_field_index(name) < 0:
        return nulls(len(rows), kind)
    member = pc.struct_field(rows, name)
    # Most tables have no deletion vectors, tags or row ids.
    if member.null_count == len(member):
        return nulls(len(rows), kind)
    if not pa.types.is_struct(kind):
        return member.cast(kind)
    inner = [_member(member, field.name, field.type) for field in kind]
    return pa.StructArray.from_arrays(inner, fields=list(kind), mask=member.is_null())


def _spelled(paths: pa.Array, table: str) -> dict[str, pa.Array]:
    """Give paths their canonical spelling, and keep the log's; most are relative and plain."""
    if not pc.any(pc.match_substring_regex(paths, MAY_BE_SPELLED_OTHERWISE)).as_py():
        return {"path": paths}
    qualified = [qualified_path(path, table) for path in paths.to_pylist()]
    canonical = [canonical_path(path) for path in qualified]
    spelled = {"path": pa.array(canonical, pa.string())}
    # Two expressions over all paths spare a call of `log_path` for each of them.
    ours = pc.match_substring_regex(paths, SPELLED_AS_OURS)
    if pc.all(pc.and_not(ours, pc.match_substring_regex(paths, MORE_THAN_DECODED))).as_py():
        return spelled
    kept = [log_path(*pair) for pair in zip(qualified, canonical, strict=True)]
    return {**spelled, "log_path": pa.array(kept, pa.string())}
