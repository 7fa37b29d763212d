"""What all commands have in common: formats, help, completion, exit codes."""

import json
import os
import subprocess
import sys

import click
import deltalake
import pyarrow as pa
import pytest
from click.testing import CliRunner

from puredelta.cli.main import main
from puredelta.cli.output.listing import FORMATS

LISTS = ("check", "checkpoints", "diff", "files", "head", "history", "partitions", "protocol")
LISTS = (*LISTS, "schema", "size", "stats")


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> str:
    """Write a small table with a checkpoint."""
    folder = str(tmp_path_factory.mktemp("table") / "t")
    deltalake.write_deltalake(folder, pa.table({"id": [1, 2], "half": [1, 0]}))
    deltalake.DeltaTable(folder).create_checkpoint()
    return folder


def run(*arguments):
    return CliRunner().invoke(main, list(arguments))


@pytest.mark.parametrize("command", LISTS)
def test_command_that_lists_has_each_format(path, command):
    arguments = [command, path, *(["0"] if command == "diff" else [])]

    shown = {form: run(*arguments, "--format", form) for form in FORMATS}

    assert {form: result.exit_code for form, result in shown.items()} == dict.fromkeys(FORMATS, 0)
    json.loads(shown["json"].stdout)
    assert shown["json"].stdout == run(*arguments, "--json").stdout
    assert all(isinstance(json.loads(line), dict) for line in shown["ndjson"].stdout.splitlines())
    assert shown["csv"].stdout.startswith('"')


def test_json_and_another_format_are_a_mistake_in_the_call(path):
    result = run("files", path, "--json", "--format", "csv")

    assert result.exit_code == 2
    assert "--json is the format json, not csv" in result.stderr


@pytest.mark.parametrize(
    ("command", "status"), [("check", 2), ("health", 2), ("files", 1), ("size", 1)]
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_exit_code_of_a_failure_differs_from_that_of_a_finding(tmp_path, command, status, form):
    result = run(command, str(tmp_path / "none"), *form)

    assert result.exit_code == status
    assert "DELTA_PATH_DOES_NOT_EXIST" in result.stderr


def commands(group, before=()):
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*before, name))
        else:
            yield (*before, name)


@pytest.mark.parametrize("names", list(commands(main)), ids=" ".join)
def test_each_command_and_option_has_help(names):
    result = run(*names, "--help")

    assert result.exit_code == 0
    command = main
    for name in names:
        command = command.commands[name]
    options = [found for found in command.params if isinstance(found, click.Option)]
    assert [option.name for option in options if not option.help] == []


def completed(words, number, shell="bash"):
    environment = {"COMP_WORDS": words, "COMP_CWORD": str(number)}
    environment["_PUREDELTA_COMPLETE"] = f"{shell}_complete"
    result = CliRunner().invoke(main, prog_name="puredelta", env=environment)
    return result.stdout.split()


def test_commands_and_options_are_completed():
    assert completed("puredelta he", 1) == ["plain,head", "plain,health"]
    assert "plain,--format" in completed("puredelta files --fo", 2)
    assert completed("puredelta files x --format nd", 4) == ["plain,ndjson"]


def test_path_is_completed_as_a_folder():
    assert completed("puredelta files /tm", 2) == ["dir,/tm"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_of_each_shell_names_the_command(shell):
    result = run("completion", shell)

    assert result.exit_code == 0
    assert f"_PUREDELTA_COMPLETE={shell}_complete" in result.stdout


def test_module_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "puredelta", "--version"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )

    assert done.stdout.startswith("python -m puredelta ")
