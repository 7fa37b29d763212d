"""CONVERT TO DELTA of folders of partitions: their names, their values, and which files count."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tests.parity.convert_sources import files, shown

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

NULL = "__HIVE_DEFAULT_PARTITION__"


def placed(t: Recorder, *paths: str, place: str = "", columns: str = "") -> str:
    """Put a file of one row at each path, whose id is the number of the path; return the folder."""
    root = Path(place or t.path)
    for number, path in enumerate(paths):
        made = Path(files(t, f"SELECT {number} AS id {columns}", place=t.folder("made")))
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(next(made.glob("*.parquet")), target)
        shutil.rmtree(made)
    return str(root)


def convert(t: Recorder, clause: str = "", place: str = "") -> None:
    """Convert a folder, and record its rows and its log."""
    folder = place or t.path
    partitioned = f" PARTITIONED BY ({clause})" if clause else ""
    t.sql(f"CONVERT TO DELTA parquet.`{folder}`{partitioned}")
    if (Path(folder) / "_delta_log").exists():
        t.sql(f"SELECT * FROM delta.`{folder}`")
        t.log(folder)


def refused(t: Recorder, folder: str, *clauses: str) -> None:
    """Record statements that fail, and that they leave the folder as it was."""
    for clause in clauses:
        partitioned = f" PARTITIONED BY ({clause})" if clause else ""
        t.sql(f"CONVERT TO DELTA parquet.`{folder}`{partitioned}")
    t.value("versions", lambda: len(list(Path(folder).glob("_delta_log/*.json"))))


# --------------------------------------------------------------------------------------- values


def case_convert_values_of_each_type(t: Recorder) -> None:
    root = placed(
        t,
        "b=true/y=-128/s=32767/i=7/l=-9000000000/d=1.5/f=0.25/n=1.50/t=x/a=2024-02-29/1.parquet",
        "b=false/y=127/s=0/i=-7/l=0/d=-0.1/f=1.0E10/n=-0.05/t=y z/a=0001-01-01/2.parquet",
        "/".join(f"{name}={NULL}" for name in "bysildfnta") + "/3.parquet",
    )
    convert(
        t,
        "b BOOLEAN, y TINYINT, s SMALLINT, i INT, l BIGINT, d DOUBLE, f FLOAT, n DECIMAL(10, 2), "
        "t STRING, a DATE",
    )
    t.sql(f"SELECT id FROM delta.`{root}` WHERE a > DATE'2000-01-01' AND n = 1.5")
    t.sql(f"SELECT id FROM delta.`{root}` WHERE t IS NULL")
    t.detail(f"delta.`{root}`")


def case_convert_special_characters_in_values(t: Recorder) -> None:
    query = (
        "SELECT id, element_at(array('a/b', 'a b', '50%', '%41', 'x=y', 'a:b', '#?*', '_x', '.x',"
        " 'é😀', concat('a', chr(39), 'b', chr(34)), '{a}[b]^c', '~`!@$&(),;<>|', ' ', '+1',"
        " 'a\\tb', NULL), int(id) + 1) AS p FROM range(17)"
    )
    files(t, query, "p")
    convert(t, "p STRING")
    t.sql(f"SELECT id FROM delta.`{t.path}` WHERE p IN ('a/b', '%41', 'é😀') ORDER BY id")


def case_convert_special_characters_in_names(t: Recorder) -> None:
    files(t, "SELECT id, id % 2 AS `a.b%`, 'x' AS `é` FROM range(2)", "a.b%", "é")
    convert(t, "`a.b%` INT, `é` STRING")


def case_convert_values_in_other_forms(t: Recorder) -> None:
    placed(t, "i=007/d=2024-1-2/n=1.5/b=T/1.parquet", "i=+8/d=2024-01/n=100/b=1/2.parquet")
    placed(t, "i= 9/d=2024/n=1e2/b=no/3.parquet")
    convert(t, "i INT, d DATE, n DECIMAL(10, 2), b BOOLEAN")


def case_convert_values_that_lose_digits(t: Recorder) -> None:
    refused(t, placed(t, "p=1.5/a.parquet", place=t.folder("int")), "p INT")
    refused(t, placed(t, "p=1.555/a.parquet", place=t.folder("decimal")), "p DECIMAL(10, 2)")


def case_convert_values_that_are_none_of_their_type(t: Recorder) -> None:
    for kind, text in {
        "int": "x",
        "tinyint": "128",
        "decimal(4, 2)": "12345.5",
        "boolean": "maybe",
        "date": "2024-02-30",
        "double": "one",
    }.items():
        folder = placed(t, f"p={text}/a.parquet", place=t.folder(kind.partition("(")[0]))
        refused(t, folder, f"p {kind}")


def case_convert_failed_casts_are_null_when_asked_for(t: Recorder) -> None:
    t.conf("spark.databricks.delta.convert.partitionValues.ignoreCastFailure", "true")
    placed(t, "p=1/a.parquet", "p=x/b.parquet")
    convert(t, "p INT")


def case_convert_escapes_of_characters_outside_ascii(t: Recorder) -> None:
    placed(t, "p=caf%C3%A9/a.parquet", "p=a%20b/b.parquet", "p=%E2%82%AC/c.parquet")
    convert(t, "p STRING")


def case_convert_folder_without_a_value(t: Recorder) -> None:
    placed(t, "p=/a.parquet", "p=x/b.parquet")
    convert(t, "p STRING")


def case_convert_null_in_a_column_that_is_not_null(t: Recorder) -> None:
    placed(t, "p=1/a.parquet", f"p={NULL}/b.parquet")
    convert(t, "p INT NOT NULL")


def case_convert_not_null_and_comments_in_the_clause(t: Recorder) -> None:
    placed(t, "p=1/q=x/a.parquet")
    convert(t, "p INT NOT NULL, q STRING COMMENT 'what it is'")
    t.sql(f"INSERT INTO delta.`{t.path}` VALUES (5, NULL, 'y')")


def case_convert_texts_of_a_declared_length(t: Recorder) -> None:
    placed(t, "p=ab/q=cd/a.parquet")
    convert(t, "p VARCHAR(3), q CHAR(3)")
    t.sql(f"INSERT INTO delta.`{t.path}` VALUES (5, 'long', 'x')")


# ------------------------------------------------------------------------------ columns and names


def case_convert_wrong_number_of_partition_columns(t: Recorder) -> None:
    folder = placed(t, "p=1/q=x/a.parquet")
    refused(t, folder, "", "p INT", "p INT, q STRING, r INT")
    refused(t, placed(t, "a.parquet", place=t.folder("flat")), "p INT")


def case_convert_wrong_names_of_partition_columns(t: Recorder) -> None:
    folder = placed(t, "p=1/q=2/a.parquet")
    refused(t, folder, "p INT, r INT", "q INT, p INT", "P INT, r INT")


def case_convert_names_in_other_letters(t: Recorder) -> None:
    placed(t, "Day=1/NAME=x/a.parquet", "day=2/name=y/b.parquet")
    convert(t, "day INT, Name STRING")
    t.sql(f"SELECT id FROM delta.`{t.path}` WHERE DAY = 1")


def case_convert_names_in_other_letters_where_they_count(t: Recorder) -> None:
    t.conf("spark.sql.caseSensitive", "true")
    refused(t, placed(t, "P=1/a.parquet"), "p INT")


def case_convert_depths_that_differ(t: Recorder) -> None:
    refused(t, placed(t, "a.parquet", "p=1/b.parquet"), "p INT", "")
    deeper = placed(t, "p=1/a.parquet", "p=1/q=2/b.parquet", place=t.folder("deeper"))
    refused(t, deeper, "p INT", "p INT, q INT")


def case_convert_other_folders_between(t: Recorder) -> None:
    placed(t, "p=1/sub/a.parquet", "sub/p=2/b.parquet", "p=3/x/y/c.parquet")
    convert(t, "p INT")
    between = placed(t, "p=1/sub/q=2/a.parquet", place=t.folder("between"))
    convert(t, "q INT", between)


def case_convert_folders_that_are_no_partitions(t: Recorder) -> None:
    placed(t, "a.parquet", "sub/b.parquet", "sub/deep er/c.parquet")
    convert(t)


def case_convert_below_a_folder_that_looks_like_a_partition(t: Recorder) -> None:
    above = placed(t, "p=1/a.parquet", place=t.folder("x=1/t"))
    convert(t, "p INT", above)
    root = placed(t, "p=1/a.parquet", place=t.folder("y=1"))
    convert(t, "p INT", root)


def case_convert_columns_named_twice(t: Recorder) -> None:
    folder = placed(t, "p=1/P=2/a.parquet")
    refused(t, folder, "p INT, P INT", "p INT, p INT", "p INT")


def case_convert_names_that_no_partition_column_can_have(t: Recorder) -> None:
    refused(t, placed(t, "a b=1/a.parquet"), "`a b` INT")


def case_convert_partition_column_in_the_files_too(t: Recorder) -> None:
    placed(t, "p=1/a.parquet", "p=2/b.parquet", columns=", 9 AS p, 'x' AS z")
    convert(t, "p STRING")


def case_convert_files_with_partition_columns_only(t: Recorder) -> None:
    placed(t, "id=1/a.parquet")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY (id INT)")


def case_convert_types_that_no_partition_column_can_have(t: Recorder) -> None:
    folder = placed(t, "p=1/a.parquet")
    refused(t, folder, "p ARRAY<INT>", "p MAP<INT, INT>", "p STRUCT<a: INT>", "p INTERVAL YEAR")
    refused(t, folder, "p nosuch", "p VARIANT", "p VOID", "p DECIMAL(39, 2)", "p VARCHAR")


def case_convert_points_in_time(t: Recorder) -> None:
    placed(t, "p=2024-01-02 03%3A04%3A05/a.parquet", "p=2024-07-02T03%3A04%3A05Z/b.parquet")
    t.conf("spark.sql.session.timeZone", "America/New_York")
    convert(t, "p TIMESTAMP")
    wall = placed(t, "p=2024-01-02 03%3A04%3A05.120/a.parquet", place=t.folder("wall"))
    convert(t, "p TIMESTAMP_NTZ", wall)


def case_convert_clause_with_colons(t: Recorder) -> None:
    placed(t, "p=1/q=x/a.parquet")
    convert(t, "p: INT, q: STRING")


# ----------------------------------------------------------------------------- which files count


def case_convert_hidden_files_and_folders(t: Recorder) -> None:
    placed(t, "a.parquet", "_b.parquet", ".c.parquet", "_d/e.parquet", ".f/g.parquet")
    placed(t, "h/_temporary/0/i.parquet", "h/_metadata", "h/_SUCCESS")
    convert(t)


def case_convert_partition_folders_with_hidden_names(t: Recorder) -> None:
    placed(t, "_p=1/.q=x/a.parquet", "_p=2/.q=y/_b.parquet")
    convert(t, "_p INT, `.q` STRING")


def case_convert_values_with_hidden_names(t: Recorder) -> None:
    placed(t, "p=_x/a.parquet", "p=.y/b.parquet")
    convert(t, "p STRING")


def case_convert_files_that_are_being_copied(t: Recorder) -> None:
    placed(t, "a.parquet", "b.parquet._COPYING_")
    convert(t)


def case_convert_files_with_any_names(t: Recorder) -> None:
    placed(t, "no extension", "a b%20c#[1].parquet", "é=1.parquet", "x.gz.parquet")
    convert(t)


def case_convert_links(t: Recorder) -> None:
    other = Path(placed(t, "deep/a.parquet", place=t.folder("other")))
    root = Path(placed(t, "p=1/b.parquet"))
    (root / "p=2").symlink_to(other)
    (root / "p=1/c.parquet").symlink_to(other / "deep/a.parquet")
    (root / "p=1/gone.parquet").symlink_to(other / "nowhere")
    convert(t, "p INT")


def case_convert_folder_that_links_into_itself(t: Recorder) -> None:
    root = Path(placed(t, "a.parquet"))
    (root / "loop").symlink_to(root)
    t.sql(f"CONVERT TO DELTA parquet.`{root}`")
    t.sql(f"SELECT * FROM delta.`{root}`")


def streamed(t: Recorder) -> Path:
    """Let a query stream rows into a folder, and put a file there that it does not know."""
    source = files(t, "SELECT id FROM range(4)", place=t.folder("source"))
    rows = t.spark.readStream.schema("id BIGINT").parquet(source).selectExpr("id", "id % 2 AS p")
    query = (
        rows.writeStream.format("parquet")
        .partitionBy("p")
        .option("checkpointLocation", t.folder("checkpoint"))
        .option("path", t.path)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    written = min(Path(t.path).glob("p=0/*.parquet"))
    shutil.copy(written, written.with_name("left-over.parquet"))
    return Path(t.path)


def case_convert_what_a_stream_wrote(t: Recorder) -> None:
    streamed(t)
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY (p BIGINT)")
    t.sql(f"SELECT * FROM delta.`{t.path}` ORDER BY id")


def case_convert_what_a_stream_wrote_without_its_log(t: Recorder) -> None:
    streamed(t)
    t.conf("spark.databricks.delta.convert.useMetadataLog", "false")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY (p BIGINT)")
    t.sql(f"SELECT * FROM delta.`{t.path}` ORDER BY id")


# -------------------------------------------------------------------------------- and afterwards


def case_convert_and_go_on_with_partitions(t: Recorder) -> None:
    files(t, "SELECT id, id % 3 AS p, IF(id % 2 = 0, 'a/b', 'c') AS q FROM range(12)", "p", "q")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY (p INT, q STRING)")
    table = f"delta.`{t.path}`"
    t.sql(f"SHOW PARTITIONS {table}")
    t.sql(f"INSERT INTO {table} VALUES (100, 0, 'a/b'), (101, 7, NULL)")
    t.sql(f"INSERT INTO {table} REPLACE WHERE p = 1 VALUES (200, 1, 'new')")
    t.sql(f"TRUNCATE TABLE {table}")
    shown(t, table, by="1")
