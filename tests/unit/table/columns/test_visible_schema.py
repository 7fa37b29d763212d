"""Which metadata of fields users see."""

from puredelta.schema.datatypes import LONG, ArrayType, MapType, StructField, StructType
from puredelta.table.columns.visible_schema import visible_schema

INTERNAL = {
    "delta.columnMapping.id": 1,
    "delta.columnMapping.physicalName": "col-1",
    "delta.columnMapping.nested.ids": {},
    "parquet.field.id": 1,
    "delta.typeChanges": [],
    "delta.generationExpression": "a + 1",
    "delta.identity.start": 1,
}
SHOWN = {"comment": "c", "CURRENT_DEFAULT": "7", "delta.invariants": "{}", "mine": True}


def test_only_what_users_know_stays_at_every_depth():
    def nested(metadata):
        leaf = StructType((StructField("x", LONG, metadata=metadata),))
        return StructType(
            (
                StructField("a", LONG, nullable=False, metadata=metadata),
                StructField("s", leaf, metadata=metadata),
                StructField("l", ArrayType(leaf), metadata=metadata),
                StructField("m", MapType(LONG, leaf), metadata=metadata),
            )
        )

    assert visible_schema(nested({**INTERNAL, **SHOWN})) == nested(SHOWN)
