"""The registry of table features."""

import pytest

from puredelta.schema.datatypes import LONG, StructField, StructType
from puredelta.table.protocol.features import FEATURES, Support
from puredelta.table.protocol.properties import PROPERTIES

PLAIN = StructType((StructField("a", LONG),))


@pytest.mark.parametrize("feature", FEATURES.values(), ids=lambda feature: feature.name)
def test_requirements_are_features(feature):
    assert set(feature.requires) <= FEATURES.keys()


@pytest.mark.parametrize("feature", FEATURES.values(), ids=lambda feature: feature.name)
def test_plain_table_asks_for_nothing(feature):
    assert not feature.asked_for({}, PLAIN)


@pytest.mark.parametrize("feature", FEATURES.values(), ids=lambda feature: feature.name)
def test_feature_that_cannot_be_read_is_not_written(feature):
    if feature.reading is Support.NEVER:
        assert feature.writing is Support.NEVER


def test_feature_that_is_honoured_while_unused_can_tell_its_use():
    table = {
        "icebergCompatV2": {"delta.enableIcebergCompatV2": "true"},
    }
    for name, configuration in table.items():
        assert FEATURES[name].in_use(configuration, PLAIN)
        assert not FEATURES[name].in_use({}, PLAIN)


def test_first_key_that_is_set_decides():
    asked_for = FEATURES["changeDataFeed"].asked_for

    assert asked_for({"delta.enableChangeDataCapture": "true"}, PLAIN)
    assert not asked_for(
        {"delta.enableChangeDataFeed": "false", "delta.enableChangeDataCapture": "true"}, PLAIN
    )


def test_feature_keys_are_not_properties():
    assert FEATURES["appendOnly"].key == "delta.feature.appendOnly"
    assert not {feature.key for feature in FEATURES.values()} & PROPERTIES.keys()
