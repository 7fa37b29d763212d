"""Options of an object store sorted, and kept secret."""

from datetime import timedelta

import pytest

from puredelta.errors import DeltaIllegalArgumentError
from puredelta.storage.object_store_options import access_of, without_secrets

URL = "s3://bucket/t"


def test_options_are_sorted_into_store_client_and_retries():
    given = {"AWS_Region": "r", "allow_http": "true", "max_retries": "3", "retry_timeout": "5s"}

    access = access_of(URL, given)

    assert access.config == (("aws_region", "r"),)
    assert access.client == (("allow_http", "true"),)
    assert (access.max_retries, access.retry_timeout) == (3, timedelta(seconds=5))


def test_retries_have_a_budget_when_nobody_sets_one():
    access = access_of(URL, {})

    assert (access.max_retries, access.retry_timeout) == (10, timedelta(minutes=1))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("500ms", 0.5), ("30s", 30), ("2 m", 120), ("1h", 3600), ("1500", 1.5), ("0", 0)],
)
def test_duration_has_a_unit_or_is_in_milliseconds(text, seconds):
    access = access_of(URL, {"timeout": text})

    assert access.client == (("timeout", timedelta(seconds=seconds)),)


@pytest.mark.parametrize(
    ("name", "value"),
    [("timeout", "soon"), ("retry_timeout", "-1s"), ("max_retries", "many"), ("max_retries", "²")],
)
def test_option_with_a_bad_value_is_named(name, value):
    with pytest.raises(DeltaIllegalArgumentError, match=f"'{name}' is '{value}'") as raised:
        access_of(URL, {name: value})

    assert raised.value.condition == "DELTA_STORAGE_OPTION_VALUE_INVALID"


def test_access_does_not_show_what_it_holds():
    assert "hush" not in repr(access_of(URL, {"aws_secret_access_key": "hush"}))


def test_secret_values_are_taken_out_of_a_text():
    options = {"aws_secret_access_key": "hushhush", "aws_region": "eu-west-1"}

    shown = without_secrets("signed with hushhush in eu-west-1", options)

    assert shown == "signed with *** in eu-west-1"


def test_signature_of_a_url_is_taken_out_though_nobody_gave_it():
    url = "https://a/c?comp=list&sig=Zm9v%3D&se=1 and X-Amz-Signature=0af"

    assert without_secrets(url, {}) == "https://a/c?comp=list&sig=***&se=1 and X-Amz-Signature=***"


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        ("AWS_ALLOW_HTTP", "allow_http"),
        ("aws_proxy_url", "proxy_url"),
        ("azure_user_agent", "user_agent"),
        ("google_default_content_type", "default_content_type"),
        ("root_certificate", "root_certificate"),
    ],
)
def test_option_of_the_client_may_have_the_prefix_of_its_store(given, plain):
    access = access_of(URL, {given: "x"})

    assert (access.config, access.client) == ((), ((plain, "x"),))


@pytest.mark.parametrize(
    ("name", "value"),
    [("timeout", "9" * 30), ("connect_timeout", "366d"), ("max_retries", "9" * 5000)],
)
def test_number_that_the_client_cannot_hold_is_refused(name, value):
    with pytest.raises(DeltaIllegalArgumentError, match=name):
        access_of(URL, {name: value})


def test_nothing_is_left_of_a_secret_that_begins_with_another():
    options = {"aws_access_key_id": "hush", "aws_secret_access_key": "hush-and-more"}

    assert without_secrets("hush-and-more, hush", options) == "***, ***"
