"""CHECK constraints that a table is made with."""

from puredelta.commands.rows.layout import spark_schema
from puredelta.engine.catalyst.constraint_expressions import checked_expression
from puredelta.engine.session.context import Context
from puredelta.log.actions import Metadata
from puredelta.table.expressions.constraints import check_name, constraints_of


def check_declared(context: Context, metadata: Metadata) -> None:
    """Check that the constraints of a new table can be asked of its rows.

    Args:
        context: the session.
        metadata: of the table that is to be made.

    Raises:
        DeltaAnalysisError: DELTA_INVALID_CONSTRAINT_NAME, and what `checked_expression` raises.
    """
    declared = constraints_of(metadata.configuration)
    if not declared:
        return
    schema = spark_schema(metadata)
    for column in declared:
        check_name(column.name)
        checked_expression(context.session, schema, column.name, column.expression)
