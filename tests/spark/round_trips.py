"""Counts the round trips from Python to the JVM."""

from pyspark import SparkContext


def count_round_trips(monkeypatch, work):
    """Return how many commands reach the JVM while a function runs, releases left out."""
    sent = []
    client = SparkContext._gateway._gateway_client
    # The look-ups send through the calls that wait, and these through what sends to py4j.
    caller = client.send_command.__self__._send.__self__._send.__self__
    send = caller._send
    with monkeypatch.context() as patched:
        patched.setattr(caller, "_send", lambda *given: sent.append(given[0]) or send(*given))
        work()
    return len([command for command in sent if "\nrelease\n" not in command])
