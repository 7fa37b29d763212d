"""Applications that number their writes, so that none is made twice (txnAppId, txnVersion)."""

from dataclasses import dataclass

from puredelta._util.clock import now_ms
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaIllegalArgumentError
from puredelta.log.actions import Action, SetTransaction
from puredelta.txn.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """Who writes, and which of its writes this is.

    Attributes:
        name: its id.
        version: the number of the write; it grows from write to write.
        is_of_session: the session says so, not the writer's options.
    """

    name: str
    version: int
    is_of_session: bool


def writing_app(context: Context, options: WriteOptions) -> Application | None:
    """Return the application that writes: the writer's option, or the session's.

    Raises:
        DeltaIllegalArgumentError: DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS.
    """
    if options.app is not None:
        name, version = options.app
        return Application(name=name, version=version, is_of_session=False)
    if context.settings.app is None:
        return None
    said_name, said_version = context.settings.app
    if said_name is None or said_version is None:
        missing = "txnAppId" if said_name is None else "txnVersion"
        raise DeltaIllegalArgumentError(
            "DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS", explain=f"{missing} is not set"
        )
    return Application(name=said_name, version=said_version, is_of_session=True)


def is_repeated(context: Context, transaction: Transaction, app: Application | None) -> bool:
    """Say whether the table has a write already, which is then left out.

    Its version is used up as if it had been made: else the next one would be left out as well.
    """
    if app is None:
        return False
    last = transaction.read_app(app.name)
    if last is None or last < app.version:
        return False
    _use_up(context, app)
    return True


def app_actions(context: Context, app: Application | None) -> list[Action]:
    """Return the record of what the application has written, if it says who it is."""
    if app is None:
        return []
    _use_up(context, app)
    return [SetTransaction(app_id=app.name, version=app.version, last_updated=now_ms())]


def _use_up(context: Context, app: Application) -> None:
    if app.is_of_session:
        context.use_up_app_version()
