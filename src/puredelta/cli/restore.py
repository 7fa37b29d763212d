"""`puredelta restore`: an older version of a table becomes the newest one, without Spark."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from puredelta.cli import options as shared
from puredelta.cli.output.cells import print_json, printable_lines

if TYPE_CHECKING:
    from puredelta.maintenance.restore import RestorePlan


@click.command()
@shared.path
@click.option("--version", type=click.IntRange(min=0), help="The version to go back to.")
@click.option("--timestamp", help="Go back to the version that was the latest then (ISO 8601).")
@click.option(
    "--ignore-missing-files",
    is_flag=True,
    help="Restore the version though files of it are gone; their rows are lost.",
)
@click.option(
    "--ignore-retention",
    is_flag=True,
    help="Go back further than deleted files are retained; files may be gone.",
)
@shared.dry_run
@shared.yes
@shared.store_options
@shared.report_format
def restore(  # noqa: PLR0913  # click passes each option
    *,
    path: str,
    version: int | None,
    timestamp: str | None,
    ignore_missing_files: bool,
    ignore_retention: bool,
    dry_run: bool,
    yes: bool,
    options: dict[str, str],
    as_json: bool,
) -> None:
    """Make an older version the newest one; no data file is written or deleted.

    Exits with 0 when the table is at the version, or could be, and with 1 otherwise.
    """
    from puredelta.maintenance.restore import check_files_exist, plan_restore
    from puredelta.maintenance.restore_preview import restore_preview
    from puredelta.maintenance.restore_target import check_not_expired, open_version_to_restore

    if (version is None) == (timestamp is None):
        raise click.UsageError("Give --version or --timestamp, and not both.")
    target = open_version_to_restore(path, version, timestamp, options)
    before = open_version_to_restore(path, None, None, options)
    if not ignore_retention:
        check_not_expired(target, before)
    plan = plan_restore(path, before, target)
    if dry_run or not plan.has_effect:
        preview = restore_preview(plan, options)
        _print(preview.as_dict(), str(preview), as_json=as_json)
        sys.exit(0 if preview.would_succeed or ignore_missing_files else 1)
    if not ignore_missing_files:
        check_files_exist(plan, options)
    shared.confirm(lambda: str(restore_preview(plan, options)), is_confirmed=yes or as_json)
    _restore(plan, {"version": version, "timestamp": timestamp}, options, as_json=as_json)


def _restore(
    plan: "RestorePlan", parameters: dict[str, object], options: dict[str, str], *, as_json: bool
) -> None:
    from puredelta.log.table_log import open_log
    from puredelta.maintenance.manifest import ManifestNames
    from puredelta.maintenance.manifest_upkeep import ManifestUpkeep
    from puredelta.maintenance.restore import commit_restore
    from puredelta.txn.transaction import Transaction

    log = open_log(plan.table, options)
    transaction = Transaction(log, plan.before, table=plan.table)
    transaction.follow_ups = (ManifestUpkeep(ManifestNames()),)
    restored = commit_restore(transaction, plan, parameters)
    text = (
        f"{plan.table}: version {restored.version} restores version {plan.target.version}, "
        f"{restored.restored_files:,} files came back and {restored.removed_files:,} left"
    )
    facts = {"version": restored.version, "restored": plan.target.version, **restored.as_row()}
    _print(facts, text, as_json=as_json)


def _print(facts: Mapping[str, object], text: str, *, as_json: bool) -> None:
    if as_json:
        print_json(facts)
    else:
        click.echo(printable_lines(text))
