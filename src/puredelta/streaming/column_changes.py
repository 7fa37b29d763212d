"""What became of the columns of a stream between two versions, and what lets the stream go on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from puredelta.errors import DeltaIllegalStateError, DeltaRuntimeError
from puredelta.schema.column_path import quote_path
from puredelta.schema.datatypes import ArrayType, DataType, MapType, StructType, simple_string
from puredelta.stream_settings import ALLOWING
from puredelta.streaming.schema_log import TrackedSchema
from puredelta.table.columns.column_mapping import identity
from puredelta.table.columns.type_widening import widens

_ALWAYS = "always"
_RENAME, _DROP, _TYPE = "Rename", "Drop", "TypeChange"
_BOTH = "RenameAndDrop"

# By what happened, in the order of the names above.
_OPERATIONS = {
    (_RENAME,): "RENAME COLUMN",
    (_DROP,): "DROP COLUMN",
    (_TYPE,): "TYPE WIDENING",
    (_RENAME, _DROP): "RENAME AND DROP COLUMN",
    (_RENAME, _TYPE): "RENAME AND TYPE WIDENING",
    (_DROP, _TYPE): "DROP AND TYPE WIDENING",
    (_RENAME, _DROP, _TYPE): "RENAME, DROP AND TYPE WIDENING",
}

_Path = tuple[str, ...]


@dataclass(slots=True)
class ColumnChanges:
    """What became of columns, by their ids where columns are mapped, by their names elsewhere.

    Attributes:
        renamed: columns and their new names.
        dropped: columns that are gone.
        widened: columns, and their types before and after.
        other: the same for types that do not hold all values of those before.
    """

    renamed: list[tuple[str, str]] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    widened: list[tuple[str, str, str]] = field(default_factory=list)
    other: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of changes that have to be allowed."""
        found = ((_RENAME, self.renamed), (_DROP, self.dropped), (_TYPE, self.widened))
        return tuple(kind for kind, columns in found if columns)

    def __str__(self) -> str:
        blocks = []
        if self.renamed:
            lines = "\n".join(f"'{old}' -> '{new}'" for old, new in self.renamed)
            blocks.append(f"Columns renamed:\n{lines}")
        if self.dropped:
            blocks.append("Columns dropped:\n" + ", ".join(f"'{name}'" for name in self.dropped))
        if self.widened:
            lines = "\n".join(f"'{name}': {old} -> {new}" for name, old, new in self.widened)
            blocks.append(f"Columns with widened types:\n{lines}")
        return "\n".join(blocks)


def column_changes(before: StructType, after: StructType) -> ColumnChanges:
    """Compare the columns of two versions."""
    found = ColumnChanges()
    _compare(before, after, (), found)
    return found


def _compare(before: DataType, after: DataType, path: _Path, found: ColumnChanges) -> None:
    match before, after:
        case StructType(), StructType():
            now = {identity(column): column for column in after}
            for old in before:
                new = now.get(identity(old))
                if new is None:
                    found.dropped.append(quote_path((*path, old.name)))
                    continue
                if new.name != old.name:
                    named = (quote_path((*path, name)) for name in (old.name, new.name))
                    found.renamed.append((next(named), next(named)))
                _compare(old.data_type, new.data_type, (*path, old.name), found)
        case ArrayType(), ArrayType():
            _compare(before.element_type, after.element_type, (*path, "element"), found)
        case MapType(), MapType():
            _compare(before.key_type, after.key_type, (*path, "key"), found)
            _compare(before.value_type, after.value_type, (*path, "value"), found)
        case _ if before != after:
            change = quote_path(path), _shown(before), _shown(after)
            (found.widened if widens(before, after) else found.other).append(change)


def _shown(data_type: DataType) -> str:
    return simple_string(data_type).upper()


# A stream goes on whatever type a column has got.
_ANY_TYPE = "spark.databricks.delta.typeWidening.bypassStreamingTypeChangeCheck"


@dataclass(frozen=True, slots=True)
class Unblocking:
    """What a user has allowed: by options of the reader and by settings of the session.

    Attributes:
        options: `StreamOptions.allowed`.
        setting: returns a setting of the session, or an empty text.
        source: the folder of the source in the checkpoint, by whose hash settings can name it.
    """

    options: Mapping[str, str]
    setting: Callable[[str], str]
    source: str

    def check(self, previous: TrackedSchema, current: TrackedSchema) -> None:
        """Refuse to go on with other columns that a user has not allowed.

        Args:
            previous: what the stream has read with.
            current: what it is going to read with.

        Raises:
            DeltaIllegalStateError: DELTA_SCHEMA_CHANGED_WITH_VERSION for types that changed in
                another way than by widening.
            DeltaRuntimeError: DELTA_STREAMING_CANNOT_CONTINUE_PROCESSING_POST_SCHEMA_EVOLUTION
                for columns that were renamed, dropped or widened.
        """
        changes = column_changes(previous.schema, current.schema)
        version = current.delta_commit_version
        if changes.other and self.setting(_ANY_TYPE).lower() != "true":
            listed = "; ".join(f"{name}: {old} -> {new}" for name, old, new in changes.other)
            raise DeltaIllegalStateError(
                "DELTA_SCHEMA_CHANGED_WITH_VERSION",
                version=version,
                changes=listed,
                outlook="Starting the query again does not help: start a new one, with a "
                "checkpointLocation of its own.",
                readSchema=previous.data_schema_json,
                dataSchema=current.data_schema_json,
            )
        missing = [kind for kind in changes.kinds if not self._allows(kind, version)]
        if not missing:
            return
        hashed = java_hash(self.source)
        raise DeltaRuntimeError(
            "DELTA_STREAMING_CANNOT_CONTINUE_PROCESSING_POST_SCHEMA_EVOLUTION",
            opType=_OPERATIONS[changes.kinds],
            previousSchemaChangeVersion=previous.delta_commit_version,
            currentSchemaChangeVersion=version,
            columnChangeDetails=changes,
            unblockChangeOptions=_lines(
                f'  .option("allowSourceColumn{kind}", "{version}")' for kind in missing
            ),
            unblockStreamOptions=_lines(
                f'  .option("allowSourceColumn{kind}", "always")' for kind in missing
            ),
            unblockChangeConfs=_lines(
                f"  SET {_key(kind)}.ckpt_{hashed} = {version};" for kind in missing
            ),
            unblockStreamConfs=_lines(
                f'  SET {_key(kind)}.ckpt_{hashed} = "always";' for kind in missing
            ),
            unblockAllConfs=_lines(f'  SET {_key(kind)} = "always";' for kind in missing),
        )

    def _allows(self, kind: str, version: int) -> bool:
        if self.options.get(f"allowsourcecolumn{kind.lower()}") in {_ALWAYS, str(version)}:
            return True
        names = [kind] if kind == _TYPE else [kind, _BOTH]
        of_stream = f".ckpt_{java_hash(self.source)}"
        return any(
            self.setting(_key(name)) == _ALWAYS
            or self.setting(_key(name) + of_stream) in {_ALWAYS, str(version)}
            for name in names
        )


def _key(kind: str) -> str:
    return f"{ALLOWING}{kind}"


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def java_hash(text: str) -> int:
    """Return the hash of a string in Java, a signed number of 32 bits.

    >>> java_hash("hello")
    99162322
    """
    found = 0
    data = text.encode("utf-16-be")
    for place in range(0, len(data), 2):
        found = (31 * found + (data[place] << 8 | data[place + 1])) & 0xFFFFFFFF
    return found - (1 << 32) if found >> 31 else found
