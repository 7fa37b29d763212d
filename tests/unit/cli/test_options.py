"""Options that several commands have."""

import json

import click
import pytest
from click.testing import CliRunner

from puredelta.cli.options import store_options


@click.command()
@store_options
def shown(options):
    """Print the options of the store."""
    click.echo(json.dumps(options))


def given(*texts):
    arguments = [argument for text in texts for argument in ("-o", text)]
    return CliRunner().invoke(shown, arguments)


def test_value_of_an_option_keeps_its_equals_signs():
    result = given("key=Zm9v==", "endpoint=http://h/?a=b", "empty=")

    assert json.loads(result.stdout) == {
        "key": "Zm9v==",
        "endpoint": "http://h/?a=b",
        "empty": "",
    }


@pytest.mark.parametrize("text", ["colour", "=blue", ""])
def test_option_without_name_or_sign_is_a_mistake_in_the_call(text):
    result = given(text)

    assert result.exit_code == 2
    assert "NAME=VALUE" in result.stderr
