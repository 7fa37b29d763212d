"""Tables that we give constraints and other columns: other engines keep to them, and go on."""

from __future__ import annotations

from dataclasses import replace

from tests.interop.features import schema_features, widening
from tests.interop.features.scenario import Scenario, one_file

ALTERED = schema_features.SCENARIOS["altered_columns"]
CHECKED = (
    (
        "CREATE TABLE {t} (id INT, `two words` STRING, s STRUCT<a: INT, b: DATE>, n INT NOT NULL)"
        " USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    ),
    one_file("(1, 'a', named_struct('a', 1, 'b', DATE'2024-01-01'), 1)"),
    "ALTER TABLE {t} ADD CONSTRAINT positive CHECK (id > 0)",
    "ALTER TABLE {t} ADD CONSTRAINT `Short Words` CHECK (length(`two words`) < 5)",
    "ALTER TABLE {t} ADD CONSTRAINT deep CHECK (s.a BETWEEN 0 AND 9 AND s.b > DATE'2020-01-01')",
    one_file("(2, 'b', named_struct('a', 9, 'b', DATE'2024-01-02'), 2)"),
    "ALTER TABLE {t} RENAME COLUMN n TO `number;n`",
)
GOOD = "INSERT INTO {t} VALUES (3, 'c', named_struct('a', 0, 'b', DATE'2024-01-03'), 3)"
BAD = (
    "INSERT INTO {t} VALUES (0, 'c', named_struct('a', 0, 'b', DATE'2024-01-03'), 3)",
    "INSERT INTO {t} VALUES (3, 'too long', named_struct('a', 0, 'b', DATE'2024-01-03'), 3)",
    "INSERT INTO {t} VALUES (3, 'c', named_struct('a', NULL, 'b', DATE'2024-01-03'), 3)",
    "INSERT INTO {t} VALUES (3, 'c', NULL, 3)",
    "INSERT INTO {t} VALUES (3, 'c', named_struct('a', 0, 'b', DATE'2024-01-03'), NULL)",
    "INSERT OVERWRITE {t} SELECT id - 5, `two words`, s, `number;n` FROM {t}",
)

ALTERED_TABLES: dict[str, Scenario] = {
    "constraints": Scenario(
        steps=CHECKED,
        at=(1, 5),
        queries=("SELECT id FROM {t} WHERE `two words` = 'b' AND s.a > 1",),
        breaks=BAD,
        goes_on=(
            GOOD,
            "ALTER TABLE {t} DROP CONSTRAINT `short words`",
            "ALTER TABLE {t} RENAME COLUMN `two words` TO word",
            "ALTER TABLE {t} ADD CONSTRAINT longer CHECK (length(word) > 0)",
            "ALTER TABLE {t} ADD COLUMN s.c STRING FIRST",
            "ALTER TABLE {t} DROP COLUMN `number;n`",
        ),
    ),
    "constraints_not_valid": Scenario(
        steps=(
            "CREATE TABLE {t} (id INT, s STRING) USING delta",
            one_file("(-1, 'old'), (1, 'new')"),
            "ALTER TABLE {t} ADD CONSTRAINT positive CHECK (id > 0) NOT VALID",
            "INSERT INTO {t} VALUES (2, 'newer')",
        ),
        at=(1,),
        queries=("SELECT s FROM {t} WHERE id < 2",),
        breaks=("INSERT INTO {t} VALUES (-2, 'x')", "INSERT INTO {t} VALUES (NULL, 'x')"),
        # The old row does not meet it, so it cannot be copied.
        unfit=("append",),
    ),
    "constraints_of_a_feature": Scenario(
        steps=(
            (
                "CREATE TABLE {t} (id INT, p STRING) USING delta PARTITIONED BY (p) TBLPROPERTIES"
                " ('delta.feature.checkConstraints' = 'supported',"
                " 'delta.checkpointInterval' = '1')"
            ),
            "ALTER TABLE {t} ADD CONSTRAINT c CHECK (p IN ('x', 'y') OR id < 10)",
            "INSERT INTO {t} VALUES (100, 'x'), (1, 'z'), (2, NULL)",
            "ALTER TABLE {t} ADD CONSTRAINT d CHECK (id <> 50)",
            "ALTER TABLE {t} DROP CONSTRAINT d",
        ),
        at=(2,),
        queries=("SELECT id FROM {t} WHERE p = 'x'",),
        breaks=("INSERT INTO {t} VALUES (10, 'z')", "INSERT INTO {t} VALUES (10, NULL)"),
    ),
    "columns_altered": replace(
        ALTERED,
        # Spark pads CHAR when it reads, so a value has the length of its type to be equal for all.
        steps=(str(ALTERED.steps[0]).replace("CHAR(4)", "CHAR(2)"), *ALTERED.steps[1:]),
    ),
    **{
        name: one
        for name, one in widening.SCENARIOS.items()
        # Rows are not deleted yet, nor rewritten for a feature; its preview is not written.
        if name not in {"widening_with_vectors_and_renames", "widening_preview", "widening_dropped"}
    },
}

# What a peer cannot read, and how it says so.
LIMITS = {
    ("deltalake", name): "features required: .*TypeWidening"
    for name in ALTERED_TABLES
    if name.startswith("widening")
} | {
    # Partition values of old files are texts of the old type.
    (peer, f"widening_partition_{kind}"): f"Failed to parse value '{value}'"
    for peer in ("deltalake", "duckdb")
    for kind, value in {"date_ntz": "1900-01-01", "decimal_scale": "1234567.89"}.items()
}
