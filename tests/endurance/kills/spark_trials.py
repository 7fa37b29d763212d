"""Trials with Spark: a copy of a table, a statement whose process is killed, and the verdict."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.endurance.kills.interposer import Call, Interposer, KillAt, first_of_commit
from tests.endurance.kills.places import LocalPlace
from tests.endurance.kills.spark_cases import CASES, SOURCE, SparkCase, write_stream_files
from tests.endurance.kills.spark_sessions import SparkProcess
from tests.endurance.kills.trials import Tally, chosen
from tests.endurance.kills.verdict import judge

ENDED = "PUREDELTA_SIDECAR_ENDED"


@dataclass
class SparkTrials:
    """Trials of one statement.

    Attributes:
        interposer: what kills.
        folder: a place for the tables.
        name: of the case.
    """

    interposer: Interposer
    folder: Path
    name: str

    @property
    def case(self) -> SparkCase:
        """The statement."""
        return CASES[self.name]

    @property
    def table(self) -> LocalPlace:
        """The table of which each trial has a copy."""
        return LocalPlace(self.folder / "table")

    def make(self, process: SparkProcess) -> None:
        """Make what is there before the statement."""
        for statement in self.case.make:
            assert process.run(statement=self._filled(statement, self.table)) is None
        self.case.prepare(self.table.folder)
        write_stream_files(self.folder / "in")

    def try_beside(self, process: SparkProcess, kills: int) -> Tally:
        """Kill the Python beside a JVM, which starts another one each time."""
        tally = Tally()
        calls = self._run_alive(process)
        for number, kill_at in enumerate(chosen(calls, kills, seed=1)):
            place = self.table.copy(f"trial-{number}")
            error, made = self._run(process, place, kill_at)
            # A stream passes on what its batch failed with.
            assert error is None or ENDED in error, error
            self._judge(tally, place, made, process, told=error is None)
        return tally

    def try_whole(self, start: Callable[[], SparkProcess], kills: int) -> Tally:
        """Kill a driver with its JVM; each trial starts one, and goes on in one more of them."""
        tally = Tally()
        process = start()
        self.make(process)
        calls = self._run_alive(process)
        for number, kill_at in enumerate(chosen(calls, kills, seed=1, group=True)):
            place = self.table.copy(f"trial-{number}")
            told = True
            try:
                error, made = self._run(process, place, kill_at)
                assert error is None, error
            except ProcessLookupError:
                told, made = False, self.interposer.disarm()
                process = start()
            self._judge(tally, place, made, process, told=told)
        return tally

    def _judge(
        self,
        tally: Tally,
        place: LocalPlace,
        made: list[Call],
        process: SparkProcess,
        *,
        told: bool,
    ) -> None:
        def again() -> None:
            assert self._ask(process, place) is None

        case = self.case
        repeats = not case.statement
        verdict = judge(place, case.before, case.after, told=told, again=again, repeats=repeats)
        tally.add(verdict, inside=len(made) > first_of_commit(made), told=told)
        place.remove()

    def _run_alive(self, process: SparkProcess) -> list[Call]:
        # The first time all that is first is done, such as the start of the Python beside.
        for name in ("first", "alive"):
            place = self.table.copy(name)
            error, calls = self._run(process, place, KillAt())
            assert error is None, error
            place.remove()
        return calls

    def _run(
        self, process: SparkProcess, place: LocalPlace, kill_at: KillAt
    ) -> tuple[str | None, list[Call]]:
        self.interposer.arm(place.folder, kill_at)
        error = self._ask(process, place)
        return error, self.interposer.disarm()

    def _ask(self, process: SparkProcess, place: LocalPlace) -> str | None:
        if self.case.statement:
            return process.run(statement=self._filled(self.case.statement, place))
        checkpoint = place.folder.with_name(f"checkpoint-{place.folder.name}")
        return process.run(
            source=str(self.folder / "in"), path=place.url, checkpoint=str(checkpoint)
        )

    def _filled(self, statement: str, place: LocalPlace) -> str:
        names = {"t": place.folder, "s": self.folder / SOURCE}
        tables = {key: f"delta.`{folder}`" for key, folder in names.items()}
        return statement.format(**tables, p=f"parquet.`{place.folder}`")
