"""dbt-spark builds the project `shop` twice: by its own session, and by a Thrift server."""

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyhive import hive

from tests.ways.frameworks.environment import run

# Each run of dbt starts a Python, and those by a session a Spark.
pytestmark = [pytest.mark.rest, pytest.mark.timeout(900)]

PROJECT = Path(__file__).with_name("shop")


def dbt(programs: Path, project: Path, *arguments: str, **variables: str) -> None:
    options = ["--profiles-dir", ".", "--vars", json.dumps({"arrival": int(arguments[-1])})]
    done = run(programs, ["dbt", *arguments[:-1], *options], project, **variables)
    assert done.returncode == 0, done.stdout


def operations(table: DeltaTable) -> list[str]:
    return [commit["operation"] for commit in table.history()][::-1]


def rows(table: DeltaTable, *columns: str) -> list[tuple[object, ...]]:
    found = table.to_pyarrow_table(columns=list(columns)).to_pylist()
    return sorted((tuple(str(row[name]) for name in columns) for row in found), key=str)


MERGED = [
    ("1", "10.50", "None"),
    ("2", "20.00", "None"),
    ("3", "6.00", "ANN"),
    ("4", "1.00", "None"),
    ("5", "7.00", "CID"),
]
BY_DAY = [("1", "10.50"), ("2", "20.00"), ("3", "6.00"), ("5", "7.00")]
# Customer, amount, whether it is still so.
CUSTOMERS = [
    ("ann", "5.25", False),
    ("ann", "6.00", True),
    ("bob", "20.00", True),
    ("cid", "7.00", True),
    ("dan", "1.00", False),
]


def check_tables(table) -> None:
    """Check what two builds leave in the tables that both methods build."""
    assert rows(table("merged"), "id", "amount", "shouted") == MERGED
    assert operations(table("merged"))[1:] == ["ADD COLUMNS", "MERGE"]
    assert rows(table("by_day"), "id", "amount") == BY_DAY
    assert operations(table("by_day"))[1:] == ["WRITE"]
    customers = rows(table("customers"), "customer", "amount", "dbt_valid_to")
    assert [(who, amount, to == "None") for who, amount, to in customers] == CUSTOMERS
    assert operations(table("customers"))[1:] == ["MERGE"]


@pytest.fixture
def project(tmp_path) -> Path:
    folder = tmp_path / "shop"
    shutil.copytree(PROJECT, folder)
    return folder


def test_builds_by_a_thrift_server(programs, project, ports):
    variables = {"SHOP_PORT": str(ports[1])}
    for arrival in "12":
        dbt(
            programs, project, "build", "--target", "thrift", "--threads", "2", arrival, **variables
        )
    dbt(programs, project, "docs", "generate", "--target", "thrift", "2", **variables)

    with closing(hive.connect(host="127.0.0.1", port=ports[1])) as connection:
        cursor = connection.cursor()

        def table(name: str) -> DeltaTable:
            cursor.execute(f"DESCRIBE DETAIL shop.{name}")
            (values,) = cursor.fetchall()
            names = [column[0] for column in cursor.description]
            return DeltaTable(dict(zip(names, values, strict=True))["location"])

        check_tables(table)
        assert len(rows(table("appended"), "id")) == 6
        assert rows(table("latest"), "id") == [("3",), ("5",)]
        seen = rows(table("merged_amounts"), "id", "amount", "first_seen")
        assert seen[2:] == [("3", "6.00", "1"), ("4", "1.00", "1"), ("5", "7.00", "2")]
        totals = table("totals").metadata()
        assert totals.configuration["delta.constraints.something"] == "total > 0"
        assert totals.description == "What each customer's orders come to"
    catalog = json.loads((project / "target/catalog.json").read_text())["nodes"]
    described = catalog["model.shop.totals"]
    assert described["metadata"]["type"] == "table"
    assert {name: column["type"] for name, column in described["columns"].items()} == {
        "total": "decimal(20,2)",
        "orders": "bigint",
        "customer": "string",
    }


def test_builds_by_a_session_of_its_own(programs, project):
    printed = run(programs, ["python", "-m", "puredelta", "conf", "--spark-defaults"], project)
    settings = {
        "spark.master": "local[2]",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(project / "tables"),
    }
    lines = "".join(f"{key} {value}\n" for key, value in settings.items())
    (project / "spark-defaults.conf").write_text(printed.stdout + lines)
    for arrival in "12":
        models = ["+merged", "totals", "by_day", "+customers"]
        arguments = ["build", "--target", "session", "--select", *models, arrival]
        dbt(programs, project, *arguments, SPARK_CONF_DIR=str(project))

    check_tables(lambda name: DeltaTable(project / "tables/shop.db" / name))
