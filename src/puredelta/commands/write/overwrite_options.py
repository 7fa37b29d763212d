"""Which options of an overwrite go together."""

from puredelta.commands.write_options import WriteOptions
from puredelta.engine.catalyst.sql_conditions import check_syntax
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.settings import Settings


def check_options(
    options: WriteOptions,
    context: Context,
    *,
    overwrites: bool,
    by_filter: bool = False,
    by_partitions: bool = False,
) -> None:
    """Check the options that say what a write replaces.

    Args:
        options: the writer's options.
        context: the session, and what it allows.
        overwrites: the write takes rows away.
        by_filter: it was given a condition besides the options.
        by_partitions: it is to replace the partitions that get rows, besides the options.

    Raises:
        DeltaAnalysisError: DELTA_FAILED_RECOGNIZE_PREDICATE, DELTA_OPERATION_NOT_ALLOWED,
            DELTA_REPLACE_WHERE_IN_OVERWRITE besides a condition or partitions.
        DeltaIllegalArgumentError: options that exclude each other.
    """
    if options.replace_where is not None:
        check_syntax(context.session, options.replace_where)
        if overwrites and (by_filter or by_partitions):
            raise DeltaAnalysisError("DELTA_REPLACE_WHERE_IN_OVERWRITE")
    _check_allowed(options, context.settings)
    if overwrites and options.matches_data:
        _check_alone(options, by_filter=by_filter, by_partitions=by_partitions)


def check_new_table(options: WriteOptions, context: Context, root: str, *, named: bool) -> None:
    """Check the options of a write that makes its table.

    Args:
        options: the writer's options.
        context: the session, and what it allows.
        root: where the table will lie.
        named: it is created by `writeTo(...).create()` or `replace()`, not by saving.

    Raises:
        DeltaAnalysisError: options for tables that are there.
        DeltaIllegalArgumentError: DELTA_ILLEGAL_OPTION for a dry run.
    """
    check_options(options, context, overwrites=False)
    if options.matches_data and named:
        raise DeltaAnalysisError("DELTA_DFV2_CREATE_REPLACE_INCOMPATIBLE_REPLACE_ON_OR_USING")
    if options.matches_data:
        raise DeltaAnalysisError("DELTA_PATH_DOES_NOT_EXIST", path=root)
    if not options.data_change:
        raise DeltaAnalysisError("DELTA_DATA_CHANGE_FALSE", op="Create a table")
    if options.dry_run:
        raise DeltaIllegalArgumentError(
            "DELTA_ILLEGAL_OPTION",
            input="true",
            name="dryRun",
            explain=f"the write would make or replace the table at {root}; a dry run looks at what "
            "a write does to the rows of a table that exists",
        )


def _check_allowed(options: WriteOptions, settings: Settings) -> None:
    refused = (
        (options.replace_on is not None and not settings.replace_on_allowed, "replaceOn"),
        (options.replace_using is not None and not settings.replace_using_allowed, "replaceUsing"),
    )
    for is_refused, name in refused:
        if is_refused:
            raise DeltaAnalysisError("DELTA_OPERATION_NOT_ALLOWED", operation=f"The option {name}")


def _check_alone(options: WriteOptions, *, by_filter: bool, by_partitions: bool) -> None:
    if options.replace_where is not None or by_filter:
        raise DeltaIllegalArgumentError(
            "DELTA_OVERWRITE_BY_FILTER_INCOMPATIBLE_REPLACE_ON_OR_USING"
        )
    if options.dynamic_overwrite is not None or by_partitions:
        raise DeltaIllegalArgumentError(
            "DELTA_DYNAMIC_PARTITION_OVERWRITE_INCOMPATIBLE_REPLACE_ON_OR_USING"
        )
    first = "replaceOn" if options.replace_on is not None else "replaceUsing"
    others = (
        (first == "replaceOn" and options.replace_using is not None, "replaceUsing"),
        (options.overwrite_schema, "overwriteSchema"),
        (not options.data_change, "dataChange"),
    )
    for is_given, other in others:
        if is_given:
            raise DeltaIllegalArgumentError(
                "DELTA_INCOMPATIBLE_DATAFRAME_OPTIONS",
                firstDeltaOption=first,
                secondDeltaOption=other,
            )
