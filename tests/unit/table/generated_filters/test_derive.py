"""Which conditions on partition columns follow from which filters, as texts in SQL."""

import pytest

from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DecimalType,
    StructField,
    StructType,
    UnknownType,
)
from puredelta.table.generated_filters.derive import Derivation
from puredelta.table.generated_filters.expressions import Call, Cast
from puredelta.table.skipping.predicate import (
    And,
    CastValue,
    Column,
    Comparison,
    Constant,
    In,
    IsNull,
    IsTrue,
    Literal,
    Not,
    Or,
    StartsWith,
    Unknown,
    YearValue,
)
from puredelta.table.statistics.datetime_text import days_from_text, micros_from_text

C = Column(("c",))
DEC = DecimalType(5, 2)


def time(text, kind=TIMESTAMP):
    return Literal(micros_from_text(text), kind)


def date(text):
    return Literal(days_from_text(text), DATE)


def derived(condition, base, *forms, kinds=(), metadata=None):
    """What follows where `c` partitions a table by some forms: columns `p`, `q`, `r`, `s`."""
    fields = [
        StructField(name, kind, True, (metadata or {}).get(name, {}))
        for name, kind in zip("pqrs", kinds, strict=False)
    ]
    column = StructField("c", base, True, (metadata or {}).get("c", {}))
    schema = StructType((column, *fields))
    told = dict(zip("pqrs", forms, strict=False))
    texts = [(field, field.name) for field in fields]
    return Derivation.over(schema, texts, lambda text, _: told[text]).derived(condition)


AS_DATE = Cast(C, DATE)
YEAR, MONTH, DAY = (Call(part, AS_DATE) for part in ("year", "month", "day"))
HOUR = Call("hour", C)
NOON = time("2024-05-06 12:00:00")

ONE_COLUMN = [
    (">=", AS_DATE, DATE, "`p` IS NULL OR `p` >= DATE '2024-05-05'"),
    ("<", AS_DATE, DATE, "`p` IS NULL OR `p` <= DATE '2024-05-07'"),
    ("=", YEAR, INTEGER, "`p` IS NULL OR `p` = 2024"),
    ("<=>", YEAR, INTEGER, "`p` IS NULL OR `p` = 2024"),
    (">", C, TIMESTAMP, "`p` IS NULL OR `p` >= TIMESTAMP '2024-05-05 00:00:00.000001Z'"),
    (
        "=",
        Call("date_format", C, ("yyyy-MM",)),
        STRING,
        "`p` IS NULL OR length(`p`) <> 7 OR `p` = '2024-05'",
    ),
    (
        "<=",
        Call("date_format", C, ("yyyy-MM-dd-HH",)),
        STRING,
        "`p` IS NULL OR length(`p`) <> 13 OR `p` <= '2024-05-07-06'",
    ),
    (
        ">",
        Call("date_trunc", C, ("month",)),
        TIMESTAMP,
        "`p` IS NULL OR `p` >= TIMESTAMP '2024-04-30 06:00:00Z'",
    ),
    (">=", Call("trunc", AS_DATE, ("Week",)), DATE, "`p` IS NULL OR `p` >= DATE '2024-04-29'"),
    (
        "=",
        Call("trunc", AS_DATE, ("quarter",)),
        DATE,
        "`p` IS NULL OR `p` = DATE '2024-04-01'",
    ),
]


@pytest.mark.parametrize(("operator", "form", "kind", "text"), ONE_COLUMN)
def test_bounds_of_a_timestamp_are_widened_by_the_farthest_zone(operator, form, kind, text):
    assert derived(Comparison(operator, C, NOON), TIMESTAMP, form, kinds=[kind]) == [text]


EXACT = [
    (DATE, date("2024-05-06"), ">", C, DATE, "`p` >= DATE '2024-05-07'"),
    (DATE, date("2024-12-31"), ">", Call("year", C), INTEGER, "`p` >= 2025"),
    (DATE, date("2024-12-31"), "<", Call("trunc", C, ("MM",)), DATE, "`p` <= DATE '2024-12-01'"),
    (TIMESTAMP_NTZ, time("2024-05-07", TIMESTAMP_NTZ), "<", AS_DATE, DATE,
     "`p` <= DATE '2024-05-06'"),
    (TIMESTAMP_NTZ, time("2024-05-07 10:00:00", TIMESTAMP_NTZ), ">=", C, TIMESTAMP_NTZ,
     "`p` >= TIMESTAMP_NTZ '2024-05-07 10:00:00'"),
    (STRING, Literal("abcd", STRING), "<", Call("substring", C, (1, 2)), STRING, "`p` <= 'ab'"),
    (STRING, Literal("abcd", STRING), "<", C, STRING, "`p` < 'abcd'"),
    (STRING, Literal("abcd", STRING), ">", C, STRING, "`p` > 'abcd'"),
    (STRING, Literal("abcd", STRING), "=", Call("substring", C, (-3, 2)), STRING, "`p` = 'bc'"),
    (STRING, Literal("é€x", STRING), "=", Call("substring", C, (2, 1)), STRING, "`p` = '€'"),
    (STRING, Literal("it's \\", STRING), "=", C, STRING, "`p` = CAST(X'69742773205c' AS STRING)"),
    (STRING, Literal("${x}", STRING), "=", C, STRING, "`p` = CAST(X'247b787d' AS STRING)"),
    (STRING, Literal("2024-05-06", STRING), "=", Call("trunc", AS_DATE, ("MM",)), DATE,
     "`p` = DATE '2024-05-01'"),
    (INTEGER, Literal(7, INTEGER), "<", Cast(C, LONG), LONG, "`p` <= 6"),
    (LONG, Literal(7, LONG), "=", Cast(C, INTEGER), INTEGER, "`p` = 7"),
    (INTEGER, Literal(7, INTEGER), ">=", Cast(C, DEC), DEC, "`p` >= 7.00"),
    (DEC, Literal(-150, DEC), ">=", Cast(C, DecimalType(3, 0)), DecimalType(3, 0), "`p` >= -2"),
    (DEC, Literal(-150, DEC), "=", Cast(C, INTEGER), INTEGER, "`p` = -1"),
    (DOUBLE, Literal(1.5, DOUBLE), ">", C, DOUBLE, "`p` > CAST('1.5' AS DOUBLE)"),
    (FLOAT, Literal(0.5, FLOAT), "=", C, FLOAT, "`p` = CAST('0.5' AS FLOAT)"),
    (BOOLEAN, Literal(True, BOOLEAN), "=", C, BOOLEAN, "`p` = TRUE"),
]  # fmt: skip


@pytest.mark.parametrize(("base", "literal", "operator", "form", "kind", "text"), EXACT)
def test_bounds_without_a_zone_are_exact(base, literal, operator, form, kind, text):
    found = derived(Comparison(operator, C, literal), base, form, kinds=[kind])

    assert found == [f"`p` IS NULL OR {text}"]


NOTHING = [
    (TIMESTAMP, NOON, "=", MONTH, INTEGER),
    (TIMESTAMP, NOON, "=", HOUR, INTEGER),
    (TIMESTAMP, NOON, "!=", AS_DATE, DATE),
    (TIMESTAMP, Literal(None, TIMESTAMP), "=", AS_DATE, DATE),
    (TIMESTAMP, date("2024-05-06"), "=", AS_DATE, DATE),
    (TIMESTAMP, NOON, "=", AS_DATE, STRING),
    (TIMESTAMP, NOON, "=", Cast(C, STRING), STRING),
    (TIMESTAMP, NOON, "=", Call("trunc", AS_DATE, ("HOUR",)), DATE),
    (TIMESTAMP, NOON, "=", Call("date_trunc", C, ("DECADE",)), TIMESTAMP),
    (TIMESTAMP, NOON, "=", Call("date_format", C, ("MM-yyyy",)), STRING),
    (TIMESTAMP, NOON, "=", Call("date_format", C, ("yyyy'M'MM",)), STRING),
    (TIMESTAMP, NOON, "=", Call("upper", C), STRING),
    (TIMESTAMP, NOON, "=", Call("substring", Call("date_format", C, ("yyyy",)), (1, 2)), STRING),
    (TIMESTAMP, NOON, "=", Cast(Call("date_format", C, ("yyyy",)), DATE), DATE),
    (TIMESTAMP, NOON, "=", Call("substring", C, (1, 2)), STRING),
    (TIMESTAMP, time("1500-01-01"), ">=", Call("date_format", C, ("yyyy-MM",)), STRING),
    (TIMESTAMP, time("+10000-01-02"), "<=", Call("date_format", C, ("yyyy-MM",)), STRING),
    (DATE, date("+10001-01-01"), "<", C, DATE),
    (STRING, Literal("abcd", STRING), "<", Call("substring", C, (2, 2)), STRING),
    (STRING, Literal("x", STRING), "=", Call("hour", C), INTEGER),
    (STRING, Literal("x", STRING), "=", Call("date_trunc", C, ("DAY",)), TIMESTAMP),
    (STRING, Literal("x", STRING), "=", Call("date_format", C, ("yyyy",)), STRING),
    (STRING, Literal("2024-05-06", STRING), ">", AS_DATE, DATE),
    (STRING, Literal("2024-02-30", STRING), "=", AS_DATE, DATE),
    (STRING, Literal("2024-5-6", STRING), "=", AS_DATE, DATE),
    (LONG, Literal(7, LONG), "<", Cast(C, INTEGER), INTEGER),
    (LONG, Literal(2**31, LONG), "=", Cast(C, INTEGER), INTEGER),
    (LONG, Literal(7, INTEGER), "=", C, LONG),
    (LONG, Literal(7, LONG), "=", Call("year", C), INTEGER),
    (LONG, Literal(7, LONG), "=", Call("trunc", C, ("MM",)), DATE),
    (DEC, Literal(7, DecimalType(5, 1)), "=", C, DEC),
    (DOUBLE, Literal(7.0, DOUBLE), "=", Cast(C, INTEGER), INTEGER),
    (BINARY, Literal(b"x", BINARY), "=", C, BINARY),
    (ArrayType(LONG), Literal(7, LONG), "=", C, ArrayType(LONG)),
    (UnknownType("string collate UNICODE"), Literal("a", STRING), "=", C, STRING),
]  # fmt: skip


@pytest.mark.parametrize(("base", "literal", "operator", "form", "kind"), NOTHING)
def test_nothing_follows(base, literal, operator, form, kind):
    assert derived(Comparison(operator, C, literal), base, form, kinds=[kind]) == []


def test_literal_may_stand_on_the_left():
    condition = Comparison("<", date("2024-05-06"), C)

    assert derived(condition, DATE, C, kinds=[DATE]) == ["`p` IS NULL OR `p` >= DATE '2024-05-07'"]


def test_bounds_past_the_years_of_literals_are_moved_inside():
    late = Comparison(">", C, date("+12000-01-01"))
    early = Comparison("<", C, date("-0044-01-01"))

    assert derived(late, DATE, C, kinds=[DATE]) == ["`p` IS NULL OR `p` >= DATE '9999-12-31'"]
    assert derived(early, DATE, C, kinds=[DATE]) == ["`p` IS NULL OR `p` <= DATE '0001-01-01'"]


TOGETHER = {
    1: "`p` IS NULL OR `p` >= 2023",
    2: "`p` IS NULL OR `q` IS NULL OR `p` > 2023 OR (`p` = 2023 AND (`q` >= 12))",
    3: "`p` IS NULL OR `q` IS NULL OR `r` IS NULL OR `p` > 2023 OR (`p` = 2023 AND "
    "(`q` > 12 OR (`q` = 12 AND (`r` >= 31))))",
    4: "`p` IS NULL OR `q` IS NULL OR `r` IS NULL OR `s` IS NULL OR `p` > 2023 OR (`p` = 2023 AND "
    "(`q` > 12 OR (`q` = 12 AND (`r` > 31 OR (`r` = 31 AND (`s` >= 7))))))",
}


@pytest.mark.parametrize("count", TOGETHER)
def test_year_month_day_and_hour_are_compared_together(count):
    condition = Comparison(">=", C, time("2024-01-01 01:30:00"))

    found = derived(
        condition, TIMESTAMP, *(YEAR, MONTH, DAY, HOUR)[:count], kinds=[INTEGER] * count
    )

    assert found == [TOGETHER[count]]


def test_date_and_hour_are_compared_together():
    condition = Comparison("<=", C, time("2024-01-01 01:30:00", TIMESTAMP_NTZ))

    found = derived(condition, TIMESTAMP_NTZ, HOUR, AS_DATE, kinds=[INTEGER, DATE])

    assert found == [
        (
            "`q` IS NULL OR `p` IS NULL OR `q` < DATE '2024-01-01' OR "
            "(`q` = DATE '2024-01-01' AND (`p` <= 1))"
        )
    ]


def test_equal_parts_of_a_date():
    year, month = Call("year", C), Call("month", C)
    listed = In(C, (0, 1, 40), DATE)

    found = derived(listed, DATE, year, month, kinds=[INTEGER, INTEGER])

    assert found == [
        "`p` IS NULL OR `q` IS NULL OR (`p` = 1970 AND `q` = 1) OR (`p` = 1970 AND `q` = 2)"
    ]


def test_parts_of_times_that_differ_are_not_put_together():
    # The date of a timestamp made of a date may be a later one.
    through_time = Call("hour", Cast(C, TIMESTAMP))
    condition = Comparison("=", C, date("2024-05-06"))

    found = derived(condition, DATE, Call("year", C), through_time, kinds=[INTEGER, INTEGER])

    assert found == ["`p` IS NULL OR `p` = 2024"]


def test_parts_of_a_text_that_is_a_date():
    forms = Call("year", AS_DATE), Call("month", AS_DATE)
    condition = Comparison("=", C, Literal("2024-05-06", STRING))

    found = derived(condition, STRING, *forms, kinds=[INTEGER, INTEGER])

    assert found == ["`p` IS NULL OR `q` IS NULL OR (`p` = 2024 AND `q` = 5)"]


def test_bounds_that_are_not_known_say_nothing_of_parts():
    forms = Call("year", AS_DATE), Call("month", AS_DATE)
    condition = Comparison(">", C, Literal("2024-05-06", STRING))

    assert derived(condition, STRING, *forms, kinds=[INTEGER, INTEGER]) == []


def test_date_made_a_timestamp_may_be_a_day_later():
    # On 2011-12-30 there was no day in Samoa: its start is that of the day after.
    form = Call("date_format", Cast(C, TIMESTAMP), ("yyyy-MM-dd",))
    condition = Comparison("=", C, date("2011-12-30"))

    assert derived(condition, DATE, form, kinds=[STRING]) == [
        "`p` IS NULL OR length(`p`) <> 10 OR (`p` >= '2011-12-30' AND `p` <= '2011-12-31')"
    ]


def test_null_base_is_a_null_partition_for_all_forms():
    forms, kinds = (AS_DATE, MONTH, HOUR), [DATE, INTEGER, INTEGER]
    expected = ["`p` IS NULL", "`q` IS NULL", "`r` IS NULL"]

    assert derived(IsNull(C), TIMESTAMP, *forms, kinds=kinds) == expected
    assert derived(IsNull(CastValue(C, DATE)), TIMESTAMP, *forms, kinds=kinds) == expected
    assert derived(IsNull(YearValue(C)), DATE, C, kinds=[DATE]) == ["`p` IS NULL"]
    for sides in ((C, Literal(None, TIMESTAMP)), (Literal(None, TIMESTAMP), C)):
        condition = Comparison("<=>", *sides)
        assert derived(condition, TIMESTAMP, *forms, kinds=kinds) == expected


@pytest.mark.parametrize(
    "condition",
    [
        Not(IsNull(C)),
        Not(In(C, (1,), INTEGER)),
        Not(Comparison("=", C, Literal(1, INTEGER))),
        Not(Comparison("<=>", C, Literal(1, INTEGER))),
        IsNull(Comparison("=", C, Literal(1, INTEGER))),
        IsNull(Literal(None, INTEGER)),
        Constant(value=False),
        Unknown(),
        Comparison("=", C, Column(("p",))),
        Comparison("=", Literal(1, INTEGER), Literal(1, INTEGER)),
        Comparison("=", Column(("p",)), Literal(1, INTEGER)),
        Comparison("=", Column(("gone",)), Literal(1, INTEGER)),
        Comparison("=", Column(("c", "x")), Literal(1, INTEGER)),
        Comparison("=", YearValue(C), Literal(1, INTEGER)),
        Comparison("=", CastValue(C, DOUBLE), Literal(1.0, DOUBLE)),
        Comparison("=", CastValue(Column(("gone",)), LONG), Literal(1, LONG)),
        Comparison("=", CastValue(Literal(1, INTEGER), LONG), Literal(1, LONG)),
        Or((Comparison("=", C, Literal(1, INTEGER)), Unknown())),
        Or(()),
    ],
)
def test_conditions_that_say_nothing(condition):
    assert derived(condition, INTEGER, C, kinds=[INTEGER]) == []


def test_conjunctions_disjunctions_and_negations():
    low, high = (Comparison(sign, C, Literal(5, INTEGER)) for sign in ("<", ">"))

    def found(condition):
        return derived(condition, INTEGER, C, kinds=[INTEGER])

    below, above = "`p` IS NULL OR `p` <= 4", "`p` IS NULL OR `p` >= 6"
    assert found(And((low, Unknown(), high, low))) == [below, above]
    assert found(Or((low, high))) == [f"{below} OR {above}"]
    assert found(IsTrue(low)) == [below]
    assert found(Not(low)) == ["`p` IS NULL OR `p` >= 5"]
    assert found(Not(Not(low))) == [below]
    assert found(Not(Or((low, high)))) == ["`p` IS NULL OR `p` >= 5", "`p` IS NULL OR `p` <= 5"]
    both = "((`p` IS NULL OR `p` <= 4) AND (`p` IS NULL OR `p` >= 6))"
    assert found(Or((And((low, high)), high))) == [f"{both} OR {above}"]
    assert found(Not(And((low, high)))) == ["`p` IS NULL OR `p` >= 5 OR `p` IS NULL OR `p` <= 5"]


def test_long_disjunction_says_nothing():
    def found(count):
        points = (Comparison("=", C, Literal(one, INTEGER)) for one in range(count))
        return derived(Or(tuple(points)), INTEGER, C, kinds=[INTEGER])

    assert len(found(200)) == 1
    assert found(201) == []


def test_lists_become_lists_or_ranges():
    form = Call("trunc", C, ("YEAR",))

    assert derived(In(C, (5, 3, 5), INTEGER), INTEGER, C, kinds=[INTEGER]) == [
        "`p` IS NULL OR `p` IN (3, 5)"
    ]
    assert derived(In(C, (5, 6), DATE), DATE, form, kinds=[DATE]) == [
        "`p` IS NULL OR `p` = DATE '1970-01-01'"
    ]
    for count in (400, 4000):
        many = In(C, tuple(range(0, count, 2)), INTEGER)
        assert derived(many, INTEGER, C, kinds=[INTEGER]) == [
            f"`p` IS NULL OR (`p` >= 0 AND `p` <= {count - 2})"
        ]
    day = 86_400_000_000
    times = In(C, (0, day // 4, 9 * day), TIMESTAMP)
    assert derived(times, TIMESTAMP, AS_DATE, kinds=[DATE]) == [
        (
            "`p` IS NULL OR (`p` >= DATE '1969-12-31' AND `p` <= DATE '1970-01-02') OR "
            "(`p` >= DATE '1970-01-09' AND `p` <= DATE '1970-01-10')"
        )
    ]


def test_list_with_a_value_that_nothing_follows_from():
    listed = In(C, ("2024-05-06", "May"), STRING)

    assert derived(listed, STRING, AS_DATE, kinds=[DATE]) == []
    assert derived(listed, STRING, YEAR, MONTH, kinds=[INTEGER, INTEGER]) == []


def test_beginnings_of_texts():
    def found(prefix, form=C):
        return derived(StartsWith(C, prefix), STRING, form, kinds=[STRING])

    assert found("ab") == ["`p` IS NULL OR (`p` >= 'ab' AND `p` < 'ac')"]
    assert found("ab", Call("substring", C, (1, 2))) == [
        "`p` IS NULL OR (`p` >= 'ab' AND `p` < 'ac')"
    ]
    assert found("ab", Call("substring", C, (0, 1))) == ["`p` IS NULL OR `p` = 'a'"]
    assert found("") == []
    assert found("\U0010ffff") == ["`p` IS NULL OR `p` >= '\U0010ffff'"]
    assert found("\ud7ff") == ["`p` IS NULL OR (`p` >= '\ud7ff' AND `p` < '\ue000')"]


CASTS = [
    (TIMESTAMP, DATE, date("2024-05-06"), False, AS_DATE, DATE, "2024-05-04", "2024-05-08"),
    (TIMESTAMP, DATE, date("2024-05-06"), True, AS_DATE, DATE, "2024-05-05", "2024-05-07"),
    (DATE, TIMESTAMP, NOON, False, C, DATE, "2024-05-06", "2024-05-07"),
    (DATE, TIMESTAMP, time("2024-05-06 19:00:00"), False, C, DATE, "2024-05-07", "2024-05-07"),
]


@pytest.mark.parametrize(("base", "to", "literal", "utc", "form", "kind", "low", "high"), CASTS)
def test_filter_on_a_cast_of_the_column(base, to, literal, utc, form, kind, low, high):
    condition = Comparison("=", CastValue(C, to, in_utc=utc), literal)
    bounds = f"(`p` >= DATE '{low}' AND `p` <= DATE '{high}')"
    if low == high:
        bounds = f"`p` = DATE '{low}'"

    found = derived(condition, base, form, kinds=[kind])

    assert found == [f"`p` IS NULL OR {bounds}"]


def test_filter_on_the_year_of_the_column():
    condition = Comparison("=", YearValue(C), Literal(2024, INTEGER))

    assert derived(condition, DATE, C, kinds=[DATE]) == [
        "`p` IS NULL OR (`p` >= DATE '2024-01-01' AND `p` <= DATE '2024-12-31')"
    ]


def test_filter_on_a_wider_number():
    whole = Comparison("<", CastValue(C, LONG), Literal(7, LONG))
    exact = Comparison("<", CastValue(C, DecimalType(12, 3)), Literal(7001, DecimalType(12, 3)))

    assert derived(whole, INTEGER, C, kinds=[INTEGER]) == ["`p` IS NULL OR `p` <= 6"]
    assert derived(exact, DEC, C, kinds=[DEC]) == ["`p` IS NULL OR `p` <= 7.00"]


def test_names_are_compared_without_case_and_quoted():
    schema = StructType(
        (
            StructField("s", StructType((StructField("Ts", DATE),))),
            StructField("day `of`", DATE),
            StructField("${day}", DATE),
        )
    )
    fields = [(field, field.name) for field in schema.fields[1:]]
    derivation = Derivation.over(schema, fields, lambda *_: Column(("S", "tS")))

    found = derivation.derived(Comparison("=", Column(("s", "Ts")), date("2024-05-06")))

    assert found == ["`day ``of``` IS NULL OR `day ``of``` = DATE '2024-05-06'"]


@pytest.mark.parametrize("column", ["c", "p"])
def test_padded_texts_say_nothing(column):
    condition = Comparison("=", C, Literal("ab", STRING))
    declared = {column: {"__CHAR_VARCHAR_TYPE_STRING": "char(5)"}}
    varying = {column: {"__CHAR_VARCHAR_TYPE_STRING": "varchar(5)"}}

    assert derived(condition, STRING, C, kinds=[STRING], metadata=declared) == []
    assert derived(condition, STRING, C, kinds=[STRING], metadata=varying) != []


def test_expression_that_is_not_understood_or_over_no_column_of_the_table():
    condition = Comparison("=", C, Literal(1, INTEGER))

    assert derived(condition, INTEGER, None, kinds=[INTEGER]) == []
    assert derived(condition, INTEGER, Column(("gone",)), kinds=[INTEGER]) == []
