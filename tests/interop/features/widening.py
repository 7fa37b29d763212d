"""Type widening: every supported change, nested, in partition columns, with other features."""

from __future__ import annotations

from tests.interop.features.scenario import Scenario, one_file

PROPERTY = "'delta.enableTypeWidening' = 'true', 'delta.feature.timestampNtz' = 'supported'"
PREVIEW = "'delta.feature.typeWidening-preview' = 'supported'"

# Old type, value in it, new type, value that only fits the new one.
CHANGES = {
    "byte_short": ("TINYINT", "127Y", "SMALLINT", "32767S"),
    "byte_int": ("TINYINT", "-128Y", "INT", "2147483647"),
    "byte_long": ("TINYINT", "1Y", "BIGINT", "9223372036854775807L"),
    "short_int": ("SMALLINT", "-32768S", "INT", "-2147483648"),
    "short_long": ("SMALLINT", "2S", "BIGINT", "-9223372036854775808L"),
    "int_long": ("INT", "2147483647", "BIGINT", "2147483648L"),
    "float_double": ("FLOAT", "1.1F", "DOUBLE", "1.0E300D"),
    "byte_double": ("TINYINT", "3Y", "DOUBLE", "0.1D"),
    "short_double": ("SMALLINT", "3S", "DOUBLE", "-0.1D"),
    "int_double": ("INT", "2147483647", "DOUBLE", "1.0E-300D"),
    "date_ntz": (
        "DATE",
        "DATE'1900-01-01'",
        "TIMESTAMP_NTZ",
        "TIMESTAMP_NTZ'2024-02-29 12:34:56.7'",
    ),
    "decimal_precision": ("DECIMAL(5,2)", "-999.99BD", "DECIMAL(20,2)", "123456789012345.67BD"),
    "decimal_scale": ("DECIMAL(9,2)", "1234567.89BD", "DECIMAL(38,10)", "0.0123456789BD"),
    "decimal_long": ("DECIMAL(18,4)", "12345678901234.5678BD", "DECIMAL(19,4)", "-1.0001BD"),
    "byte_decimal": ("TINYINT", "-5Y", "DECIMAL(10,0)", "1234567890BD"),
    "short_decimal": ("SMALLINT", "-5S", "DECIMAL(12,2)", "1234567890.12BD"),
    "int_decimal": ("INT", "-2147483648", "DECIMAL(11,1)", "1234567890.1BD"),
    "long_decimal": ("BIGINT", "-9223372036854775808L", "DECIMAL(38,18)", "0.000000000000000001BD"),
}
COLUMNS = ", ".join(f"{name} {old}" for name, (old, _, _, _) in CHANGES.items())
PARTITIONS = {
    name: CHANGES[name] for name in ("int_long", "date_ntz", "decimal_scale", "byte_short")
}


def _row(which: int, changes: dict[str, tuple[str, str, str, str]] = CHANGES) -> str:
    return ", ".join(change[which] for change in changes.values())


def _widen(changes: dict[str, tuple[str, str, str, str]]) -> tuple[str, ...]:
    return (
        "ALTER TABLE {t} ALTER COLUMN "
        + ", ".join(f"{name} TYPE {change[2]}" for name, change in changes.items()),
    )


EVERY_CHANGE = (
    f"CREATE TABLE {{t}} (id INT, {COLUMNS}) USING delta TBLPROPERTIES ({PROPERTY})",
    one_file(f"(1, {_row(1)})"),
    "INSERT INTO {t} (id) VALUES (2)",
    *_widen(CHANGES),
    one_file(f"(3, {_row(3)})"),
)
EVERY_QUERY = tuple(
    f"SELECT id, {name} FROM {{t}} WHERE {name} {sign} {value}"
    for name, (_, old, _, new) in CHANGES.items()
    for sign, value in (("=", old), ("=", new), ("<", new))
    # There delta-spark skips the file: the statistics say 1.1, which is less than 1.1F as DOUBLE.
    if value != "1.1F"
)
NESTED = (
    (
        "CREATE TABLE {t} (id INT, s STRUCT<a: TINYINT, b: STRUCT<c: DATE>>, l ARRAY<SMALLINT>,"
        " m MAP<INT, FLOAT>, ls ARRAY<STRUCT<x: INT>>) USING delta"
        f" TBLPROPERTIES ({PROPERTY}, 'delta.columnMapping.mode' = 'name')"
    ),
    one_file("""(1, named_struct('a', 1Y, 'b', named_struct('c', DATE'2020-01-02')),
        array(1S, NULL, 32767S), map(1, 1.5F), array(named_struct('x', 7)))"""),
    "ALTER TABLE {t} ALTER COLUMN s.a TYPE BIGINT",
    "ALTER TABLE {t} ALTER COLUMN s.b.c TYPE TIMESTAMP_NTZ",
    "ALTER TABLE {t} ALTER COLUMN l.element TYPE BIGINT",
    "ALTER TABLE {t} ALTER COLUMN m.key TYPE BIGINT",
    "ALTER TABLE {t} ALTER COLUMN m.value TYPE DOUBLE",
    "ALTER TABLE {t} ALTER COLUMN ls.element.x TYPE DOUBLE",
    one_file("""(2, named_struct('a', 9999999999L, 'b', named_struct('c',
        TIMESTAMP_NTZ'2024-01-01 01:02:03')), array(9999999999L), map(9999999999L, 1.0E300D),
        array(named_struct('x', 0.5D)))"""),
)

SCENARIOS: dict[str, Scenario] = {
    "widening_of_every_type": Scenario(steps=EVERY_CHANGE, at=(1, 2, 3), queries=EVERY_QUERY),
    "widening_twice": Scenario(
        steps=(
            f"CREATE TABLE {{t}} (id INT, n TINYINT) USING delta TBLPROPERTIES ({PROPERTY})",
            one_file("(1, 1Y)"),
            "ALTER TABLE {t} ALTER COLUMN n TYPE SMALLINT",
            one_file("(2, 300S)"),
            "ALTER TABLE {t} ALTER COLUMN n TYPE INT",
            one_file("(3, 70000)"),
            "ALTER TABLE {t} ALTER COLUMN n TYPE BIGINT",
            one_file("(4, 5000000000L)"),
        ),
        at=(1, 3, 5),
        queries=("SELECT id FROM {t} WHERE n > 299", "SELECT max(n), min(n) FROM {t}"),
    ),
    "widening_nested": Scenario(
        steps=NESTED,
        at=(1, 4),
        queries=(
            "SELECT id FROM {t} WHERE s.a < 2",
            "SELECT id FROM {t} WHERE s.b.c > TIMESTAMP_NTZ'2020-01-01 23:00:00'",
            "SELECT l, m, ls.x FROM {t} WHERE s.a = 9999999999",
        ),
    ),
    **{
        f"widening_partition_{name}": Scenario(
            steps=(
                (
                    f"CREATE TABLE {{t}} (id INT, p {old}) USING delta PARTITIONED BY (p)"
                    f" TBLPROPERTIES ({PROPERTY})"
                ),
                one_file(f"(1, {value}), (2, NULL)"),
                f"ALTER TABLE {{t}} ALTER COLUMN p TYPE {new}",
                one_file(f"(3, {wide}), (4, CAST({value} AS {new}))"),
            ),
            at=(1,),
            queries=(
                f"SELECT id FROM {{t}} WHERE p = {value}",
                f"SELECT id FROM {{t}} WHERE p = {wide}",
                "SELECT p, count(*) FROM {t} GROUP BY p",
            ),
        )
        for name, (old, value, new, wide) in PARTITIONS.items()
    },
    "widening_by_evolution": Scenario(
        steps=(
            f"CREATE TABLE {{t}} (id INT, n INT) USING delta TBLPROPERTIES ({PROPERTY})",
            one_file("(1, 1)"),
            lambda spark, path: (
                spark.sql("SELECT 2 AS id, 5000000000L AS n, 'more' AS extra")
                .write.format("delta")
                .mode("append")
                .option("mergeSchema", "true")
                .save(str(path))
            ),
        ),
        at=(1,),
        queries=("SELECT id FROM {t} WHERE n > 1", "SELECT n FROM {t} WHERE extra IS NULL"),
    ),
    "widening_with_vectors_and_renames": Scenario(
        steps=(
            (
                "CREATE TABLE {t} (id INT, n INT, f FLOAT) USING delta TBLPROPERTIES"
                f" ({PROPERTY}, "
                "'delta.enableDeletionVectors'='true','delta.columnMapping.mode'='id')"
            ),
            (
                "INSERT INTO {t} SELECT /*+ COALESCE(1) */ INT(id), INT(id * 2), FLOAT(id / 10)"
                " FROM RANGE(30)"
            ),
            "DELETE FROM {t} WHERE id % 5 = 0",
            "ALTER TABLE {t} ALTER COLUMN n TYPE DOUBLE",
            "ALTER TABLE {t} ALTER COLUMN f TYPE DOUBLE",
            "ALTER TABLE {t} RENAME COLUMN n TO `n n`",
            "DELETE FROM {t} WHERE `n n` > 50",
            one_file("(100, 0.5D, 1.0E300D)"),
        ),
        at=(1, 2, 3, 5),
        queries=("SELECT id FROM {t} WHERE `n n` < 10", "SELECT sum(f) FROM {t} WHERE f < 1"),
    ),
    "widening_with_checkpoints": Scenario(
        steps=(
            (
                f"CREATE TABLE {{t}} (id INT, n INT) USING delta"
                f" TBLPROPERTIES ({PROPERTY}, 'delta.checkpointInterval' = '2')"
            ),
            one_file("(1, 1)"),
            one_file("(2, 2)"),
            "ALTER TABLE {t} ALTER COLUMN n TYPE DECIMAL(20, 5)",
            one_file("(3, 3.00001BD)"),
            one_file("(4, 4.5BD)"),
        ),
        at=(2, 3),
        queries=("SELECT id FROM {t} WHERE n > 2.5", "SELECT id FROM {t} WHERE n = 2"),
    ),
    "widening_preview": Scenario(
        steps=(
            (
                f"CREATE TABLE {{t}} (id INT, n SMALLINT) USING delta"
                f" TBLPROPERTIES ({PREVIEW}, {PROPERTY})"
            ),
            one_file("(1, 1S)"),
            "ALTER TABLE {t} ALTER COLUMN n TYPE INT",
            one_file("(2, 100000)"),
        ),
        queries=("SELECT id FROM {t} WHERE n >= 1",),
    ),
    "widening_dropped": Scenario(
        steps=(
            f"CREATE TABLE {{t}} (id INT, n INT) USING delta TBLPROPERTIES ({PROPERTY})",
            one_file("(1, 1)"),
            "ALTER TABLE {t} ALTER COLUMN n TYPE BIGINT",
            one_file("(2, 5000000000L)"),
            "ALTER TABLE {t} DROP FEATURE typeWidening",
        ),
        at=(1, 3),
        queries=("SELECT id FROM {t} WHERE n = 1",),
    ),
}
