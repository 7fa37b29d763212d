"""MERGE beside a model of it in plain Python: rows, counts and told changes agree."""

from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from puredelta.engine.exceptions import DeltaUnsupportedOperationException
from puredelta.settings import SEARCH_ON_DRIVER

Row = tuple[int | None, int | None]

# A condition in SQL, and what it means for the values of both sides.
BOTH = {"t.v < s.v": lambda t, s: t < s, "s.v % 2 = 0": lambda _t, s: s % 2 == 0}
THEIRS = {"s.v > 3": lambda _t, s: s > 3}
OURS = {"t.v > 2": lambda t, _s: t > 2}
MEANINGS = {**BOTH, **THEIRS, **OURS}

UPDATED = {"matched": lambda _t, s: s + 100, "by_source": lambda t, _s: t - 50}
SET = {"matched": "UPDATE SET v = s.v + 100", "by_source": "UPDATE SET v = t.v - 50"}
LIMITS = (
    "puredelta.commands.merge.source._SHORT",
    "puredelta.commands.merge.strategy._LISTED_SOURCE_ROWS",
    "puredelta.commands.merge.strategy._FEW_CANDIDATE_ROWS",
    "puredelta.commands.merge.strategy._LISTED_CANDIDATE_ROWS",
)
WHEN = {
    "matched": "WHEN MATCHED",
    "not_matched": "WHEN NOT MATCHED",
    "by_source": "WHEN NOT MATCHED BY SOURCE",
}


@dataclass(frozen=True)
class Clause:
    kind: str
    action: str
    condition: str | None

    @property
    def sql(self) -> str:
        asked = "" if self.condition is None else f" AND {self.condition}"
        does = {"delete": "DELETE", "insert": "INSERT (id, v) VALUES (s.id, s.v)"}
        return f"{WHEN[self.kind]}{asked} THEN {does.get(self.action) or SET[self.kind]}"

    def holds(self, ours: int | None, theirs: int | None) -> bool:
        return self.condition is None or MEANINGS[self.condition](ours, theirs)


@st.composite
def clauses_of(draw, kind, actions, conditions):
    count = draw(st.integers(0, 2))
    made = [
        Clause(kind, draw(st.sampled_from(actions)), draw(st.sampled_from(sorted(conditions))))
        for _ in range(count)
    ]
    if made and draw(st.booleans()):
        made[-1] = Clause(kind, made[-1].action, None)
    return made


CLAUSES = st.tuples(
    clauses_of("matched", ["update", "delete"], BOTH),
    clauses_of("not_matched", ["insert"], THEIRS),
    clauses_of("by_source", ["update", "delete"], OURS),
).filter(any)
ROWS = st.lists(st.tuples(st.one_of(st.none(), st.integers(0, 6)), st.integers(0, 9)), max_size=8)


class AmbiguousError(Exception):
    """Several rows of the source match one of the target."""


def merged(target, source, clauses):
    """Return what is left, how many rows each action changed, and the told changes."""
    matched, not_matched, by_source = clauses
    rows, counts, told = [], Counter(), Counter()
    takes_many = not matched or (matched[0].action == "delete" and matched[0].condition is None)
    for key, value in target:
        partners = [v for other, v in source if key is not None and other == key]
        if len(partners) > 1 and not takes_many:
            raise AmbiguousError
        kind, offered = ("matched", matched) if partners else ("by_source", by_source)
        theirs = partners[0] if partners else None
        clause = next((one for one in offered if one.holds(value, theirs)), None)
        if clause is None:
            rows.append((key, value))
        elif clause.action == "delete":
            told[(key, value, "delete")] += 1
        else:
            new = UPDATED[kind](value, theirs)
            rows.append((key, new))
            told[(key, value, "update_preimage")] += 1
            told[(key, new, "update_postimage")] += 1
        if clause is not None:
            counts[clause.action] += 1
    known = {key for key, _ in target if key is not None}
    for key, value in source:
        if key not in known and any(one.holds(None, value) for one in not_matched):
            rows.append((key, value))
            counts["insert"] += 1
            told[(key, value, "insert")] += 1
    return Counter(rows), counts, told


@settings(
    max_examples=18,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    sides=st.tuples(ROWS, ROWS),
    clauses=CLAUSES,
    vectors=st.booleans(),
    partitioned=st.booleans(),
    joins=st.tuples(st.booleans(), st.booleans()),
    large=st.booleans(),
)
def test_merge_is_what_the_model_says(
    spark, table_name, sides, clauses, vectors, partitioned, joins, large
):
    target, source = sides
    by = "PARTITIONED BY (id)" if partitioned else ""
    spark.sql(f"DROP TABLE IF EXISTS {table_name}")
    spark.sql(
        f"""CREATE TABLE {table_name} (id INT, v INT) USING delta {by} TBLPROPERTIES (
        'delta.enableDeletionVectors' = '{vectors}', 'delta.enableChangeDataFeed' = 'true')"""
    )
    frame_of(spark, target).repartition(2).write.format("delta").mode("append").saveAsTable(
        table_name
    )
    frame_of(spark, source).createOrReplaceTempView("model_source")
    before = spark.sql(f"DESCRIBE HISTORY {table_name}").first().version
    statement = f"MERGE INTO {table_name} t USING model_source s ON t.id = s.id " + " ".join(
        clause.sql for kind in clauses for clause in kind
    )
    broadcast, by_keys = joins
    with joining(spark, broadcast=broadcast, by_keys=by_keys), taken_for_large(large=large):
        try:
            expected, counts, told = merged(target, source, clauses)
        except AmbiguousError:
            with pytest.raises(DeltaUnsupportedOperationException):
                spark.sql(statement)
            return
        answer = spark.sql(statement).first()

    assert Counter(map(tuple, spark.table(table_name).collect())) == expected
    assert (answer[1], answer[2], answer[3]) == tuple(
        counts[action] for action in ("update", "delete", "insert")
    )
    last = spark.sql(f"DESCRIBE HISTORY {table_name}").first().version
    assert last == before + (1 if sum(counts.values()) else 0)
    if last > before:
        assert changes_of(spark, table_name, last) == told


@contextmanager
def joining(spark, *, broadcast, by_keys):
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "10MB" if broadcast else "-1")
    spark.conf.set(SEARCH_ON_DRIVER, "100" if by_keys else "0")
    try:
        yield
    finally:
        spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")
        spark.conf.unset(SEARCH_ON_DRIVER)


@contextmanager
def taken_for_large(*, large):
    """Let neither source nor target be small enough for their rows to be listed, if asked."""
    with ExitStack() as stack:
        for limit in LIMITS if large else ():
            stack.enter_context(patch(limit, -1))
        yield


def frame_of(spark, rows):
    return spark.createDataFrame(rows, "id INT, v INT")


def changes_of(spark, table, version):
    reader = spark.read.option("readChangeFeed", "true").option("startingVersion", version)
    return Counter(map(tuple, reader.table(table).select("id", "v", "_change_type").collect()))
