"""Reader and writer versions: what is refused, and which protocol a table needs."""

import msgspec
import pytest

from puredelta.errors import (
    DeltaIllegalArgumentError,
    DeltaInvalidProtocolVersionError,
    DeltaTableFeatureError,
)
from puredelta.log.actions import Format, Metadata, Protocol
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import (
    INTEGER,
    TIMESTAMP_NTZ,
    VARIANT,
    ArrayType,
    MapType,
    StructField,
    StructType,
)
from puredelta.table.protocol.features import FEATURES, find_feature, with_requirements
from puredelta.table.protocol.protocol import (
    ProtocolRequest,
    check_readable,
    check_writable,
    features_of,
    normal_form,
    protocol_for_new_table,
    requested_protocol,
    upgrade,
)

PLAIN = StructType((StructField("a", INTEGER),))


def metadata(schema=PLAIN, **configuration):
    return Metadata(
        id="0",
        format=Format(),
        schema_string=schema_to_json(schema),
        partition_columns=[],
        configuration={f"delta.{key}": value for key, value in configuration.items()},
    )


def legacy(reader, writer):
    return Protocol(min_reader_version=reader, min_writer_version=writer)


def listed(*names, readers=()):
    return Protocol(
        min_reader_version=3,
        min_writer_version=7,
        reader_features=list(readers),
        writer_features=list(names),
    )


# What the reference writes for a new table with these properties.
NEW_TABLES = [
    ({}, PLAIN, (1, 2), None),
    ({"delta.appendOnly": "true"}, PLAIN, (1, 2), None),
    ({"delta.constraints.c": "a > 0"}, PLAIN, (1, 3), None),
    ({"delta.feature.checkConstraints": "supported"}, PLAIN, (1, 3), None),
    ({"delta.feature.appendOnly": "supported"}, PLAIN, (1, 2), None),
    ({"delta.enableChangeDataFeed": "true"}, PLAIN, (1, 7), {"changeDataFeed"}),
    ({"delta.enableChangeDataCapture": "true"}, PLAIN, (1, 7), {"changeDataFeed"}),
    ({"delta.feature.columnMapping": "supported"}, PLAIN, (2, 7), {"columnMapping"}),
    ({"delta.columnMapping.mode": "NAME"}, PLAIN, (2, 7), {"columnMapping"}),
    ({"delta.minReaderVersion": "2", "delta.minWriterVersion": "5"}, PLAIN, (2, 5), None),
    ({"delta.minWriterVersion": "4"}, PLAIN, (1, 4), None),
    ({"delta.minReaderVersion": "1", "delta.minWriterVersion": "1"}, PLAIN, (1, 1), None),
    ({"delta.minReaderVersion": "3", "delta.minWriterVersion": "7"}, PLAIN, (1, 1), None),
    ({"delta.ignoreProtocolDefaults": "true"}, PLAIN, (1, 1), None),
    ({"delta.enableDeletionVectors": "true"}, PLAIN, (3, 7), {"deletionVectors"}),
    ({"delta.feature.domainMetadata": "enabled"}, PLAIN, (1, 7), {"domainMetadata"}),
    ({"delta.enableRowTracking": "true"}, PLAIN, (1, 7), {"rowTracking", "domainMetadata"}),
    ({"delta.checkpointPolicy": "v2"}, PLAIN, (3, 7), {"v2Checkpoint"}),
    ({"delta.enableInCommitTimestamps": "true"}, PLAIN, (1, 7), {"inCommitTimestamp"}),
    ({}, StructType((StructField("a", TIMESTAMP_NTZ),)), (3, 7), {"timestampNtz"}),
    ({}, StructType((StructField("a", ArrayType(VARIANT)),)), (3, 7), {"variantType"}),
    ({}, StructType((StructField("a", MapType(INTEGER, VARIANT)),)), (3, 7), {"variantType"}),
    (
        {},
        StructType((StructField("a", MapType(TIMESTAMP_NTZ, INTEGER)),)),
        (3, 7),
        {"timestampNtz"},
    ),
]


@pytest.mark.parametrize(("configuration", "schema", "versions", "features"), NEW_TABLES)
def test_new_table_gets_the_lowest_protocol_that_does(configuration, schema, versions, features):
    protocol, _ = protocol_for_new_table(configuration, schema)

    assert (protocol.min_reader_version, protocol.min_writer_version) == versions
    if features is None:
        assert protocol.writer_features is None
    else:
        assert set(protocol.writer_features) == features | {"appendOnly", "invariants"}
    assert (protocol.reader_features is not None) == (versions[0] == 3)


def test_keys_that_ask_for_a_protocol_are_not_stored():
    _, stored = protocol_for_new_table(
        {
            "delta.minReaderVersion": "1",
            "delta.minWriterVersion": "3",
            "delta.feature.vacuumProtocolCheck": "supported",
            "delta.ignoreProtocolDefaults": "true",
            "delta.appendOnly": "true",
            "mine": "1",
        },
        PLAIN,
    )

    assert stored == {"delta.appendOnly": "true", "mine": "1"}


def test_unknown_feature_in_properties_is_refused():
    with pytest.raises(DeltaTableFeatureError) as raised:
        requested_protocol({"delta.feature.nope": "supported"})

    assert raised.value.condition == "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG"


def test_feature_status_must_be_supported():
    with pytest.raises(DeltaTableFeatureError) as raised:
        requested_protocol({"delta.feature.appendOnly": "on"})

    assert raised.value.condition == "DELTA_UNSUPPORTED_FEATURE_STATUS"


def test_feature_name_in_any_case_is_found():
    request, _ = requested_protocol({"delta.feature.VACUUMPROTOCOLCHECK": "Supported"})

    assert request.features == {"vacuumProtocolCheck"}
    assert find_feature("DeletionVectors") is FEATURES["deletionVectors"]


def test_version_out_of_range_is_refused():
    with pytest.raises(DeltaIllegalArgumentError):
        requested_protocol({"delta.minWriterVersion": "9"})


@pytest.mark.parametrize("pair", [(1, 1), (1, 2), (1, 3), (1, 4), (2, 5), (2, 6)])
def test_legacy_pair_survives_normal_form(pair):
    assert normal_form(features_of(legacy(*pair))) == legacy(*pair)


def test_requirements_come_along():
    assert with_requirements(["icebergCompatV3"]) == {
        "icebergCompatV3",
        "columnMapping",
        "rowTracking",
        "domainMetadata",
    }


def test_protocol_that_suffices_stays_the_same_object():
    protocol = legacy(1, 2)

    assert upgrade(protocol, metadata(appendOnly="true")) is protocol


def test_upgrade_adds_what_the_properties_ask_for():
    found = upgrade(legacy(1, 2), metadata(enableChangeDataFeed="true"))

    assert found.min_writer_version == 7
    assert set(found.writer_features) == {"appendOnly", "invariants", "changeDataFeed"}


def test_upgrade_keeps_unknown_features():
    found = upgrade(listed("mystery"), metadata(enableInCommitTimestamps="true"))

    assert set(found.writer_features) == {"mystery", "inCommitTimestamp"}


def test_upgrade_never_lowers():
    asked = ProtocolRequest(versions=(1, 1))

    assert upgrade(legacy(1, 4), metadata(), asked) == legacy(1, 4)


def test_upgrade_by_version_adds_its_features():
    start = upgrade(legacy(1, 2), metadata(enableChangeDataFeed="true"))

    found = upgrade(start, metadata(), ProtocolRequest(versions=(None, 3)))

    assert "checkConstraints" in found.writer_features


def test_timestamp_ntz_must_be_enabled_by_hand():
    schema = StructType((StructField("t", TIMESTAMP_NTZ),))

    with pytest.raises(DeltaTableFeatureError) as raised:
        upgrade(legacy(1, 2), metadata(schema))

    assert raised.value.condition == "DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT"
    by_hand = ProtocolRequest(features=frozenset({"timestampNtz"}))
    assert "timestampNtz" in upgrade(legacy(1, 2), metadata(schema), by_hand).reader_features


@pytest.mark.parametrize("versions", [(4, 7), (3, 8), (0, 2)])
def test_versions_above_ours_are_refused(versions):
    with pytest.raises(DeltaInvalidProtocolVersionError):
        check_writable(legacy(*versions), metadata(), "t")


@pytest.mark.parametrize("name", ["mystery", "catalogManaged", "geospatial", "collations"])
def test_reader_feature_that_we_lack_is_refused_by_name(name):
    with pytest.raises(DeltaTableFeatureError) as raised:
        check_readable(listed(name, readers=[name]), metadata(), "t")

    assert raised.value.condition == "DELTA_UNSUPPORTED_FEATURES_FOR_READ"
    assert raised.value.parameters["unsupported"] == name


@pytest.mark.parametrize("name", ["mystery", "materializePartitionColumns"])
def test_writer_feature_that_we_lack_stops_writes_only(name):
    protocol = Protocol(min_reader_version=1, min_writer_version=7, writer_features=[name])

    check_readable(protocol, metadata(), "t")
    with pytest.raises(DeltaTableFeatureError) as raised:
        check_writable(protocol, metadata(), "t")

    assert raised.value.condition == "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"


@pytest.mark.parametrize(
    "name",
    [
        *("timestampNtz", "deletionVectors", "v2Checkpoint", "vacuumProtocolCheck"),
        *("typeWidening", "variantShredding", "variantShredding-preview"),
    ],
)
def test_harmless_reader_feature_is_read_and_written(name):
    check_writable(listed(name, readers=[name]), metadata(), "t")


@pytest.mark.parametrize("name", ["rowTracking", "clustering", "checkpointProtection"])
def test_writer_feature_whose_duties_we_know_is_written(name):
    check_writable(listed(name), metadata(enableRowTracking="true"), "t")


def test_coordinated_commits_are_written_while_no_coordinator_is_named():
    protocol = listed("coordinatedCommits-preview")
    named = metadata(**{"coordinatedCommits.commitCoordinator-preview": "c"})

    check_writable(protocol, metadata(), "t")
    with pytest.raises(DeltaTableFeatureError):
        check_writable(protocol, named, "t")


def test_tables_with_changed_types_are_written():
    changes = [{"toType": "integer", "fromType": "short"}]
    changed = StructType((StructField("a", INTEGER, metadata={"delta.typeChanges": changes}),))

    check_writable(listed("typeWidening", readers=["typeWidening"]), metadata(changed), "t")


def test_new_table_with_row_tracking_names_the_columns_of_the_ids():
    _, stored = protocol_for_new_table({"delta.enableRowTracking": "true"}, PLAIN)

    assert stored["delta.rowTracking.materializedRowIdColumnName"].startswith("_row-id-col-")
    version_column = stored["delta.rowTracking.materializedRowCommitVersionColumnName"]
    assert version_column.startswith("_row-commit-version-col-")


def test_legacy_versions_are_written_while_nothing_uses_them():
    check_writable(legacy(2, 6), metadata(), "t")


def with_metadata(**entries):
    return StructType((StructField("a", INTEGER, metadata=entries),))


@pytest.mark.parametrize(
    ("version", "key"), [(4, "delta.generationExpression"), (6, "delta.identity.start")]
)
def test_generated_and_identity_columns_are_written(version, key):
    check_writable(legacy(1, version), metadata(with_metadata(**{key: 1})), "t")


def test_mapped_columns_are_written():
    check_writable(legacy(2, 5), metadata(**{"columnMapping.mode": "name"}), "t")


def test_constraints_and_invariants_are_written():
    check_writable(legacy(1, 3), metadata(**{"constraints.c": "a > 0"}), "t")
    check_writable(legacy(1, 2), metadata(with_metadata(**{"delta.invariants": "{}"})), "t")


def test_not_null_alone_is_written():
    check_writable(legacy(1, 2), metadata(StructType((StructField("a", INTEGER, False),))), "t")


@pytest.mark.parametrize(
    ("present", "wanted"),
    [
        ((), {"variantType", "variantShredding-preview"}),
        (("variantShredding",), {"variantType", "variantShredding"}),
        (("variantType-preview",), {"variantType-preview", "variantShredding-preview"}),
    ],
)
def test_feature_stands_in_for_its_preview_and_the_other_way_round(present, wanted):
    schema = StructType((StructField("v", VARIANT),))
    properties = {"delta.enableVariantShredding": "true"}
    named = {f"delta.feature.{name}": "supported" for name in present}

    protocol, _ = protocol_for_new_table({**properties, **named}, schema)

    assert set(protocol.reader_features) == wanted
    now = listed(*present, readers=present)
    raised = upgrade(now, msgspec.structs.replace(metadata(schema), configuration=properties))
    assert set(raised.reader_features) == wanted
