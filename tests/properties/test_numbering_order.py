"""Whoever commits when: no number is given twice, and none lies behind the mark.

Writers take numbers from the version that they read, and reserve some where they lose.
"""

from hypothesis import example, given
from hypothesis import strategies as st

from puredelta._util.clock import now_ms
from puredelta.errors import ConcurrentWriteError, MetadataChangedError
from puredelta.log.actions import AddFile, Format, Metadata
from puredelta.log.table_log import TableLog
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import LONG, StructField, StructType
from puredelta.storage.memory import MemoryStore
from puredelta.table.expressions.identity_columns import (
    IdentityColumn,
    identity_columns,
    identity_metadata,
    with_high_water_marks,
)
from puredelta.table.protocol.protocol import protocol_for_new_table
from puredelta.txn.commit_info import IDENTITY_ONLY_TAG, Operation
from puredelta.txn.retry_policy import RetryPolicy
from puredelta.txn.transaction import Transaction

MARKS = {IDENTITY_ONLY_TAG: "true"}
NO_WAIT = RetryPolicy(sleep=lambda _: None)
WRITERS = ("w1", "w2", "w3")
OTHERS = ("property", "blind append")


class Table:
    """A table in memory, and the numbers in its rows."""

    def __init__(self, start, step, *, keeps_log):
        column = IdentityColumn("id", start, step)
        field = StructField("id", LONG, metadata=identity_metadata(column))
        schema = StructType((field,))
        protocol, configuration = protocol_for_new_table({}, schema)
        metadata = Metadata(
            id="11111111-1111-1111-1111-111111111111",
            format=Format(),
            schema_string=schema_to_json(schema),
            partition_columns=[],
            configuration=configuration,
        )
        # The store's own times are those of 1970, so that each checkpoint cleans the log before it.
        self.log = TableLog(MemoryStore(now=now_ms if keeps_log else None))
        self.files = 0
        self.landed = set()
        self.given = []
        self._transaction(None).commit(
            [], Operation("CREATE TABLE"), metadata=metadata, protocol=protocol
        )

    def _transaction(self, snapshot):
        return Transaction(self.log, snapshot, patience=NO_WAIT)

    def begin(self):
        return self.log.latest()

    def column(self, snapshot=None):
        [column] = identity_columns((snapshot or self.log.latest()).schema)
        return column

    def commit(self, before, numbers=(), mark=None, **configuration):
        """Make a version with a file of some numbers; tell whether it landed."""
        metadata = None if mark is None else with_high_water_marks(before.metadata, {"id": mark})
        if configuration:
            metadata = _with(before.metadata, configuration)
        self.files += 1
        path = f"{self.files}.parquet"
        add = AddFile(
            path=path,
            partition_values={},
            size=1,
            modification_time=1,
            data_change=True,
        )
        tags = MARKS if mark is not None else None
        try:
            self._transaction(before).commit(
                [] if configuration else [add], Operation("WRITE", tags=tags), metadata=metadata
            )
        except (ConcurrentWriteError, MetadataChangedError):
            return False
        self.landed |= set() if configuration else {path}
        self.given += numbers
        return True


def _with(metadata, configuration):
    return Metadata(
        id=metadata.id,
        format=metadata.format,
        schema_string=metadata.schema_string,
        partition_columns=metadata.partition_columns,
        configuration={**metadata.configuration, **configuration},
    )


def numbers_of(column, count):
    return [column.base + place * column.step for place in range(count)]


def writer(table, count):
    """Begin and commit, each when asked; lose and reserve; write again with what is reserved."""
    before = table.begin()
    yield
    numbers = numbers_of(table.column(before), count)
    if table.commit(before, numbers, mark=table.column(before).marked(numbers[-1]).mark):
        return
    while True:
        before = table.begin()
        yield
        column = table.column(before)
        if table.commit(before, mark=column.after(count)):
            break
    own = numbers_of(column, count)
    while True:
        before = table.begin()
        yield
        if table.commit(before, own):
            return


def other(table, kind):
    before = table.begin()
    yield
    if kind == "property":
        table.commit(before, mine="1")
    else:
        table.commit(before)


@given(
    st.lists(st.sampled_from((*WRITERS, *OTHERS)), min_size=4, max_size=40),
    st.integers(1, 5),
    st.sampled_from([(1, 1), (-4, -3), (7, 2)]),
    st.booleans(),
)
@example(["w1"] * 17 + ["w2"] + ["w1"] * 3 + ["w2"], 1, (1, 1), False)
def test_no_number_is_given_twice(turns, count, numbering, keeps_log):
    table = Table(*numbering, keeps_log=keeps_log)
    running = {}
    for name in turns:
        made = other(table, name) if name in OTHERS else writer(table, count)
        # Who has nothing more to do begins anew at the next turn.
        if next(running.setdefault(name, made), "done") == "done":
            del running[name]

    column = table.column()
    assert set(table.log.latest().files["path"].to_pylist()) == table.landed
    assert len(set(table.given)) == len(table.given)
    assert all(
        column.mark is not None and not column.is_past(one, column.mark) for one in table.given
    )
