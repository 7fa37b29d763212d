"""The pure parsers as a fuzzer sees them: bytes go in, and a value or a known error comes out.

Each parser also states what its values promise, such as that a schema is written and read again as
itself.
"""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import pyarrow as pa
from pyroaring import BitMap64

from puredelta.errors import DeltaError
from puredelta.frontend.sql.explain_clause import explain_head
from puredelta.frontend.sql.lexer import parts_of, without_comments
from puredelta.frontend.sql.rewrite.alter_column import generated_by_alter
from puredelta.frontend.sql.rewrite.create_table import created_table, with_properties
from puredelta.frontend.sql.rewrite.insert_defaults import insert_of_defaults, update_of_defaults
from puredelta.frontend.sql.rewrite.rewrites import evolving_insert
from puredelta.frontend.sql.script import statements_of_script
from puredelta.frontend.sql.statements.registry import (
    decode_statement,
    encode_statement,
    read_statement,
)
from puredelta.log.actions import (
    decode_commit,
    decode_file_actions,
    decode_small_lines,
    encode_commit,
)
from puredelta.log.checkpoint.hint import decode_last_checkpoint
from puredelta.log.checksum import Checksum, contradictions
from puredelta.log.file_stats import parsed_stats, stats_type
from puredelta.log.files import canonical_path, file_url, log_path
from puredelta.log.names import parse
from puredelta.maintenance.partition_predicate import parse_predicate
from puredelta.rows.filter_text import parse_filter
from puredelta.schema.arrow import to_arrow
from puredelta.schema.codec import MalformedTypeError, schema_to_json, stored_schema_from_json
from puredelta.schema.column_path import parse_path, quote_path
from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DecimalType,
    StructField,
    StructType,
)
from puredelta.storage.location import encode_path
from puredelta.table.check.stats_check import MalformedStatsError, read_claims
from puredelta.table.columns.char_lengths import char_length, declared_type
from puredelta.table.deletion_vectors import z85
from puredelta.table.deletion_vectors.vectors import decode_inline, deserialize, serialize
from puredelta.table.expressions.identity_columns import identity_of
from puredelta.table.expressions.invariants import invariant_of
from puredelta.table.partition_values import (
    plain_from_text,
    typed_column,
    value_from_text,
    values_from_folder,
)
from puredelta.table.protocol.interval import parse_interval
from puredelta.table.protocol.properties import find_property, validate
from tests.endurance.hostile.kinds.expressions import TEXTS

_TYPES = (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DecimalType(38, 18),
    DecimalType(5, 0),
)
_SCHEMA = StructType(tuple(StructField(f"c{n}", kind) for n, kind in enumerate(_TYPES)))
_LEAVES = {("id",): pa.int64(), ("a", "b"): pa.string(), ("day",): pa.date32()}
_MOST_ROWS = 2_000_000


@dataclass(frozen=True)
class Parser:
    """A parser that is fuzzed.

    Attributes:
        run: Reads bytes, and proves what it promises of the result.
        allowed: The errors that callers expect; `DeltaError` always is.
        seeds: Texts to begin with, besides those of real tables.
        files: Which files of real tables to begin with, by the ends of their names.
    """

    run: Callable[[bytes], None]
    allowed: tuple[type[Exception], ...] = ()
    seeds: tuple[bytes, ...] = ()
    files: tuple[str, ...] = ()


def text_of(data: bytes) -> str:
    """Read any bytes as text, some of which has halves of pairs of surrogates."""
    if data[:1] == b"\xed":
        with contextlib.suppress(UnicodeDecodeError):
            return data.decode("utf-8", "surrogatepass")
    return data.decode("utf-8", "replace")


def _commit_lines(data: bytes) -> None:
    decode_small_lines(data, "x")
    actions = decode_commit(data, "x")
    assert decode_commit(encode_commit(actions), "x") == actions
    found = [one for some in decode_file_actions(data, "x", piece=64) for one in some]
    for action in found:
        _check_path(action.path)


def _check_path(path: str) -> None:
    """A path that is written again leads to the same file."""
    found = canonical_path(path)
    spelled = log_path(path, found)
    assert canonical_path(encode_path(found) if spelled is None else spelled) == found
    file_url(path, "file:///t")


def _schema_json(data: bytes) -> None:
    schema = stored_schema_from_json(text_of(data))
    assert stored_schema_from_json(schema_to_json(schema)) == schema
    to_arrow(schema)
    for field in schema:
        declared_type(field)
        char_length(str(field.metadata))
        identity_of(field.name, field.metadata)
        invariant_of(field.metadata, field.name)


def _partition_values(data: bytes) -> None:
    text = text_of(data)
    for kind in _TYPES:
        with contextlib.suppress(DeltaError):
            plain_from_text(text, kind)
        with contextlib.suppress(DeltaError):
            value_from_text(text, kind)
        with contextlib.suppress(DeltaError, UnicodeEncodeError):
            typed_column(pa.array([text], pa.string()), kind)
    values_from_folder(text, _SCHEMA, ["c3", "c10"])


def _statistics(data: bytes) -> None:
    text = text_of(data)
    try:
        texts = pa.chunked_array([pa.array([text, '{"numRecords":3}'], pa.string())])
    except UnicodeEncodeError:
        return
    kind = stats_type(_LEAVES, dict.fromkeys(_LEAVES, pa.int64()), tight_bounds=True)
    found = parsed_stats(texts, kind)
    assert len(found) == 2
    assert found.to_pylist()[1]["numRecords"] == 3
    read_claims(text)


def _vectors(data: bytes) -> None:
    rows = deserialize(data)
    count = len(rows)
    assert bool(rows) == (count > 0)
    if count < _MOST_ROWS:
        found = list(rows)
        assert found == sorted(set(found))
        assert len(found) == count
        assert deserialize(serialize(rows)) == rows
    below = BitMap64()
    below.add_range(0, 70_000)
    assert len(below & rows) <= 70_000


def _z85(data: bytes) -> None:
    text = text_of(data)
    found = z85.decode(text)
    assert len(found) == len(text) // 5 * 4
    assert z85.decode(z85.encode(data))[: len(data)] == data
    decode_inline(text, 7)


def _checksums(data: bytes) -> None:
    contradictions(msgspec.json.decode(data, type=Checksum))


def _hints(data: bytes) -> None:
    decode_last_checkpoint(data)


def _file_names(data: bytes) -> None:
    name = text_of(data)
    found = parse(name)
    if found is not None:
        assert 0 <= found.version < 2**63
    parse(f"_delta_log/{name}")
    if name:
        _check_path(name)
    parts_of(name)


def _statements(data: bytes) -> None:
    text = text_of(data)
    without_comments(text)
    head, _ = explain_head(text)
    assert text.startswith(head)
    for start, stop in statements_of_script(text):
        assert 0 <= start <= stop <= len(text)
    generated_by_alter(text)
    evolving_insert(text)
    insert_of_defaults(text)
    update_of_defaults(text)
    listed = created_table(text)
    if listed is not None:
        with_properties(listed)
    found = read_statement(text)
    if found is not None:
        assert decode_statement(encode_statement(found, text)) == found


def _filters(data: bytes) -> None:
    text = text_of(data)
    parse_predicate_or_not(text)
    parse_filter(text, _SCHEMA)


def parse_predicate_or_not(text: str) -> None:
    """Read the condition of OPTIMIZE, which filters need not be."""
    try:
        parse_predicate(text)
    except DeltaError:
        return


def _properties(data: bytes) -> None:
    key, _, value = text_of(data).partition("=")
    known = find_property(key)
    if known is not None:
        try:
            known.of({known.key: value})
        except DeltaError as error:
            str(error)
    try:
        parse_interval(value)
    except DeltaError as error:
        str(error)
    validate({key: value})


def _column_paths(data: bytes) -> None:
    found = parse_path(text_of(data))
    assert parse_path(quote_path(found)) == found


_FIELD = '{"type":"struct","fields":[{"name":"a","type":%s,"nullable":true,"metadata":{}}]}'

PARSERS: dict[str, Parser] = {
    "commit_lines": Parser(
        _commit_lines,
        seeds=(b'{"commitInfo":{"a":1}}\n{"txn":{"appId":"a","version":1}}',),
        files=(".json",),
    ),
    "schema_json": Parser(
        _schema_json,
        allowed=(MalformedTypeError,),
        seeds=tuple(
            (_FIELD % kind).encode()
            for kind in (
                '"decimal(10,2)"',
                '{"type":"array","elementType":"string","containsNull":true}',
                '{"type":"map","keyType":"string","valueType":"long","valueContainsNull":true}',
                '{"type":"udt","class":"a","pyClass":"b","sqlType":"long"}',
                '"variant"',
            )
        ),
    ),
    "partition_values": Parser(
        _partition_values,
        seeds=(
            b"2024-01-02",
            b"2024-01-02 03:04:05.678",
            b"2024-01-02T03:04:05Z",
            b"-1.5e3",
            b"true",
            b"12:30",
            b"c3=2024-01-01/c10=2024-01-02 03%3A04%3A05",
            b"0x1.8p1",
            b"-Infinity",
        ),
    ),
    "statistics": Parser(
        _statistics,
        allowed=(MalformedStatsError,),
        seeds=(
            (
                b'{"numRecords":3,"minValues":{"id":1,"a":{"b":"x"},"day":"2024-01-01"},'
                b'"maxValues":{"id":9,"a":{"b":"y"}},"nullCount":{"id":0},"tightBounds":true}'
            ),
        ),
    ),
    "vectors": Parser(
        _vectors,
        seeds=(
            serialize(BitMap64([1, 5])),
            serialize(BitMap64(range(9000))),
            serialize(BitMap64(range(0, 60_000, 3))),
            serialize(BitMap64([2**40, 7])),
        ),
    ),
    "z85": Parser(_z85, allowed=(ValueError,), seeds=(b"HelloWorld", b"0" * 20)),
    "checksums": Parser(
        _checksums,
        allowed=(ValueError, RecursionError),
        files=(".crc",),
        seeds=(b'{"tableSizeBytes":1,"numFiles":1,"numMetadata":1,"numProtocol":1}',),
    ),
    "hints": Parser(
        _hints,
        allowed=(ValueError, RecursionError),
        files=("_last_checkpoint",),
        seeds=(b'{"version":2,"size":3}',),
    ),
    "file_names": Parser(
        _file_names,
        seeds=(
            b"00000000000000000001.json",
            b"00000000000000000001.checkpoint.parquet",
            b"00000000000000000001.checkpoint.0000000001.0000000002.parquet",
            b"00000000000000000001.00000000000000000003.compacted.json",
            b"00000000000000000001.crc",
            b"file:/a/../b%20c",
            b"a/./b//c",
            b"00000000000000000001.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json",
        ),
    ),
    "statements": Parser(
        _statements,
        seeds=(
            b"VACUUM t RETAIN 5 HOURS DRY RUN",
            b"OPTIMIZE a.b WHERE d = 1 ZORDER BY (x, y)",
            b"CONVERT TO DELTA parquet.`/x` PARTITIONED BY (a INT)",
            b"DESCRIBE HISTORY t LIMIT 3",
            b"RESTORE TABLE t TO VERSION AS OF 3",
            b"GENERATE symlink_format_manifest FOR TABLE t",
            b"ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0 /* x */)",
            b"ALTER TABLE t DROP FEATURE f",
            b"CREATE TABLE t (a INT GENERATED ALWAYS AS (b + 1), b INT CHECK (b > 0)) USING delta",
            b"CREATE TABLE t SHALLOW CLONE s VERSION AS OF 1",
            b"REORG TABLE t APPLY (PURGE)",
            b"INSERT WITH SCHEMA EVOLUTION INTO t VALUES (1, DEFAULT), ('a''b', 2)",
            b"UPDATE t SET a = DEFAULT WHERE b = 1",
            b"EXPLAIN EXTENDED VACUUM t",
            b"BEGIN DECLARE x INT; IF x > 1 THEN VACUUM t; END IF; END",
            b"INSERT INTO t SELECT a, DEFAULT FROM s",
            b"CREATE TABLE t LIKE s",
        ),
    ),
    "filters": Parser(
        _filters,
        seeds=(
            b"c7 = 3 AND c9 LIKE 'A%'",
            b"NOT (c3 >= DATE '2024-01-01' OR c1 IS NOT NULL)",
            b"c4 IN (1, 2.5e3, NULL) AND c9 NOT LIKE 'x\\_%' ESCAPE '!'",
            b"c10 < '2024-01-01 02:03'",
            b"c12 BETWEEN 1 AND 2.5",
            b"`c0` = X'00FF' AND c8 <> -1",
            b"c1 IS TRUE",
            *(text.encode()[:200] for text in TEXTS.values()),
        ),
    ),
    "properties": Parser(
        _properties,
        seeds=(
            b"delta.logRetentionDuration=interval 30 days",
            b"delta.checkpointInterval=10",
            b"delta.columnMapping.mode=name",
            b"delta.deletedFileRetentionDuration=interval 1 week 2.5 seconds",
            b"delta.isolationLevel=Serializable",
            b"delta.constraints.c=a > 0",
            b"delta.dataSkippingStatsColumns=a,`b c`.d",
            b"delta.targetFileSize=128mb",
            b"delta.parquet.format.version=2.12.0",
            b"delta.feature.x=supported",
        ),
    ),
    "column_paths": Parser(_column_paths, seeds=(b"a.b", b"`a.b`.`c``d`", b" x . y ")),
}
"""All parsers, by name."""


def seeds_of(name: str, contents: dict[str, bytes]) -> list[bytes]:
    """Return what a fuzzer begins with.

    Args:
        name: Of the parser.
        contents: Files of real tables, by name.
    """
    parser = PARSERS[name]
    found = list(parser.seeds)
    found += [
        data for file, data in contents.items() if parser.files and file.endswith(parser.files)
    ]
    if name in ("schema_json", "statistics"):
        found += _texts_inside(
            contents, {"schema_json": "schemaString", "statistics": "stats"}[name]
        )
    return found


def _texts_inside(contents: dict[str, bytes], key: str) -> list[bytes]:
    actions = (
        action
        for file, data in contents.items()
        if file.endswith(".json")
        for line in data.splitlines()
        for action in json.loads(line).values()
    )
    return [
        action[key].encode()
        for action in actions
        if isinstance(action, dict) and isinstance(action.get(key), str)
    ]


def check(name: str, data: bytes) -> None:
    """Run a parser; what it may raise is passed over.

    Raises:
        Exception: Anything else, which is a defect.
    """
    parser = PARSERS[name]
    try:
        parser.run(data)
    except DeltaError as error:
        # An error that cannot be shown is no error for a user.
        str(error)
    except parser.allowed:
        pass


def quiet() -> None:
    """Let parsers log nothing: a fuzzer runs them by the million."""
    logging.disable(logging.CRITICAL)


__all__ = ["PARSERS", "Parser", "check", "quiet", "seeds_of"]
