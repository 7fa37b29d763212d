"""What an expression of a table's log may hold, judged by the nodes that Spark's parser lists."""

import json

import pytest

from puredelta.engine.catalyst.stored_expressions import first_refused

CATALYST = "org.apache.spark.sql.catalyst."


def node(kind, *children, **fields):
    package = "analysis." if kind.startswith("Unresolved") else "expressions."
    first = {"class": f"{CATALYST}{package}{kind}", "num-children": len(children), **fields}
    return [first, *(one for child in children for one in child)]


def call(name, *arguments):
    return node("UnresolvedFunction", *arguments, nameParts=f"[{name}]")


def text(value):
    return node("Literal", value=value, dataType="string")


COLUMN = node("UnresolvedAttribute", nameParts="[id]")
BUILT_IN = {"upper", "from_json", "concat", "reflect", "rand", "from_xml"}


def refused(nodes, **more):
    def told(name):
        return None if name in BUILT_IN else f"{name} unknown"

    return first_refused(json.dumps(nodes), told, **more)


@pytest.mark.parametrize(
    "nodes",
    [
        node("GreaterThan", COLUMN, node("Literal", value="0", dataType="integer")),
        call("upper", COLUMN),
        call("UPPER", call("system, builtin, concat", COLUMN, text("reflect"))),
        call("from_json", COLUMN, text("a INT")),
    ],
)
def test_columns_operators_and_built_in_functions_are_taken(nodes):
    assert refused(nodes) is None


@pytest.mark.parametrize(
    "nodes",
    [
        call("reflect", text("java.lang.System"), text("exit")),
        node("Not", call("Reflect", COLUMN)),
        call("system, builtin, java_method", COLUMN),
        call("try_reflect", COLUMN),
        call("from_xml", COLUMN, text("a INT")),
        call("from_json", COLUMN, text(' {"type":"udt"}')),
        call("from_json", call("upper", COLUMN), call("concat", text("{"))),
        [{"class": f"{CATALYST}analysis.ExpressionWithUnresolvedIdentifier", "num-children": 0}],
    ],
)
def test_what_spark_may_run_while_it_resolves_is_refused_before(nodes):
    assert refused(nodes) is not None
    assert refused(nodes, only_calls=True) is not None


@pytest.mark.parametrize(
    "nodes",
    [
        call("mine", COLUMN),
        call("db, upper", COLUMN),
        call("rand"),
        node("ScalarSubquery"),
        node("Not", node("Exists")),
        node("InSubquery", COLUMN, node("ListQuery")),
        node("WindowExpression", call("upper", COLUMN)),
        node("aggregate.AnyValue", COLUMN),
        node("VariableReference"),
        [{"class": f"{CATALYST}analysis.NamedParameter", "num-children": 0}],
    ],
)
def test_what_is_of_the_session_or_of_other_rows_is_refused(nodes):
    assert refused(nodes) is not None
