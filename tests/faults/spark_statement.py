"""A Spark process that runs one statement once a line comes, and can kill itself on the way.

What its driver is about to do to files below the table's folder is counted; at the chosen one, the
process and its JVM end at once.
"""

import os
import signal
import sys

from pyspark.sql import SparkSession

import puredelta


def start():
    """Start a session in which two tasks run at once, as fast as one starts."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    )
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


class Calls:
    """Counts what this process asks of the system below a folder; kills its group at one of it."""

    def __init__(self, folder, kill_at):
        self.made = 0
        self._folder = folder
        self._kill_at = kill_at
        sys.addaudithook(self._see)

    def _see(self, event, arguments):
        if not event.startswith(("open", "os.")):
            return
        if not any(
            isinstance(one, str | os.PathLike) and os.fspath(one).startswith(self._folder)
            for one in arguments
        ):
            return
        if self.made == self._kill_at:
            os.killpg(0, signal.SIGKILL)
        self.made += 1


def main(folder, kill_at, statement, *settings):
    """Run the statement when a line comes, and print how much was asked of the system."""
    spark = start()
    for setting in settings:
        spark.conf.set(setting, "true")
    print("began", flush=True)
    sys.stdin.readline()
    calls = Calls(folder, int(kill_at))
    spark.sql(statement)
    print("done", calls.made, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
