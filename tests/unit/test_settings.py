"""Session settings: the value of a string, what is refused, and what is logged once."""

import logging

import pytest

from puredelta.setting import MalformedSettingError
from puredelta.settings import (
    PREFIX,
    SETTINGS,
    CommitSettings,
    ConvertSettings,
    Settings,
    read_settings,
    warn_of_unknown,
)


def read(**given):
    texts = {SETTINGS[name].key: text for name, text in given.items()}
    return read_settings(texts.get)


def test_settings_that_nobody_set_are_the_defaults_of_the_value():
    assert read() == Settings()


def test_each_setting_reaches_its_field():
    found = read(
        auto_merge=" TRUE ",
        max_attempts="3",
        metrics="false",
        overwrite_mode="dynamic",
        checkpoint_part_size="500",
        top_level_format="parquet",
        data_folder="true",
        user_metadata="mine",
        infer_partitions="true",
        stats_batch="7",
    )

    assert found == Settings(
        auto_merge=True,
        dynamic_overwrite=True,
        data_folder="data",
        user_metadata="mine",
        commit=CommitSettings(
            max_attempts=3, metrics=False, checkpoint_part_size=500, top_level_format="parquet"
        ),
        convert=ConvertSettings(infer_partitions=True, stats_batch=7),
    )


def test_application_has_the_parts_that_are_set():
    assert read(app_id="a", app_version="7").app == ("a", 7)
    assert read(app_id="a").app == ("a", None)
    assert read(app_version="7").app == (None, 7)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("auto_merge", "perhaps"),
        ("max_attempts", "many"),
        ("stats_batch", "0"),
        ("schema_batch", ""),
        ("max_attempts", "99999999999"),
        ("app_version", "1.5"),
        ("top_level_format", "orc"),
    ],
)
def test_text_that_is_none_of_the_values_is_refused(name, text):
    with pytest.raises(MalformedSettingError, match="cannot be") as caught:
        read(**{name: text})

    assert caught.value.key == SETTINGS[name].key


def test_unknown_setting_of_delta_is_logged_once(caplog):
    warned = set()
    keys = [PREFIX + "nope", "spark.sql.nope", SETTINGS["metrics"].key]
    keys += [PREFIX + "properties.defaults.appendOnly", PREFIX + "lastCommitVersionInSession"]

    with caplog.at_level(logging.WARNING, logger="puredelta.settings"):
        warn_of_unknown(keys, warned)
        warn_of_unknown(keys, warned)

    assert [record.getMessage().split()[2] for record in caplog.records] == [PREFIX + "nope"]


def test_settings_of_curves_reach_their_fields():
    found = read(
        stable_cube_size="10",
        target_cube_size="20",
        curve_ranges="30",
        curve_samples="40",
        curve_noise="false",
        sort_within_files="true",
    ).optimize

    assert (found.stable_cube_size, found.target_cube_size) == (10, 20)
    assert (found.curve_ranges, found.curve_samples) == (30, 40)
    assert (found.curve_noise, found.sort_within_files) == (False, True)


@pytest.mark.parametrize(
    ("name", "text"),
    [("curve_ranges", "1"), ("curve_samples", "0"), ("stable_cube_size", "0")],
)
def test_numbers_that_no_curve_can_have_are_refused(name, text):
    with pytest.raises(MalformedSettingError):
        read(**{name: text})
