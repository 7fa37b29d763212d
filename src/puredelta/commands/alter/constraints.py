"""ALTER TABLE ... ADD, DROP and VALIDATE CONSTRAINT: conditions that all rows of a table meet.

The commands log what they do to existing rows, at INFO, under the name of `LOGGER`.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from puredelta.commands.alter.commit import Change, commit_change
from puredelta.commands.alter.constraint_proof import ConstraintProof, prove_condition
from puredelta.commands.rows.layout import spark_schema
from puredelta.commands.table_ref import TableRef
from puredelta.engine.catalyst.constraint_expressions import checked_expression
from puredelta.engine.catalyst.double_quotes import portable
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.actions import Metadata
from puredelta.log.snapshot import Snapshot
from puredelta.settings import SETTINGS
from puredelta.table.expressions.constraints import (
    Constraint,
    constraints_of,
    find_constraint,
    free_name,
    validated,
    with_constraint,
    without_constraint,
)
from puredelta.table.protocol.protocol import check_writable, upgrade
from puredelta.txn.commit_info import Operation

LOGGER = "puredelta.commands.alter_table.constraints"
"""The logger of these commands. Users turn it on by this name, wherever the module lies."""

_logger = logging.getLogger(LOGGER)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlterTableAddConstraintDeltaCommand:
    """ADD CONSTRAINT name CHECK (condition) [NOT VALID].

    Attributes:
        table: the table.
        name: of the constraint, in any case of letters; None for one that nobody else has.
        expr_text: the condition, in SQL, as the user wrote it.
        not_valid: check new rows only; VALIDATE CONSTRAINT looks at the others.
    """

    table: TableRef
    name: str | None
    expr_text: str
    not_valid: bool = False

    def plan(self, context: Context, before: Snapshot) -> Change:
        """Return what changes, without a look at the rows.

        Args:
            context: the session.
            before: the version that gets the constraint.

        Raises:
            DeltaAnalysisError: DELTA_INVALID_CONSTRAINT_NAME, DELTA_CONSTRAINT_ALREADY_EXISTS, and
                what `checked_expression` raises.
        """
        expression = portable(self.expr_text)
        name = self.name or self._free_name(before)
        configuration = with_constraint(
            before.configuration, name, expression, is_validated=not self.not_valid
        )
        check_writable(before.protocol, before.metadata, self.table.label)
        checked_expression(context.session, spark_schema(before.metadata), name, expression)
        parameters = {"name": name, "expr": expression}
        mark = {"notValid": "true"} if self.not_valid else {}
        return _change(
            before,
            Operation("ADD CONSTRAINT", parameters | mark),
            configuration,
            # NOT VALID says nothing of existing rows, so rows that others add do not matter.
            reads=not self.not_valid,
        )

    def run(self, context: Context) -> Snapshot:
        """Check the rows that are there, then store the constraint in one commit.

        Raises:
            DeltaAnalysisError: DELTA_NEW_CHECK_CONSTRAINT_VIOLATION, and what `plan` raises.
            DeltaConcurrentModificationError: rows were added since they were checked.
        """
        before = self.table.log().latest()
        # The plan refuses wrong names and expressions before rows are read.
        change = self.plan(context, before)
        if not self.not_valid:
            _check_rows(context, self.table, before, portable(self.expr_text))
        return commit_change(context, self.table, before, change)

    def _free_name(self, before: Snapshot) -> str:
        """Return a name like those that CREATE TABLE gives."""
        place = (self.table.name or self.table.root.rstrip("/").replace("/", ".")).rpartition(".")
        taken = {constraint.name for constraint in constraints_of(before.configuration)}
        return free_name(taken, place[2].strip("`"), "check")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlterTableValidateConstraintDeltaCommand:
    """VALIDATE CONSTRAINT name: look at the rows that were there before a NOT VALID constraint.

    Attributes:
        table: the table.
        name: of the constraint, in any case of letters.
    """

    table: TableRef
    name: str

    def plan(self, context: Context, before: Snapshot) -> Change:
        """Return what changes once the rows are known to meet the constraint.

        Raises:
            DeltaAnalysisError: DELTA_CONSTRAINT_DOES_NOT_EXIST.
        """
        del context
        found = _existing(before, self.table, self.name)
        parameters = {"name": self.name, "expr": found.expression}
        return _change(
            before,
            Operation("VALIDATE CONSTRAINT", parameters),
            validated(before.configuration, self.name),
            reads=True,
        )

    def run(self, context: Context) -> Snapshot:
        """Check the rows, and note it in one commit; a constraint known to hold needs none.

        Raises:
            DeltaAnalysisError: DELTA_CONSTRAINT_DOES_NOT_EXIST,
                DELTA_NEW_CHECK_CONSTRAINT_VIOLATION.
            DeltaConcurrentModificationError: rows were added since they were checked.
        """
        before = self.table.log().latest()
        found = _existing(before, self.table, self.name)
        # Since it was added or validated, every commit has kept to it.
        if found.is_validated:
            return before
        change = self.plan(context, before)
        _check_rows(context, self.table, before, found.expression)
        return commit_change(context, self.table, before, change)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlterTableDropConstraintDeltaCommand:
    """DROP CONSTRAINT [IF EXISTS] name.

    Attributes:
        table: the table.
        name: of the constraint, in any case of letters.
        if_exists: pass over one that is not there; the commit is made all the same.
    """

    table: TableRef
    name: str
    if_exists: bool = False

    def plan(self, context: Context, before: Snapshot) -> Change:
        """Return what changes.

        Raises:
            DeltaAnalysisError: DELTA_CONSTRAINT_DOES_NOT_EXIST.
        """
        passes_over = self.if_exists or context.settings.drop_if_exists
        found = find_constraint(before.configuration, self.name)
        if found is None and not passes_over:
            raise _missing(self.table, self.name)
        shown = {} if found is None else {"expr": found.expression}
        parameters = {"name": self.name, **shown, "existed": "false" if found is None else "true"}
        kept = without_constraint(before.configuration, self.name)
        return _change(before, Operation("DROP CONSTRAINT", parameters), kept, reads=False)

    def run(self, context: Context) -> Snapshot:
        """Forget the constraint in one commit.

        Raises:
            DeltaAnalysisError: DELTA_CONSTRAINT_DOES_NOT_EXIST.
        """
        before = self.table.log().latest()
        change = self.plan(context, before)
        check_writable(before.protocol, before.metadata, self.table.label)
        return commit_change(context, self.table, before, change)


def _change(
    before: Snapshot, operation: Operation, configuration: Mapping[str, str], *, reads: bool
) -> Change:
    metadata: Metadata = msgspec.structs.replace(before.metadata, configuration=dict(configuration))
    return Change(
        operation=operation,
        metadata=metadata,
        protocol=upgrade(before.protocol, metadata),
        is_blind=False if reads else None,
        reads_table=reads,
    )


def _check_rows(context: Context, table: TableRef, before: Snapshot, expression: str) -> None:
    """Check that the rows of a version meet a condition.

    Raises:
        DeltaAnalysisError: DELTA_NEW_CHECK_CONSTRAINT_VIOLATION.
    """
    _logger.info(
        "Checking that %s is satisfied for existing data.\nThis will require a full table scan.",
        expression,
    )
    found = prove_condition(context, table, before, expression)
    _logger.info(
        "%s: %d of %d files were proven by their statistics and not read, %d were scanned.",
        table.label,
        found.proven_files,
        found.proven_files + found.scanned_files,
        found.scanned_files,
    )
    if found.violations:
        raise DeltaAnalysisError(
            "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION",
            numRows=found.violations,
            tableName=table.label,
            checkConstraint=expression,
            examples=_examples(found),
        )


def _examples(found: ConstraintProof) -> str:
    head = "They are:" if found.violations == len(found.examples) else "Some of them are:"
    return "\n".join([head, *(f" - {row}" for row in found.examples)])


def _existing(before: Snapshot, table: TableRef, name: str) -> Constraint:
    found = find_constraint(before.configuration, name)
    if found is None:
        raise _missing(table, name)
    return found


def _missing(table: TableRef, name: str) -> DeltaAnalysisError:
    return DeltaAnalysisError(
        "DELTA_CONSTRAINT_DOES_NOT_EXIST",
        constraintName=name,
        tableName=table.label,
        config=SETTINGS["drop_if_exists"].key,
        confValue="true",
    )
