"""A value of each type is written alike by the driver, without a job, and by a job."""

import json

import pyarrow.parquet as pq
import pytest

from puredelta.log import open_table

LONG = "repeat('ab', 40)"

# Column -> its type, and values for its rows; rows beyond them are null.
CASES = {
    "flag": ("BOOLEAN", ["true", "false"]),
    "flag_null": ("BOOLEAN", []),
    "i8": ("TINYINT", ["-128Y", "127Y", "0Y"]),
    "i16": ("SMALLINT", ["-32768S", "32767S"]),
    "i32": ("INT", ["-2147483648", "2147483647"]),
    "i64": ("BIGINT", ["-9223372036854775808", "9223372036854775807"]),
    "i32_null": ("INT", []),
    "i32_not_null": ("INT NOT NULL", ["1", "2", "3"]),
    "f": ("FLOAT", ["1.5F", "-0.0F", "float('3.4028235E38')"]),
    "f_nan": ("FLOAT", ["float('NaN')", "1F"]),
    "f_infinite": ("FLOAT", ["float('Infinity')", "float('-Infinity')"]),
    "d": ("DOUBLE", ["1e-300D", "-1e300D", "0.1D"]),
    "d_nan": ("DOUBLE", ["double('NaN')", "double('NaN')"]),
    "d_zeros": ("DOUBLE", ["0D", "-0D"]),
    "dec_small": ("DECIMAL(5, 2)", ["999.99", "-999.99", "0"]),
    "dec_middle": ("DECIMAL(18, 9)", ["123456789.123456789", "-0.000000001"]),
    "dec_large": ("DECIMAL(38, 0)", ["99999999999999999999999999999999999999", "-1"]),
    "dec_scale": ("DECIMAL(38, 38)", ["0.00000000000000000000000000000000000001"]),
    "s": ("STRING", ["'a'", "''", "'zoë 😀'"]),
    "s_long": ("STRING", [LONG, f"concat('z', {LONG})"]),
    "s_high": ("STRING", ["'\\uffff'", "repeat('\\U0010ffff', 40)"]),
    "s_null": ("STRING", []),
    "c": ("CHAR(5)", ["'ab'", "'abcde'"]),
    "v": ("VARCHAR(5)", ["'ab'", "'ab '"]),
    "bin": ("BINARY", ["X'00ff'", "X''"]),
    "day": ("DATE", ["DATE'0001-01-01'", "DATE'9999-12-31'", "DATE'1582-10-04'"]),
    "at": ("TIMESTAMP", ["TIMESTAMP'2020-01-02 03:04:05.123456'", "TIMESTAMP'1700-01-01'"]),
    "at_early": ("TIMESTAMP", ["TIMESTAMP'0001-01-01 00:00:00'"]),
    "at_ntz": (
        "TIMESTAMP_NTZ",
        ["TIMESTAMP_NTZ'2020-01-02 03:04:05.999999'", "TIMESTAMP_NTZ'1969-12-31 23:59:59.9999'"],
    ),
    "variant": ("VARIANT", ["""parse_json('{"a": [1, null]}')""", "parse_json('1')"]),
    "st": ("STRUCT<a: INT, b: STRING>", ["named_struct('a', 1, 'b', 'x')"]),
    "st_nulls": (
        "STRUCT<a: INT, b: STRUCT<c: DATE>>",
        ["named_struct('a', NULL, 'b', named_struct('c', DATE'2020-01-01'))",
         "named_struct('a', 2, 'b', NULL)"],
    ),
    "st_null": ("STRUCT<a: INT>", []),
    "arr": ("ARRAY<INT>", ["array(1, NULL)", "array()"]),
    "arr_st": ("ARRAY<STRUCT<a: DECIMAL(9, 1)>>", ["array(named_struct('a', 1.5), NULL)"]),
    "arr_arr": ("ARRAY<ARRAY<STRING>>", ["array(array('x'), array(), NULL)"]),
    "m": ("MAP<STRING, INT>", ["map('k', 1, 'l', NULL)", "map()"]),
    "m_st": (
        "MAP<STRUCT<a: INT>, ARRAY<TIMESTAMP>>",
        ["map(named_struct('a', 1), array(TIMESTAMP'2020-01-01 00:00:00'))"],
    ),
    "from_int": ("BIGINT", ["1", "2"]),
    "from_date": ("STRING", ["DATE'2020-01-01'"]),
    "to_double": ("DOUBLE", ["1", "1.5"]),
}  # fmt: skip
ROWS = 3

PARTITIONED = {
    "BOOLEAN": ["true", "false"],
    "INT": ["-1", "2147483647"],
    "DOUBLE": ["1e30D", "double('NaN')", "-0D"],
    "DECIMAL(10, 3)": ["1.5", "-0.001"],
    "STRING": ["'a b'", "''", "'x/y=z%'", "'ü😀'", "'it''s'"],
    "CHAR(4)": ["'a'", "'abcd'"],
    "DATE": ["DATE'0999-01-01'", "DATE'2020-02-29'"],
    "TIMESTAMP": ["TIMESTAMP'2020-01-02 03:04:05.1'", "TIMESTAMP'2020-01-02 03:04:05'"],
    "TIMESTAMP_NTZ": ["TIMESTAMP_NTZ'2020-01-02 03:04:05.1'"],
}

WAYS = {"local": "SELECT * FROM", "job": "SELECT /*+ REPARTITION(1) */ * FROM"}
EVERY_COLUMN = "TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '-1')"


def jobs_of(spark, action):
    tracker = spark.sparkContext.statusTracker()
    spark.sparkContext.setJobGroup("both ways", "both ways")
    before = len(tracker.getJobIdsForGroup("both ways"))
    action()
    return len(tracker.getJobIdsForGroup("both ways")) - before


def stored(root):
    """The statistics and the Parquet schema of a table's only file."""
    files = open_table(str(root)).files().to_pylist()
    assert len(files) == 1
    return json.loads(files[0]["stats"]), pq.read_schema(root / files[0]["path"])


@pytest.fixture(scope="module")
def both(spark, tmp_path_factory):
    """The same rows written in both ways: folder by way."""
    folder = tmp_path_factory.mktemp("types")
    names = list(CASES)
    declared = ", ".join(f"{name} {CASES[name][0]}" for name in names)
    rows = [
        "(" + ", ".join((*CASES[name][1], *["NULL"] * ROWS)[place] for name in names) + ")"
        for place in range(ROWS)
    ]
    values = f"VALUES {', '.join(rows)}"
    jobs = {}
    for way, query in WAYS.items():
        table = f"delta.`{folder}/{way}`"
        spark.sql(f"CREATE TABLE {table} ({declared}) USING delta {EVERY_COLUMN}")
        statement = f"INSERT INTO {table} {query} {values} AS v({', '.join(names)})"
        jobs[way] = jobs_of(spark, lambda statement=statement: spark.sql(statement))
    assert jobs["local"] == 0
    assert jobs["job"] > 0
    return {way: folder / way for way in WAYS}


@pytest.mark.parametrize("name", CASES)
def test_column_is_the_same_in_rows_statistics_and_parquet_schema(spark, both, name):
    shown, kept = {}, {}
    for way, root in both.items():
        frame = spark.read.format("delta").load(str(root))
        text = f"CAST({name} AS STRING)"
        shown[way] = sorted(str(row) for row in frame.selectExpr(f"{text} AS v").collect())
        stats, schema = stored(root)
        told = {key: stats[key].get(name) for key in ("minValues", "maxValues", "nullCount")}
        kept[way] = (stats["numRecords"], told, schema.field(name))

    assert shown["local"] == shown["job"]
    assert kept["local"] == kept["job"]
    assert kept["local"][0] == ROWS


def test_whole_tables_are_the_same(spark, both):
    schemas = {way: spark.read.format("delta").load(str(root)).schema for way, root in both.items()}
    stats = {way: stored(root)[0] for way, root in both.items()}
    parquet = {way: stored(root)[1].remove_metadata() for way, root in both.items()}

    assert schemas["local"] == schemas["job"]
    assert stats["local"] == stats["job"]
    assert parquet["local"] == parquet["job"]


@pytest.mark.parametrize("kind", PARTITIONED)
def test_partition_values_are_the_same(spark, tmp_path, kind):
    values = [*PARTITIONED[kind], f"CAST(NULL AS {kind})"]
    rows = ", ".join(f"({place}, {value})" for place, value in enumerate(values))
    found = {}
    for way, query in WAYS.items():
        table = f"delta.`{tmp_path}/{way}`"
        spark.sql(f"CREATE TABLE {table} (id INT, p {kind}) USING delta PARTITIONED BY (p)")

        spark.sql(f"INSERT INTO {table} {query} VALUES {rows} AS v(id, p)")

        files = open_table(f"{tmp_path}/{way}").snapshot.files.to_pylist()
        in_log = {
            (row["stats"], str(row["partition_values"]), row["path"].rpartition("/")[0])
            for row in files
        }
        read = spark.sql(f"SELECT id, CAST(p AS STRING) AS p FROM {table} ORDER BY id").collect()
        found[way] = (in_log, read)

    assert found["local"] == found["job"]
    assert len(found["local"][1]) == len(values)
