"""Filters as text, without Spark, choose the rows that Spark's WHERE chooses."""

import pytest

import puredelta

COLUMNS = (
    "id INT, b TINYINT, i INT, l BIGINT, f FLOAT, d DOUBLE, c DECIMAL(7,2), w DECIMAL(38,10), "
    "s STRING, t BOOLEAN, day DATE, at TIMESTAMP, wall TIMESTAMP_NTZ, k CHAR(4), v VARCHAR(9), "
    "st STRUCT<a: INT, `b c`: STRING>, bin BINARY, `odd name` INT, p INT, q STRING"
)
ROWS = [
    (
        "(1, 1, 1, 1, 1.5, 0.1, 1.50, 1.5, 'a', true, DATE'2024-05-01', "
        "TIMESTAMP'2024-05-01 10:00:00', TIMESTAMP_NTZ'2024-05-01 10:00:00', 'ab', 'x', "
        "named_struct('a', 1, 'b c', 'z'), X'61', 1, 1, 'one')"
    ),
    (
        "(2, -128, -5, 9007199254740993, 0.1, double('NaN'), -2.25, -0.0000000001, 'A%b_c', false, "
        "DATE'1969-12-31', TIMESTAMP'1969-12-31 23:59:59.999999', "
        "TIMESTAMP_NTZ'1969-12-31 23:59:59.999999', 'abcd', 'xy', "
        "named_struct('a', NULL, 'b c', 'y'), X'FF', 2, 2, 'it\\'s')"
    ),
    (
        "(3, 127, 2147483647, 9223372036854775807, float('NaN'), double('Infinity'), 99999.99, "
        "9999999999999999999999999999.9999999999, '', true, DATE'9999-12-31', "
        "TIMESTAMP'2024-05-01 12:00:00', TIMESTAMP_NTZ'2024-05-01 12:00:00', '', '', "
        "NULL, X'', 3, 3, NULL)"
    ),
    (
        "(4, 0, 0, 0, -0.0, 0.0, 0.00, 0, 'ab\\ncd', NULL, DATE'2024-05-02', "
        "TIMESTAMP'2024-05-02 00:00:00', TIMESTAMP_NTZ'2024-05-02 00:00:00', 'b', 'x ', "
        "named_struct('a', 4, 'b c', NULL), X'6162', 4, NULL, 'b c')"
    ),
    (
        "(5, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
        "NULL, NULL, NULL, 10, 'x')"
    ),
    (
        "(6, 5, 5, 5, 16777216.0, -1.5, 5.00, 5, 'é漢', false, DATE'2024-04-30', "
        "TIMESTAMP'2024-04-30 10:00:00', TIMESTAMP_NTZ'2024-04-30 10:00:00', 'é', 'éé', "
        "named_struct('a', 5, 'b c', 'a'), X'62', 5, 5, 'y')"
    ),
]
# Left out is `l < 9223372036854775808`, which Spark takes for true where l is null.
FILTERS = """
i = 1
i <> 1
NOT i = 1
i != 1 AND l > 0
i = 1.0
i = 1.5
i < 1.5
i <= 0.5
NOT i < 1.5
i > 3000000000
i < 3000000000
NOT i > 3000000000
i >= -2147483649
b < 1000
b > -1000.5
b = 128
b <> 128
NOT b = 128
l = 9007199254740993
l = 9007199254740992
l = 9007199254740993L
l > 9223372036854775807
i = '1'
1 < i
5 >= i
i <=> 1
i <=> NULL
NOT i <=> NULL
i = NULL
NOT (i = NULL)
i IS NULL
i IS NOT NULL
i IN (1, 5)
i IN (1, 5.5, 2.0)
i IN (1, NULL)
i NOT IN (1, NULL)
i NOT IN (1, 5)
i IN (7.5)
i NOT IN (7.5)
i IN (NULL)
i BETWEEN 0 AND 4.5
i NOT BETWEEN 0 AND 4.5
i BETWEEN NULL AND 4
i = l
i < l
i <> b
f = 0.1
f > 0.1
f < 0.1
f > 1
f >= 1.5F
f = 16777217
f = 0
f < 0
f = 0.1F
f <> 0.1F
NOT f > 1
f IN (1.5, 16777216)
f NOT IN (1.5)
f = f
f = d
f < d
d < f
d > 0
d >= 1e300
d < 0
d <= 0.1
d = 0.1
d = 'NaN'
d <> 'NaN'
d < 'NaN'
d <= 'NaN'
d > 'NaN'
d >= 'NaN'
d = 'Infinity'
d IN (0.1, 0.0)
d NOT IN (0.1)
d = -0.0
d BETWEEN -2 AND 0.1
i < 1.5D
i = 1e0
c = 1.5
c = 1.505
c < 1.505
c <> 1.505
c > 100000
c < 100000
c >= -2.25
c IN (1.5, 99999.99, 0.001)
c = 5
c = i
c < w
c <=> w
w > 0
w < 0
w >= 9999999999999999999999999999.9999999999
w < 99999999999999999999999999999
w = -1e-10BD
s = 'a'
s > 'a'
s < 'b'
s = ''
s <> ''
s IN ('a', '')
s NOT IN ('a')
s LIKE 'a%'
s LIKE '%a%'
s LIKE 'A\\\\%b\\\\_c'
s LIKE 'A!%b!_c' ESCAPE '!'
s LIKE 'A_b_c'
s LIKE 'ab%cd'
s LIKE 'ab_cd'
s LIKE '__'
s LIKE ''
s LIKE '%'
s NOT LIKE '%b%'
s LIKE 'é%'
s LIKE 'a.c'
s = "a"
s = 'ab\\ncd'
s = v
t
NOT t
t = true
t <> false
t IS TRUE
t IS NOT TRUE
t IS FALSE
t IS UNKNOWN
(i > 1) IS UNKNOWN
(i > 1) IS NOT UNKNOWN
(i > 1 OR t) IS NOT TRUE
t = 'true'
t OR i = 5
t AND i > 1
true
false
NULL
NOT NULL
day = '2024-05-01'
day >= DATE '2024-05-01'
day < DATE'1970-01-01'
day BETWEEN '2024-05-01' AND '2024-05-31'
day IN ('2024-05-01', DATE '9999-12-31')
at = '2024-05-01 10:00:00'
at >= TIMESTAMP '2024-05-01 10:00:00'
at < '1970-01-01'
at = '2024-05-01T12:00:00+02:00'
at > DATE '2024-05-01'
wall = '2024-05-01 10:00:00'
wall >= TIMESTAMP_NTZ '2024-05-01 12:00:00'
k = 'ab'
k = 'ab  '
k = 'ab      '
k <> 'ab'
k < 'abcd'
k >= 'ab'
k IN ('b', 'abcd')
k NOT IN ('b')
k = ''
k = k
v = 'x'
v = 'x '
st.a = 1
st.a IS NULL
st.`b c` > 'a'
st IS NULL
st.a = i
st.a <=> i
bin = 'a'
bin > 'a'
`odd name` >= 3
P = 1
p IN (2, 10)
p IS NULL
p > 2 AND id < 10
q = 'it\\'s'
q LIKE 'b%'
q IS NULL OR q = 'x'
q NOT IN ('x', 'y')
i = 1 OR i = 5 AND p = 5
(i = 1 OR i = 5) AND p = 5
NOT (i = 1 AND s = 'a')
NOT (i = 1 OR s IS NULL)
NOT NOT i = 1
""".strip().splitlines()
# Two quotes in a text are one in SQL and from Spark 4.1 on; Spark 4.0 drops both.
QUOTES = "q = 'it''s'"


@pytest.fixture(scope="module")
def path(spark, tmp_path_factory):
    """Write a table of a row a file, so that statistics can skip each of them."""
    folder = str(tmp_path_factory.mktemp("filters") / "t")
    spark.sql(
        f"CREATE TABLE delta.`{folder}` ({COLUMNS}) USING delta PARTITIONED BY (p, q) "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    values = " UNION ALL ".join(f"SELECT * FROM VALUES {row}" for row in ROWS)
    spark.sql(f"INSERT INTO delta.`{folder}` {values}")
    return folder


def test_rows_are_those_that_spark_chooses(spark, path):
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    table = puredelta.open_table(path)
    assert table.snapshot.num_files == len(ROWS)
    filters = FILTERS if spark.version.startswith("4.0") else [*FILTERS, QUOTES]
    answers = ", ".join(f"(({text}) IS TRUE)" for text in filters)
    found = spark.sql(f"SELECT id, array({answers}) AS chosen FROM delta.`{path}`").collect()

    wrong = {}
    for number, text in enumerate(filters):
        expected = sorted(row.id for row in found if row.chosen[number])
        chosen = sorted(table.to_arrow(["id"], text)["id"].to_pylist())
        if chosen != expected:
            wrong[text] = (chosen, expected)
    assert wrong == {}


def test_time_zone_of_timestamps(spark, path):
    from puredelta.rows.filters import text_filter

    spark.conf.set("spark.sql.session.timeZone", "Europe/Oslo")
    text = "at < '2024-05-01 14:00:00' AND at >= DATE '2024-05-01'"
    table = puredelta.open_table(path)
    try:
        expected = spark.sql(f"SELECT id FROM delta.`{path}` WHERE {text}").collect()
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")

    chosen = table.to_arrow(["id"], text_filter(text, table.schema, "Europe/Oslo"))
    assert sorted(chosen["id"].to_pylist()) == sorted(row.id for row in expected)
