"""`puredelta serve`: a driver with Spark Connect and Thrift servers."""

import logging
import signal
from collections.abc import Mapping
from itertools import combinations

import click

from puredelta.cli.options import pairs

_PORT = click.IntRange(0, 65535)


@click.command()
@click.option(
    "--connect-port",
    type=_PORT,
    default=15002,
    show_default=True,
    help="For Spark Connect; 0: none.",
)
@click.option(
    "--thrift-port",
    type=_PORT,
    default=10000,
    show_default=True,
    help="For Thrift (JDBC); 0: none.",
)
@click.option(
    "--health-port",
    type=_PORT,
    default=0,
    show_default=True,
    help="For GET /health; 0: none.",
)
@click.option(
    "--bind",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on. Nobody has to log in: at another one, other machines get in.",
)
@click.option(
    "--conf",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    callback=lambda _context, _parameter, given: pairs(given),
    help="A setting of Spark; may be repeated.",
)
def serve(
    connect_port: int, thrift_port: int, health_port: int, bind: str, settings: dict[str, str]
) -> None:
    """Serve Spark Connect and JDBC clients until Ctrl-C or SIGTERM."""
    of_clients = {"--connect-port": connect_port, "--thrift-port": thrift_port}
    _refuse_equal_ports({**of_clients, **({"--health-port": health_port} if health_port else {})})
    from puredelta.serve import Ports, start

    logging.basicConfig(format="%(asctime)s %(message)s")
    logging.getLogger("puredelta.engine.session.servers").setLevel(logging.INFO)
    ports = Ports(
        connect=connect_port or None,
        thrift=thrift_port or None,
        health=health_port or None,
        address=bind,
    )
    server = start(ports, settings)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: server.end())
    for kind, address in server.addresses().items():
        click.echo(f"{kind:8} {address}")
    server.wait()
    server.stop()


def _refuse_equal_ports(ports: Mapping[str, int]) -> None:
    """Raise where two servers have the same port, or where no server has one for clients."""
    for (name, port), (other, same) in combinations(ports.items(), 2):
        if port == same:
            why = "start at least one of the two" if port == 0 else "give each a port of its own"
            raise click.UsageError(f"{name} and {other} are both {port}: {why}.")
