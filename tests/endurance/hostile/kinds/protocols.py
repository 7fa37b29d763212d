"""Protocols and properties that no writer sets."""

from tests.endurance.hostile.edits import commit, features, fields, rewrite, setting
from tests.endurance.hostile.kind import Kinds

KINDS = Kinds("protocols")

KINDS.refused("protocol_of_the_future", fields("protocol", minReaderVersion=4, minWriterVersion=8))
KINDS.refused("protocol_of_the_largest_number", fields("protocol", minReaderVersion=2**31 - 1))
KINDS.refused("protocol_past_32_bits", fields("protocol", minReaderVersion=2**31))
KINDS.refused("protocol_of_a_negative_number", fields("protocol", minReaderVersion=-1))
KINDS.either("protocol_of_zero", fields("protocol", minReaderVersion=0, minWriterVersion=0))
KINDS.refused("protocol_in_text", fields("protocol", minReaderVersion="1"))
KINDS.refused("protocol_without_reader", fields("protocol", minReaderVersion=...))
KINDS.refused("protocol_of_an_unknown_feature", features("futureFeature"))
KINDS.refused("protocol_of_a_strange_feature", features("\0\x1b[2J", ""))
KINDS.refused("protocol_of_many_features", features(*(f"f{n}" for n in range(10_000))))
KINDS.refused("protocol_of_features_in_text", fields("protocol", readerFeatures="deletionVectors"))
KINDS.refused(
    "protocol_of_features_of_numbers",
    fields(
        "protocol", minReaderVersion=3, minWriterVersion=7, readerFeatures=[1], writerFeatures=[1]
    ),
)
KINDS.either("protocol_of_no_features", fields("protocol", minReaderVersion=3, minWriterVersion=7))
KINDS.either(
    "protocol_of_features_for_readers_only",
    fields("protocol", minReaderVersion=3, minWriterVersion=7, readerFeatures=["columnMapping"]),
)
KINDS.either(
    "protocol_of_old_readers_with_features",
    fields(
        "protocol",
        minReaderVersion=1,
        minWriterVersion=7,
        readerFeatures=["deletionVectors"],
        writerFeatures=[],
    ),
)
KINDS.either("protocol_of_a_feature_twice", features("columnMapping", "columnMapping"))
KINDS.refused("protocol_that_is_gone", rewrite("protocol", lambda _: {}))
KINDS.refused("protocol_of_an_array", commit('{"protocol":[1,2]}'))
KINDS.unknown(
    "protocol_that_falls", commit({"protocol": {"minReaderVersion": 1, "minWriterVersion": 1}})
)
KINDS.unknown(
    "metadata_that_is_replaced",
    commit(
        {
            "metaData": {
                "id": "x",
                "format": {"provider": "parquet", "options": {}},
                "partitionColumns": [],
                "configuration": {},
                "schemaString": '{"type":"struct","fields":[]}',
            }
        }
    ),
)
for _number, (_name, _value) in enumerate(
    [
        ("delta.checkpointInterval", "0"),
        ("delta.checkpointInterval", "9" * 5000),
        ("delta.checkpointInterval", "-1"),
        ("delta.checkpointInterval", "x"),
        ("delta.deletedFileRetentionDuration", "interval 99999999999999999999 years"),
        ("delta.deletedFileRetentionDuration", "interval -1 weeks"),
        ("delta.deletedFileRetentionDuration", "\0"),
        ("delta.deletedFileRetentionDuration", "interval " + "1 week " * 10_000),
        ("delta.logRetentionDuration", "interval 1e999 days"),
        ("delta.dataSkippingNumIndexedCols", "9" * 5000),
        ("delta.dataSkippingNumIndexedCols", "-2"),
        ("delta.dataSkippingStatsColumns", "`" * 10_000),
        ("delta.dataSkippingStatsColumns", "a.b.c,,`x`.`y"),
        ("delta.enableInCommitTimestamps", "true"),
        ("delta.inCommitTimestampEnablementVersion", "9" * 5000),
        ("delta.inCommitTimestampEnablementVersion", "-7"),
        ("delta.enableChangeDataFeed", "\N{LATIN SMALL LETTER DOTLESS I}"),
        ("delta.appendOnly", "maybe"),
        ("delta.enableDeletionVectors", "TRUE\n"),
        ("delta.columnMapping.maxColumnId", "x"),
        ("delta.randomizeFilePrefixes", "true"),
        ("delta.minReaderVersion", "99"),
        ("delta.feature.future", "supported"),
        ("delta.constraints.", "id > 0"),
        ("delta.unknown\0", "x"),
        ("delta.universalFormat.enabledFormats", "iceberg,hudi,\0"),
        ("delta.rowTracking.materializedRowIdColumnName", "id"),
        ("delta.rowTracking.materializedRowIdColumnName", "\0"),
        ("delta.targetFileSize", "99999999999999999999999gb"),
        ("delta.tuneFileSizesForRewrites", "x"),
        ("delta.isolationLevel", "None"),
        ("delta.parquet.compression.codec", "../../evil"),
        ("delta.setTransactionRetentionDuration", "interval 2147483648 months"),
        ("delta.checkpointPolicy", "v9"),
        ("delta.coordinatedCommits.commitCoordinator-preview", "evil"),
    ]
):
    KINDS.either(
        f"property_{_number}_{_name.rpartition('.')[2].strip(chr(0)) or 'none'}",
        setting(_name, _value),
    )
