"""Applications that number their writes, so that none is made twice (txnAppId, txnVersion)."""

from puredelta._util.clock import now_ms
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.context import Context
from puredelta.errors.classes import DeltaIllegalArgumentError
from puredelta.log.actions import Action, SetTransaction
from puredelta.txn.transaction import Transaction


def writing_app(context: Context, options: WriteOptions) -> tuple[str, int] | None:
    """Return the application that writes and its version: the writer's option, or the session's.

    Raises:
        DeltaIllegalArgumentError: DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS.
    """
    given = context.settings.app
    if options.app is not None or given is None:
        return options.app
    name, version = given
    if name is None or version is None:
        missing = "txnAppId" if name is None else "txnVersion"
        raise DeltaIllegalArgumentError(
            "DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS", explain=f"{missing} is not set"
        )
    return name, version


def is_repeated(transaction: Transaction, app: tuple[str, int] | None) -> bool:
    """Say whether the table has what an application writes already (txnAppId, txnVersion)."""
    if app is None:
        return False
    last = transaction.read_app(app[0])
    return last is not None and last >= app[1]


def app_actions(context: Context, app: tuple[str, int] | None) -> list[Action]:
    """Return the record of what the application has written, if it says who it is."""
    if app is None:
        return []
    context.use_up_app_version()
    name, version = app
    return [SetTransaction(app_id=name, version=version, last_updated=now_ms())]
