"""The columns that an expression names, read off its text by Spark's parser, unresolved."""

from pyspark.errors import ParseException

from puredelta.engine.bridge.classes import scala_object

Path = tuple[str, ...]

_PARSER = "org.apache.spark.sql.catalyst.parser.CatalystSqlParser"

# Between the parts of a name: no name that a user can type has it.
_PART = "\x1f"


def columns_of(text: str) -> frozenset[Path] | None:
    """Return the columns that an expression names, as it spells them.

    Variables of lambda functions are none; of `m['k']` and `a[0].b` it is `m` and `a`.

    Args:
        text: The expression, in SQL.

    Returns:
        The paths; None for a text that Spark's parser does not take.
    """
    try:
        expression = scala_object(_PARSER).parseExpression(text)
    except ParseException:
        return None
    names = expression.references().toSeq()
    return frozenset(
        tuple(names.apply(place).nameParts().mkString(_PART).split(_PART))
        for place in range(names.size())
    )
