"""Options of readers and writers, checked; their names are not case-sensitive."""

import json
import logging
from collections.abc import Iterable, Mapping

from puredelta._util.similar_names import similar_names
from puredelta.commands.write_options import WriteOptions
from puredelta.errors.classes import DeltaIllegalArgumentError
from puredelta.schema.column_path import parse_path

_log = logging.getLogger(__name__)

# As close as `mergeShema` to `mergeSchema`; an option of a file system is not meant for Delta.
_LEAST_LIKENESS = 0.85

_WRITER_OPTIONS = (
    "mergeSchema",
    "overwriteSchema",
    "replaceWhere",
    "partitionOverwriteMode",
    "replaceOn",
    "replaceUsing",
    "targetAlias",
    "useNullIntolerantEqualityWithDPO",
    "optimizeWrite",
    "userMetadata",
    "dataChange",
    "dryRun",
    "txnAppId",
    "txnVersion",
    "compression",
    "maxRecordsPerFile",
    "checkpointLocation",
)
READER_OPTIONS = (
    "versionAsOf",
    "timestampAsOf",
    "readChangeFeed",
    "readChangeData",
    "startingVersion",
    "startingTimestamp",
    "endingVersion",
    "endingTimestamp",
)
"""The options of a reader of a table."""

# Options of Spark's own Parquet writer by their lower-case names; it gets them as it spells them.
_PARQUET = {
    "compression": "compression",
    "maxrecordsperfile": "maxRecordsPerFile",
    "parquet.block.size": "parquet.block.size",
    "spark.sql.parquet.outputtimestamptype": "spark.sql.parquet.outputTimestampType",
}
# The version in the log's `txn` action is a long; other engines could not read a greater number.
_PAST_LONG = 1 << 63
_PARTITION_COLUMNS = "__partition_columns"
_CLUSTERING_COLUMNS = "__clustering_columns"


def lowered(options: Mapping[str, str]) -> dict[str, str]:
    """Return options with lower-case keys."""
    return {key.lower(): value for key, value in options.items()}


def warn_of_slips(options: Iterable[str], known: Iterable[str]) -> None:
    """Log the options that are nearly spelled as one that has an effect.

    Others are left alone: Parquet, Spark and file systems have options, too.

    Args:
        options: the names that were given.
        known: the names that have an effect.
    """
    names = list(known)
    has_effect = {name.lower() for name in names}
    for option in options:
        if option.lower() in has_effect:
            continue
        if like := similar_names(option, names, _LEAST_LIKENESS):
            _log.warning(
                "the option %s is not known and has no effect; did you mean %s?", option, like[0]
            )


def write_options(options: Mapping[str, str]) -> WriteOptions:
    """Read the options of a writer.

    Raises:
        DeltaIllegalArgumentError: DELTA_ILLEGAL_OPTION.
    """
    warn_of_slips(options, _WRITER_OPTIONS)
    given = lowered(options)
    mode = given.get("partitionoverwritemode")
    if mode is not None and mode.lower() not in {"static", "dynamic"}:
        raise DeltaIllegalArgumentError(
            "DELTA_ILLEGAL_OPTION",
            input=mode,
            name="partitionOverwriteMode",
            explain="must be 'static' or 'dynamic'",
        )
    return WriteOptions(
        merge_schema=_flag(given, "mergeSchema"),
        overwrite_schema=_flag(given, "overwriteSchema") or False,
        replace_where=given.get("replacewhere"),
        dynamic_overwrite=None if mode is None else mode.lower() == "dynamic",
        replace_on=given.get("replaceon"),
        target_alias=given.get("targetalias"),
        replace_using=_columns(given, "replaceUsing"),
        null_intolerant=_flag(given, "useNullIntolerantEqualityWithDPO"),
        optimize_write=_flag(given, "optimizeWrite"),
        user_metadata=given.get("usermetadata"),
        data_change=_flag(given, "dataChange") is not False,
        dry_run=_flag(given, "dryRun") or False,
        app=_app(given),
        # The log gets the names of table properties as they are written.
        properties={k: v for k, v in options.items() if k.lower().startswith("delta.")},
        parquet={name: given[key] for key, name in _PARQUET.items() if key in given},
    )


def partition_by(options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns of `partitionBy`, which Spark hands over as an option."""
    return tuple(json.loads(lowered(options).get(_PARTITION_COLUMNS, "[]")))


def cluster_by(options: Mapping[str, str]) -> tuple[tuple[str, ...], ...] | None:
    """Return the columns of `clusterBy`, as paths; None when the writer names none."""
    given = lowered(options).get(_CLUSTERING_COLUMNS)
    return None if given is None else tuple(parse_path(name) for name in json.loads(given))


def _app(given: Mapping[str, str]) -> tuple[str, int] | None:
    name, version = given.get("txnappid"), given.get("txnversion")
    # One without the other would never recognise a repeated write.
    if name is None and version is None:
        return None
    if name is None or version is None:
        missing = "txnAppId" if name is None else "txnVersion"
        raise DeltaIllegalArgumentError(
            "DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS", explain=f"{missing} is missing"
        )
    if not (version.isascii() and version.isdigit() and int(version) < _PAST_LONG):
        raise DeltaIllegalArgumentError(
            "DELTA_ILLEGAL_OPTION",
            input=version,
            name="txnVersion",
            explain="must be a whole number from 0 to 9223372036854775807",
        )
    return name, int(version)


def _columns(given: Mapping[str, str], name: str) -> str | None:
    text = given.get(name.lower())
    if text is not None and not all(part.strip() for part in text.split(",")):
        raise DeltaIllegalArgumentError(
            "DELTA_ILLEGAL_OPTION",
            input=text,
            name=name,
            explain="must be a list of columns, with commas in between",
        )
    return text


def _flag(given: Mapping[str, str], name: str) -> bool | None:
    text = given.get(name.lower())
    if text is None:
        return None
    if text.lower() not in {"true", "false"}:
        raise DeltaIllegalArgumentError(
            "DELTA_ILLEGAL_OPTION", input=text, name=name, explain="must be 'true' or 'false'"
        )
    return text.lower() == "true"
