"""Schemas whose columns cannot be told apart: no reader could say which values are whose."""

from collections import Counter
from collections.abc import Iterable, Iterator

from puredelta.errors import DeltaAnalysisError, DeltaIllegalStateError
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import ArrayType, DataType, MapType, StructType
from puredelta.schema.physical import PHYSICAL_NAME_KEY
from puredelta.table.columns.column_mapping import ID_KEY, MappingMode, mapping_mode


def check_columns(snapshot: Snapshot) -> None:
    """Refuse a version whose columns cannot be told apart, or are partitioned by what is none.

    Raises:
        DeltaAnalysisError: DELTA_DUPLICATE_COLUMNS_FOUND, DELTA_PARTITION_COLUMN_NOT_FOUND.
        DeltaIllegalStateError: DELTA_SCHEMA_MALFORMED, or the log holds something else than a
            schema.
    """
    schema = snapshot.schema
    for struct in _structs(schema):
        if twice := _repeated(name.lower() for name in struct.names):
            raise DeltaAnalysisError("DELTA_DUPLICATE_COLUMNS_FOUND", duplicateCols=twice)
    missing = [name for name in snapshot.partition_columns if name not in schema.names]
    if missing:
        raise DeltaAnalysisError(
            "DELTA_PARTITION_COLUMN_NOT_FOUND", columnName=missing[0], schemaMap=schema.names
        )
    if mapping_mode(snapshot.configuration) is not MappingMode.NONE:
        _check_mapping(snapshot)


def _check_mapping(snapshot: Snapshot) -> None:
    for struct in _structs(snapshot.schema):
        for key in (PHYSICAL_NAME_KEY, ID_KEY):
            known = (str(field.metadata[key]) for field in struct if key in field.metadata)
            if twice := _repeated(known):
                raise DeltaIllegalStateError(
                    "DELTA_SCHEMA_MALFORMED",
                    version=snapshot.version,
                    path=snapshot.store.url,
                    reason=f"several columns have {key} = {', '.join(twice)}",
                )


def _repeated(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def _structs(data_type: DataType) -> Iterator[StructType]:
    match data_type:
        case StructType():
            yield data_type
            for field in data_type:
                yield from _structs(field.data_type)
        case ArrayType(element):
            yield from _structs(element)
        case MapType(key, value):
            yield from _structs(key)
            yield from _structs(value)
