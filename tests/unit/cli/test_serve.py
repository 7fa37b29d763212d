"""`puredelta serve` refuses ports at which it cannot serve, before it starts a driver."""

import socket

import pytest
from click.testing import CliRunner, Result

from puredelta.cli.main import main


def serve(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["serve", *arguments])


@pytest.mark.parametrize("port", ["-1", "65536"])
@pytest.mark.parametrize("option", ["--connect-port", "--thrift-port", "--health-port"])
def test_port_out_of_range_is_refused(option, port):
    result = serve(option, port)

    assert result.exit_code == 2
    assert option in result.stderr
    assert "0<=x<=65535" in result.stderr


def test_servers_with_the_same_port_are_refused():
    result = serve("--connect-port", "10000")

    assert result.exit_code == 2
    assert "--connect-port and --thrift-port are both 10000" in result.stderr


def test_no_server_at_all_is_refused():
    result = serve("--connect-port", "0", "--thrift-port", "0", "--health-port", "8080")

    assert result.exit_code == 2
    assert "--connect-port and --thrift-port are both 0" in result.stderr


def test_port_in_use_is_named():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        result = serve("--health-port", str(port))

    assert result.exit_code == 1
    assert f"[PUREDELTA_PORT_IN_USE] Port {port} of 127.0.0.1 cannot be" in result.stderr
    assert "--health-port" in result.stderr


def test_unknown_address_is_named():
    result = serve("--bind", "nowhere.invalid")

    assert result.exit_code == 1
    assert "[PUREDELTA_PORT_IN_USE] Port 15002 of nowhere.invalid cannot be" in result.stderr
    assert "--bind" in result.stderr
