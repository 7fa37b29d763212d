"""Answers the optimizer: filters on generated partition columns, from filters on base columns."""

import logging
from collections.abc import Sequence
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import Column

from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.bridge.classes import new
from puredelta.engine.bridge.deferred import settled
from puredelta.engine.bridge.failures import unlogged
from puredelta.engine.bridge.jvm_parts import Py4JError
from puredelta.engine.catalyst.partition_expressions import partition_expression
from puredelta.engine.catalyst.predicates import condition_of
from puredelta.engine.catalyst.sql_conditions import condition_column
from puredelta.engine.scan.file_index import snapshot_of
from puredelta.engine.scan.handle import ScanHandle
from puredelta.engine.session.sessions import active_session
from puredelta.engine.session.spark_objects import frame_of_plan
from puredelta.log.snapshot import Snapshot
from puredelta.table.expressions.generated_columns import generate_partition_filters
from puredelta.table.skipping.predicate import conjuncts

logger = logging.getLogger(__name__)

_AND = "org.apache.spark.sql.catalyst.expressions.And"
_FILTER = "org.apache.spark.sql.catalyst.plans.logical.Filter"


@serve("scan.derived")
def derive_filters(text: str, node: Any, _second: Any) -> Any:
    """Add to a filter over a table what follows from it for partitions; return the node."""
    snapshot = snapshot_of(ScanHandle.from_json(text))
    try:
        with unlogged(), settled():
            return _with_derived(node, snapshot)
    except (Py4JError, PySparkException, LookupError, TypeError, ValueError):
        # A query must not fail for what only makes it faster.
        logger.warning("no partition filters are derived", exc_info=True)
        return node


def _with_derived(node: Any, snapshot: Snapshot) -> Any:
    conditions = list(conjuncts([condition_of(node.condition())]))
    texts = generate_partition_filters(snapshot, conditions, partition_expression)
    if not texts:
        return node
    logger.debug("%s: derived %s", snapshot, texts)
    found = frame_of_plan(active_session(), node.child()).where(_all(texts))
    resolved = found._jdf.queryExecution().analyzed().condition()
    return new(_FILTER, new(_AND, node.condition(), resolved), node.child())


def _all(texts: Sequence[str]) -> Column:
    return condition_column(" AND ".join(f"({text})" for text in texts))
