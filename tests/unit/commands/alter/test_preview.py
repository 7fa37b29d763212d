"""What a change of a table would do: told without doing it, as text and as HTML."""

import msgspec

from puredelta.api.dry_run import dry_run_of
from puredelta.commands.alter.commit import EMPTY, Change
from puredelta.commands.alter.preview import preview
from puredelta.log.table_log import TableLog
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import INTEGER, LONG, StructField, StructType
from puredelta.storage.memory import MemoryStore
from puredelta.table.protocol.protocol import normal_form
from puredelta.txn.commit_info import Operation
from tests.unit.txn.tables import create


def table(**configuration):
    log = TableLog(MemoryStore())
    create(log, **configuration)
    return log.latest()


def change_of(before, *fields, protocol=None, **configuration):
    schema = StructType((*before.schema, *fields))
    metadata = msgspec.structs.replace(
        before.metadata,
        schema_string=schema_to_json(schema),
        configuration=before.configuration | configuration,
    )
    operation = Operation("ADD COLUMNS", {})
    return Change(operation=operation, metadata=metadata, protocol=protocol)


def test_change_of_nothing_shows_nothing():
    before = table()

    found = preview(before, EMPTY)

    assert (found.columns, found.properties, found.losing) == ((), (), ())
    assert (found.version, found.operation) == (0, "Empty Commit")
    assert found.after == before.protocol


def test_columns_properties_and_features_are_told():
    before = table(old="1")
    change = change_of(
        before,
        StructField("n", INTEGER),
        **{"delta.enableTypeWidening": "true", "old": "2"},
    )

    found = preview(before, change)

    assert [str(one) for one in found.columns] == ["n: added, INT"]
    assert [str(one) for one in found.properties] == [
        "delta.enableTypeWidening: set to true",
        "old: 1 -> 2",
    ]
    assert found.features_added == ("typeWidening",)
    assert found.features_removed == ()
    assert "deltalake 1.6" in map(str, found.losing)


def test_protocol_of_the_change_counts_where_it_has_one():
    before = table()
    lower = normal_form(["appendOnly"])

    found = preview(before, Change(operation=Operation("DROP FEATURE"), protocol=lower))

    assert found.after == lower
    assert found.features_removed == ("invariants",)


def test_dry_run_is_shown_as_text():
    before = table()
    change = change_of(before, StructField("n", LONG), **{"delta.columnMapping.mode": "name"})

    shown = str(dry_run_of("events", preview(before, change)))

    assert shown == (
        "ADD COLUMNS on events, version 0 (dry run)\n"
        "  column: n: added, BIGINT\n"
        "  property: delta.columnMapping.mode: set to name\n"
        "  protocol: reader 1, writer 2 -> reader 2, writer 7\n"
        "  features added: columnMapping\n"
        "  lose access: delta-spark 1.0"
    )


def test_dry_run_of_a_harmless_change_says_so():
    shown = str(dry_run_of("t", preview(table(), EMPTY)))

    assert shown.splitlines()[1:] == [
        "  protocol: reader 1, writer 2, unchanged",
        "  lose access: no known reader",
    ]


def test_dry_run_is_shown_as_html_with_names_escaped():
    before = table()
    change = change_of(before, StructField("<b>", LONG))

    shown = dry_run_of("t", preview(before, change))._repr_html_()

    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
