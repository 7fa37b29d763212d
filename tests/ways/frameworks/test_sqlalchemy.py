"""SQLAlchemy, and pandas by it, on PyHive's dialect and a Thrift server."""

import pytest

from tests.ways.frameworks.environment import run

# A driver is started for them.
pytestmark = pytest.mark.rest

PROGRAM = """
import sys
import pandas
from sqlalchemy import MetaData, Table, create_engine, inspect
from sqlalchemy import delete, func, insert, select, text, update

engine = create_engine(f"hive://127.0.0.1:{sys.argv[1]}/default")
with engine.begin() as connection:
    connection.execute(text("CREATE TABLE of_alchemy (id BIGINT, v STRING) USING delta"))

print(inspect(engine).has_table("of_alchemy"))
table = Table("of_alchemy", MetaData(), autoload_with=engine)
print([(column.name, str(column.type)) for column in table.columns])
with engine.begin() as connection:
    connection.execute(insert(table), [{"id": n, "v": f"v{n}"} for n in range(4)])
    connection.execute(update(table).where(table.c.id == 1).values(v="it's new"))
    connection.execute(delete(table).where(table.c.id > 2))
    found = connection.execute(select(table.c.id, table.c.v).order_by(table.c.id))
    print([tuple(row) for row in found])
    print(connection.execute(select(func.count()).select_from(table)).scalar())
    history = connection.execute(text("DESCRIBE HISTORY of_alchemy")).mappings()
    print(sorted({row["operation"] for row in history}))
total = pandas.read_sql_query("SELECT sum(id) AS total FROM of_alchemy", engine)
print(total.to_dict("records"))
"""


def test_table_is_reflected_changed_and_read(programs, ports, tmp_path):
    done = run(programs, ["python", "-c", PROGRAM, ports[1]], tmp_path)

    assert done.stdout.splitlines() == [
        "True",
        "[('id', 'BIGINT'), ('v', 'VARCHAR')]",
        "[(0, 'v0'), (1, \"it's new\"), (2, 'v2')]",
        "3",
        "['CREATE TABLE', 'DELETE', 'UPDATE', 'WRITE']",
        "[{'total': 3}]",
    ], done.stderr
