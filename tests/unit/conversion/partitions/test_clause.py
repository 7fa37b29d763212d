"""The list of partition columns as people write it."""

import pytest

from puredelta.conversion.partitions.clause import partition_columns, written_clause
from puredelta.errors import DeltaParseError
from puredelta.schema.datatypes import (
    DATE,
    DECLARED_TYPE_KEY,
    INTEGER,
    LONG,
    PRIMITIVES,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    VOID,
    DecimalType,
    StructField,
    StructType,
    simple_string,
)


def columns(*fields):
    return StructType(tuple(StructField(*field) for field in fields))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p INT", columns(("p", INTEGER))),
        ("p int, q STRING", columns(("p", INTEGER), ("q", STRING))),
        ("p: int,q:bigint", columns(("p", INTEGER), ("q", LONG))),
        ("p : int , q : bigint", columns(("p", INTEGER), ("q", LONG))),
        ("p INT NOT NULL, q DATE", columns(("p", INTEGER, False), ("q", DATE))),
        ("p INT COMMENT 'a, b (c)'", columns(("p", INTEGER))),
        ("p INT not null COMMENT \"it's\", q date", columns(("p", INTEGER, False), ("q", DATE))),
        ("`a b` INT, `c``d`: INT", columns(("a b", INTEGER), ("c`d", INTEGER))),
        ("`p`int", columns(("p", INTEGER))),
        ("p DECIMAL", columns(("p", DecimalType(10, 0)))),
        ("p dec(4)", columns(("p", DecimalType(4, 0)))),
        ("p numeric ( 38 , 38 )", columns(("p", DecimalType(38, 38)))),
        ("y INT,\n -- the month\n m /* 1 to 12 */ INT", columns(("y", INTEGER), ("m", INTEGER))),
        ("_p INT, 1a INT, é INT", columns(("_p", INTEGER), ("1a", INTEGER), ("é", INTEGER))),
        ("comment INT, not INT", columns(("comment", INTEGER), ("not", INTEGER))),
        ("p TIMESTAMP, q timestamp_ntz", columns(("p", TIMESTAMP), ("q", TIMESTAMP_NTZ))),
    ],
)  # fmt: skip
def test_columns_are_read(text, expected):
    assert partition_columns(text) == expected


def test_every_simple_type_can_be_written_by_its_name():
    for kind in PRIMITIVES.values():
        if kind not in (VARIANT, VOID):
            found = partition_columns(f"p {simple_string(kind)}")
            assert found == columns(("p", kind))


def test_clause_that_is_written_can_be_read():
    text = "`a``b` INT, `c d` DECIMAL(38,3), é TIMESTAMP_NTZ, p BINARY"
    clause = written_clause(partition_columns(text))

    assert (
        clause == "PARTITIONED BY (`a``b` INT, `c d` DECIMAL(38,3), `é` TIMESTAMP_NTZ, `p` BINARY)"
    )
    inside = clause.removeprefix("PARTITIONED BY (").removesuffix(")")
    assert partition_columns(inside) == partition_columns(text)


def test_char_and_varchar_are_strings_that_keep_their_length():
    fields = partition_columns("p VARCHAR(10), q CHAR( 4 ), r character(1)").fields

    assert [field.data_type for field in fields] == [STRING] * 3
    assert [field.metadata[DECLARED_TYPE_KEY] for field in fields] == [
        "varchar(10)",
        "char(4)",
        "char(1)",
    ]


def test_timestamp_is_what_the_session_says():
    assert partition_columns("p TIMESTAMP", timestamp_type=TIMESTAMP_NTZ) == columns(
        ("p", TIMESTAMP_NTZ)
    )


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("p INT, q VARIANT", "VARIANT"),
        ("q nosuch", "nosuch"),
        ("q void", "void"),
        ("q interval", "interval"),
        ("q DECIMAL(39, 2)", "DECIMAL(39, 2)"),
        ("q DECIMAL(2, 5)", "DECIMAL(2, 5)"),
        ("q DECIMAL(x)", "DECIMAL(x)"),
        ("q INT(4)", "INT(4)"),
        ("q varchar", "varchar"),
        ("q char(0)", "char(0)"),
        ("p INT, q ARRAY<INT>", "ARRAY<INT>"),
        ("q map<int, array<array<int>>>, p int", "map<int, array<array<int>>>"),
        ("q struct<a int> NOT NULL", "struct<a int>"),
        ("q interval year", "interval year"),
        ("q time(6)", "time(6)"),
    ],
)  # fmt: skip
def test_type_that_no_partition_column_can_have_is_named_with_its_column(text, kind):
    with pytest.raises(DeltaParseError) as raised:
        partition_columns(text)

    assert raised.value.condition == "DELTA_PARSING_UNSUPPORTED_DATA_TYPE"
    assert raised.value.parameters == {"dataType": kind, "columnName": "q"}


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("", ""),
        ("p", "p"),
        ("p INT,", ""),
        ("p INT, q", "q"),
        ("a.b INT", "a.b INT"),
        ("p INT DEFAULT 5", "p INT DEFAULT 5"),
        ("p INT, 'q' INT", "'q' INT"),
        ("p INT, q /* INT", "q /* INT"),
        ("p: : INT", "p: : INT"),
        ("p NOT NULL", "p NOT NULL"),
        ("p INT)", "p INT)"),
        ("p INT q INT", "p INT q INT"),
        ("p INT NOT NULL NOT NULL", "p INT NOT NULL NOT NULL"),
        ("p INT, q INT COMMENT x", "q INT COMMENT x"),
        ("`` INT", "`` INT"),
        ("(p INT)", "(p INT)"),
    ],
)
def test_text_that_is_no_list_of_columns_says_where(text, rest):
    with pytest.raises(DeltaParseError, match="is no list of partition columns") as raised:
        partition_columns(text)

    assert raised.value.condition == "DELTA_CONVERT_PARTITION_CLAUSE"
    assert raised.value.parameters == {"clause": text, "rest": rest}


def test_long_text_that_fits_nowhere_is_refused_at_once():
    with pytest.raises(DeltaParseError):
        partition_columns("p " * 20_000)
    with pytest.raises(DeltaParseError):
        partition_columns("p " + "/* " * 5_000)
