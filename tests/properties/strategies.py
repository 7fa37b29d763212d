"""Hypothesis strategies for the values of the log; each new feature joins here."""

from hypothesis import strategies as st

from puredelta.log.actions import (
    Action,
    AddCdcFile,
    AddFile,
    CommitInfo,
    DeletionVector,
    DomainMetadata,
    Format,
    Metadata,
    Protocol,
    RemoveFile,
    SetTransaction,
)
from puredelta.schema.datatypes import (
    PRIMITIVES,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)

# Surrogates are no text in UTF-8, and no file system takes a zero.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
names = texts.filter(bool)
longs = st.integers(-(2**63), 2**63 - 1)
sizes = st.integers(0, 2**63 - 1)
string_maps = st.dictionaries(texts, texts, max_size=3)
nullable_maps = st.dictionaries(texts, st.none() | texts, max_size=3)

json_values = st.recursive(
    st.none() | st.booleans() | longs | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


def optional(strategy: st.SearchStrategy) -> st.SearchStrategy:
    """Make a value that may be missing."""
    return st.none() | strategy


deletion_vectors = st.builds(
    DeletionVector,
    storage_type=st.sampled_from("uip"),
    path_or_inline_dv=names,
    offset=optional(st.integers(0, 2**31 - 1)),
    size_in_bytes=st.integers(0, 2**31 - 1),
    cardinality=sizes,
)
row_ids = {"base_row_id": optional(longs), "default_row_commit_version": optional(longs)}

adds = st.builds(
    AddFile,
    path=names,
    partition_values=nullable_maps,
    size=sizes,
    modification_time=longs,
    data_change=st.booleans(),
    stats=optional(texts),
    tags=optional(nullable_maps),
    deletion_vector=optional(deletion_vectors),
    clustering_provider=optional(texts),
    **row_ids,
)
removes = st.builds(
    RemoveFile,
    path=names,
    deletion_timestamp=optional(longs),
    data_change=st.booleans(),
    extended_file_metadata=optional(st.booleans()),
    partition_values=optional(nullable_maps),
    size=optional(sizes),
    stats=optional(texts),
    tags=optional(nullable_maps),
    deletion_vector=optional(deletion_vectors),
    **row_ids,
)
metadata = st.builds(
    Metadata,
    id=names,
    name=optional(texts),
    description=optional(texts),
    format=st.builds(Format, options=string_maps),
    schema_string=texts,
    partition_columns=st.lists(names, max_size=3),
    configuration=string_maps,
    created_time=optional(longs),
)
protocols = st.builds(
    Protocol,
    min_reader_version=st.integers(1, 3),
    min_writer_version=st.integers(1, 7),
    reader_features=optional(st.lists(names, max_size=3)),
    writer_features=optional(st.lists(names, max_size=3)),
)
transactions = st.builds(
    SetTransaction,
    app_id=st.sampled_from("abc"),
    version=longs,
    last_updated=optional(longs),
)
domains = st.builds(
    DomainMetadata,
    domain=st.sampled_from(["delta.x", "y"]),
    configuration=texts,
    removed=st.booleans(),
)
commit_infos = st.builds(
    CommitInfo,
    timestamp=optional(longs),
    operation=optional(texts),
    operation_parameters=optional(st.dictionaries(texts, json_values, max_size=3)),
    operation_metrics=optional(string_maps),
    read_version=optional(longs),
    is_blind_append=optional(st.booleans()),
    tags=optional(nullable_maps),
    txn_id=optional(texts),
)
cdc_files = st.builds(
    AddCdcFile,
    path=names,
    partition_values=nullable_maps,
    size=sizes,
    data_change=st.just(value=False),
    tags=optional(nullable_maps),
)

actions: st.SearchStrategy[Action] = st.one_of(
    adds, removes, metadata, protocols, transactions, domains, commit_infos, cdc_files
)

# Few paths and vectors, so that actions meet.
_few_vectors = st.builds(
    DeletionVector,
    storage_type=st.just("u"),
    path_or_inline_dv=st.just("ab"),
    offset=st.sampled_from([None, 1, 2]),
    size_in_bytes=st.just(1),
    cardinality=st.just(1),
)
_few_paths = st.sampled_from(["f", "g", "p=a%20b/h", "p=a b/h", "file:/x/i", "file:///x/i"])
_few_stats = st.sampled_from(
    [
        '{"numRecords":3}',
        '{"numRecords":0,"minValues":{"a":"x"},"nullCount":{"a":0}}',
        '{"minValues":{"a":"\u00e4 \\"b"}}',
    ]
)
_file_actions = st.builds(
    AddFile,
    path=_few_paths,
    partition_values=st.just({"p": "x"}),
    size=st.integers(0, 9),
    modification_time=st.just(1),
    data_change=st.booleans(),
    stats=optional(_few_stats),
    deletion_vector=optional(_few_vectors),
) | st.builds(
    RemoveFile,
    path=_few_paths,
    data_change=st.booleans(),
    deletion_timestamp=st.integers(1, 9),
    deletion_vector=optional(_few_vectors),
)


@st.composite
def histories(draw: st.DrawFn) -> list[list[Action]]:
    """Make the commits of one table, in which few files come and go often."""
    later = st.lists(_file_actions | transactions | domains | commit_infos | metadata, max_size=6)
    first = [draw(protocols), draw(metadata), *draw(st.lists(_file_actions, max_size=4))]
    return [first, *draw(st.lists(later, max_size=6))]


data_types: st.SearchStrategy[DataType] = st.deferred(
    lambda: st.one_of(
        st.sampled_from(list(PRIMITIVES.values())),
        st.builds(DecimalType, st.integers(1, 38), st.integers(0, 38)),
        st.builds(ArrayType, data_types, st.booleans()),
        st.builds(MapType, data_types, data_types, st.booleans()),
        schemas,
    )
)
fields = st.builds(
    StructField,
    name=names,
    data_type=data_types,
    nullable=st.booleans(),
    metadata=st.dictionaries(texts, json_values, max_size=2),
)
schemas = st.builds(StructType, st.lists(fields, max_size=3).map(tuple))
