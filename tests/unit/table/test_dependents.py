"""What depends on a column: it protects the column, or follows it to a new name."""

import msgspec
import pytest

from puredelta.errors import DeltaAnalysisError
from puredelta.log.actions import DomainMetadata, Format, Metadata
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import (
    INTEGER,
    STRING,
    ArrayType,
    MapType,
    StructField,
    StructType,
)
from puredelta.table.dependents import (
    check_droppable,
    check_unused,
    dropped,
    renamed,
)

STATS = "delta.dataSkippingStatsColumns"


def schema(number=INTEGER):
    inner = StructType((StructField("x", number), StructField("y", INTEGER)))
    return StructType(
        (
            StructField("a", number),
            StructField("s", inner),
            StructField("m", MapType(STRING, inner)),
            StructField("l", ArrayType(inner)),
            StructField("p", STRING),
            StructField(
                "g", INTEGER, metadata={"delta.generationExpression": "s.y", "comment": "c"}
            ),
        )
    )


def table(partitions=(), **configuration):
    return Metadata(
        id="id",
        format=Format(),
        schema_string=schema_to_json(schema()),
        partition_columns=list(partitions),
        configuration={key.replace("__", "."): text for key, text in configuration.items()},
    )


def names(text):
    """Read `a + s.x` as the columns that it names; a text with a `?` cannot be read."""
    if "?" in text:
        return None
    words = (word.strip("f()") for word in text.replace("+", " ").split())
    return {tuple(word.split(".")) for word in words}


def refusal(path, metadata):
    with pytest.raises(DeltaAnalysisError) as raised:
        check_unused(path, metadata, names)
    return raised.value


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a", ("a",)),
        ("A", ("a",)),
        ("a", ("A",)),
        ("s.x", ("s",)),
        ("s.x", ("s", "x")),
        ("s", ("s", "x")),
        ("t.a", ("a",)),
        ("m.value", ("m", "key")),
        ("l", ("l", "element", "x")),
        ("l.x", ("l", "element", "y")),
        ("?", ("p",)),
    ],
)
def test_column_that_a_constraint_names_is_protected(text, path):
    error = refusal(path, table(delta__constraints__c=text))

    assert error.condition == "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE"
    assert error.parameters["constraints"] == f"delta.constraints.c -> {text}"


@pytest.mark.parametrize(
    ("text", "path"), [("a", ("p",)), ("s.x", ("s", "z")), ("s.x", ("p",)), ("m", ("a",))]
)
def test_column_that_no_constraint_names_is_free(text, path):
    check_unused(path, table(delta__constraints__c=text), names)


def test_refusal_spells_the_column_as_the_schema_does_and_lists_all_constraints():
    error = refusal(("S", "X"), table(delta__constraints__d="s.x + a", delta__constraints__c="s"))

    assert error.parameters == {
        "columnName": "s.x",
        "constraints": "delta.constraints.c -> s\ndelta.constraints.d -> s.x + a",
    }


def test_column_that_another_is_generated_from_is_protected():
    error = refusal(("s", "y"), table())

    assert error.condition == "DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE"
    assert error.parameters == {"columnName": "s.y", "generatedColumns": "g -> s.y"}
    check_unused(("s", "x"), table(), names)


def test_part_of_a_generated_struct_is_protected():
    part = StructType((StructField("x", INTEGER),))
    made = StructField("g", part, metadata={"delta.generationExpression": "f(a)"})
    columns = StructType((StructField("a", INTEGER), made))
    metadata = msgspec.structs.replace(table(), schema_string=schema_to_json(columns))

    error = refusal(("G", "x"), metadata)

    assert error.parameters == {"columnName": "g.x", "generatedColumns": "g -> f(a)"}
    check_unused(("g",), metadata, names)


def test_column_that_an_invariant_names_is_protected():
    invariant = '{"expression":{"expression":"a + s.x"}}'
    field = StructField("y", INTEGER, metadata={"delta.invariants": invariant})
    inner = StructType((StructField("x", INTEGER), field))
    with_invariant = StructType((StructField("a", INTEGER), StructField("s", inner)))
    metadata = msgspec.structs.replace(table(), schema_string=schema_to_json(with_invariant))

    error = refusal(("a",), metadata)

    assert error.condition == "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE"
    assert error.parameters["constraints"] == "delta.invariants of s.y -> a + s.x"
    check_unused(("s", "y"), metadata, names)


def test_partition_column_cannot_be_dropped():
    with pytest.raises(DeltaAnalysisError) as raised:
        check_droppable([("a",), ("P",)], table(["p"]), [], names)

    assert raised.value.condition == "DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN"
    assert raised.value.parameters == {"columnList": "p"}


@pytest.mark.parametrize("path", [("s",), ("s", "x")])
def test_clustering_column_cannot_be_dropped(path):
    domain = DomainMetadata(
        domain="delta.clustering", configuration='{"clusteringColumns":[["s","x"]]}', removed=False
    )
    with pytest.raises(DeltaAnalysisError) as raised:
        check_droppable([path], table(), [domain], names)

    assert raised.value.condition == "DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN"
    assert raised.value.parameters == {"columnList": "s.x"}
    check_droppable([("a",)], table(), [domain], names)


def test_partition_columns_follow_a_new_name():
    assert renamed(table(["p", "a"]), ("P",), "q").partition_columns == ["q", "a"]
    assert renamed(table(["p"]), ("s", "p"), "q").partition_columns == ["p"]


@pytest.mark.parametrize(
    ("text", "path", "name", "expected"),
    [
        ("a,s.x", ("a",), "b", "b,s.x"),
        ("a,s.x", ("S",), "t", "a,t.x"),
        ("a,s.x", ("s", "x"), "x.z", "a,s.`x.z`"),
        ("`a b`,s", ("s",), "t", "`a b`,t"),
        ("a, s.x", ("p",), "q", "a, s.x"),
    ],
)
def test_columns_with_statistics_follow_a_new_name(text, path, name, expected):
    metadata = renamed(table(**{STATS: text}), path, name)

    assert metadata.configuration[STATS] == expected


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [("a,s.x,s.y", ("s",), "a"), ("a,s.x,s.y", ("s", "x"), "a,s.y"), ("a", ("a",), "")],
)
def test_columns_that_are_dropped_get_no_statistics(text, path, expected):
    assert dropped(table(**{STATS: text}), [path]).configuration[STATS] == expected


def test_table_without_the_property_keeps_its_configuration():
    metadata = table(other="1")

    assert dropped(metadata, [("a",)]).configuration == {"other": "1"}
    assert renamed(metadata, ("a",), "b").configuration == {"other": "1"}
