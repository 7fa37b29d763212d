"""What an overwrite replaces, settled from its options and the session's settings."""

from dataclasses import replace

from puredelta.commands.write.overwrite_options import check_options
from puredelta.commands.write.write import (
    APPEND,
    DYNAMIC,
    OVERWRITE,
    Write,
)
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaIllegalArgumentError


def resolve_overwrite(write: Write, context: Context) -> Write:
    """Settle what an overwrite replaces: all, what replaceWhere selects, or the partitions hit.

    Raises:
        DeltaIllegalArgumentError: options that exclude each other.
        DeltaAnalysisError: a replaceWhere that is no condition, options that are switched off.
    """
    options = write.options
    check_options(
        options,
        context,
        overwrites=write.mode != APPEND,
        by_filter=write.predicate is not None,
        by_partitions=write.mode == DYNAMIC,
    )
    if write.mode == DYNAMIC:
        _keep_schema(options)
    if write.mode != OVERWRITE or options.matches_data:
        return write
    if options.replace_where is not None:
        return replace(write, predicate=options.replace_where)
    dynamic = options.dynamic_overwrite
    if dynamic is None:
        dynamic = context.settings.dynamic_overwrite and write.predicate is None
    if not dynamic:
        if options.null_intolerant is not None:
            raise DeltaIllegalArgumentError(
                "DELTA_ILLEGAL_OPTION",
                input=str(options.null_intolerant).lower(),
                name="useNullIntolerantEqualityWithDPO",
                explain="it is for partitionOverwriteMode=dynamic only",
            )
        return write
    _keep_schema(options)
    return replace(write, mode=DYNAMIC)


def _keep_schema(options: WriteOptions) -> None:
    """Refuse another schema where partitions with rows of this one stay."""
    if options.overwrite_schema:
        raise DeltaIllegalArgumentError("DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE")
