"""Statements and methods of Delta Lake that are not offered yet: refused by name."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from puredelta.errors.classes import DeltaUnsupportedOperationError
from puredelta.frontend.sql.lexemes import GAP, STRING, TABLE

OPTIMIZE, VACUUM, RESTORE, CLONE, GENERATE = "OPTIMIZE", "VACUUM", "RESTORE", "CLONE", "GENERATE"

_INSTEAD: Mapping[str, str] = MappingProxyType(
    {
        OPTIMIZE: "To put small files together, overwrite the table with its own rows: "
        "spark.table(t).repartition(n).write.format('delta').mode('overwrite')"
        ".option('dataChange', 'false').saveAsTable(t). Set delta.autoOptimize.optimizeWrite=true, "
        "and new rows come in few files.",
        VACUUM: "Files that no version needs stay until another writer of Delta tables takes them "
        "away, such as delta-spark, or deltalake's DeltaTable(path).vacuum().",
        RESTORE: "Overwrite the table with the rows of the version: spark.read"
        ".option('versionAsOf', n).table(t).write.format('delta').mode('overwrite')"
        ".option('overwriteSchema', 'true').saveAsTable(t).",
        CLONE: "CREATE TABLE ... USING delta AS SELECT * FROM source VERSION AS OF n copies the "
        "rows; a shallow clone can be made with delta-spark.",
        GENERATE: "Let the engine read the Delta table itself; `puredelta files PATH` lists its "
        "files.",
    }
)

_TARGET = rf"(?:{TABLE}|{STRING})"
_NEXT = rf"(?:{GAP}+|(?=[`'\"]))"
_STATEMENTS = MappingProxyType(
    {
        OPTIMIZE: rf"OPTIMIZE{_NEXT}{_TARGET}",
        VACUUM: rf"VACUUM{_NEXT}{_TARGET}",
        RESTORE: rf"RESTORE{GAP}+(?:TABLE{GAP}+)?{_TARGET}{GAP}+(?:TO{GAP}+)?"
        rf"(?:VERSION|TIMESTAMP|SYSTEM_VERSION|SYSTEM_TIME){GAP}+AS{GAP}+OF\b",
        CLONE: rf"(?:CREATE{GAP}+(?:OR{GAP}+REPLACE{GAP}+)?|REPLACE{GAP}+)TABLE{GAP}+"
        rf"(?:IF{GAP}+NOT{GAP}+EXISTS{GAP}+)?{TABLE}{GAP}+(?:(?:SHALLOW|DEEP){GAP}+)?"
        rf"CLONE{GAP}+{_TARGET}",
        GENERATE: rf"GENERATE{GAP}+\w+{GAP}+FOR{GAP}+TABLE{GAP}+{_TARGET}",
    }
)
_BEGINNING = re.compile(
    "|".join(f"(?P<{name}>{form})" for name, form in _STATEMENTS.items()),
    re.IGNORECASE | re.DOTALL,
)
_GAPS = re.compile(rf"{GAP}*")


def refuse_statement(text: str) -> None:
    """Refuse a statement that is Delta Lake's and not offered yet.

    Args:
        text: any SQL.

    Raises:
        DeltaUnsupportedOperationError: PUREDELTA_NOT_OFFERED.
    """
    gap = _GAPS.match(text)
    found = _BEGINNING.match(text, 0 if gap is None else gap.end())
    if found is not None and found.lastgroup is not None:
        raise not_offered(found.lastgroup)


def not_offered(operation: str) -> DeltaUnsupportedOperationError:
    """Return the error for what is not offered yet.

    Args:
        operation: OPTIMIZE, VACUUM, RESTORE, CLONE or GENERATE.
    """
    return DeltaUnsupportedOperationError(
        "PUREDELTA_NOT_OFFERED", operation=operation, instead=_INSTEAD[operation]
    )
