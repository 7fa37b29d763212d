"""Table properties: spelling, rules and defaults."""

from datetime import timedelta

import pytest

from puredelta.errors import (
    DeltaAnalysisError,
    DeltaIllegalArgumentError,
    DeltaUnsupportedOperationError,
)
from puredelta.table.protocol.properties import (
    APPEND_ONLY,
    CHECKPOINT_INTERVAL,
    DELETED_FILE_RETENTION,
    PROPERTIES,
    SKIPPING_NUM_COLUMNS,
    check_combinations,
    validate,
)


def test_absent_property_has_its_default():
    assert CHECKPOINT_INTERVAL.of({}) == 10
    assert DELETED_FILE_RETENTION.of({}) == timedelta(weeks=1)
    assert APPEND_ONLY.of({}) is False


def test_value_is_read_in_any_case_of_letters():
    assert APPEND_ONLY.of({"delta.appendOnly": "TRUE"}) is True
    assert SKIPPING_NUM_COLUMNS.of({"delta.dataSkippingNumIndexedCols": "-1"}) == -1


def test_keys_get_the_stored_spelling_and_values_stay():
    given = {"DELTA.appendonly": "TRUE", "delta.logretentionduration": "30 days", "mine": "x"}

    assert validate(given) == {
        "delta.appendOnly": "TRUE",
        "delta.logRetentionDuration": "30 days",
        "mine": "x",
    }


def test_constraint_names_are_lowered():
    assert validate({"Delta.Constraints.MyCheck": "a > 0"}) == {
        "delta.constraints.mycheck": "a > 0"
    }


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("delta.appendOnly", "yes"),
        ("delta.checkpointInterval", "0"),
        ("delta.checkpointInterval", "abc"),
        ("delta.logRetentionDuration", "interval 1 month"),
        ("delta.deletedFileRetentionDuration", "-1 day"),
        ("delta.columnMapping.mode", "foo"),
        ("delta.isolationLevel", "WriteSerializable"),
        ("delta.dataSkippingNumIndexedCols", "-2"),
        ("delta.minWriterVersion", "9"),
        ("delta.minWriterVersion", "x"),
        ("delta.universalFormat.enabledFormats", "iceberg,iceberg"),
        ("delta.parquet.format.version", "two"),
    ],
)
def test_value_against_the_rule_is_refused(key, value):
    with pytest.raises(DeltaIllegalArgumentError) as raised:
        validate({key: value})

    assert raised.value.condition == "DELTA_INVALID_TABLE_PROPERTY_VALUE"
    assert raised.value.parameters["key"] == key
    assert raised.value.parameters["value"] == value


def test_unknown_delta_property_is_refused_by_name():
    with pytest.raises(DeltaAnalysisError) as raised:
        validate({"delta.foo": "1"})

    assert raised.value.condition == "DELTA_UNKNOWN_CONFIGURATION"
    assert raised.value.parameters["config"] == "delta.foo"
    assert validate({"delta.foo": "1"}, allow_unknown=True) == {"delta.foo": "1"}


def test_free_prefixes_pass():
    given = {"delta.universalformat.config.x": "1", "delta.feature.appendOnly": "supported"}

    assert validate(given) == given


@pytest.mark.parametrize("key", ["delta.columnMapping.maxColumnId", "clusteringColumns"])
def test_what_the_engine_keeps_is_not_the_users_to_set(key):
    with pytest.raises(DeltaUnsupportedOperationError) as raised:
        validate({key: "3"})

    assert raised.value.condition == "DELTA_CANNOT_MODIFY_TABLE_PROPERTY"


def test_what_the_table_has_already_passes():
    key = "delta.columnMapping.maxColumnId"

    assert validate({key: "3"}, ours=[key]) == {key: "3"}


def test_log_must_not_be_forgotten_before_the_files():
    with pytest.raises(DeltaIllegalArgumentError) as raised:
        validate({"delta.logRetentionDuration": "interval 1 day"})

    assert raised.value.condition == "DELTA_LOG_RETENTION_TOO_SHORT"
    assert validate(
        {
            "delta.logRetentionDuration": "interval 1 day",
            "delta.deletedFileRetentionDuration": "12 hours",
        }
    )


@pytest.mark.parametrize("key", sorted(PROPERTIES))
def test_every_property_says_what_it_is(key):
    found = PROPERTIES[key]

    assert found.key == key
    assert found.rule.startswith(("must", "is"))
    assert found.help.endswith(".")


@pytest.mark.parametrize("text", [" 3 ", "1.5", "99999999999", "9" * 5000, "many"])
def test_integers_are_plain_and_fit_into_32_bits(text):
    with pytest.raises(DeltaIllegalArgumentError):
        validate({"delta.checkpointInterval": text})


def test_isolation_level_that_does_not_exist_has_a_condition_of_its_own():
    conditions = []
    for text in ("x", "WriteSerializable"):
        with pytest.raises(DeltaIllegalArgumentError) as caught:
            validate({"delta.isolationLevel": text})
        conditions.append(caught.value.condition)

    assert conditions == ["DELTA_INVALID_ISOLATION_LEVEL", "DELTA_INVALID_TABLE_PROPERTY_VALUE"]


def test_vectors_and_manifests_exclude_each_other():
    on = {"delta.enableDeletionVectors": "true"}
    on["delta.compatibility.symlinkFormatManifest.enabled"] = "true"

    with pytest.raises(DeltaUnsupportedOperationError, match="manifest"):
        check_combinations(on, "t")
