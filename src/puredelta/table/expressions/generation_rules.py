"""What the expression of a generated column may be, judged by what it resolves to.

The value that is computed when a row is written has to equal any later result: that of another
engine which checks or rewrites the row, or of a reader that leaves files out by it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol as Interface

from puredelta.errors import DeltaAnalysisError
from puredelta.schema.datatypes import VARIANT, DataType, StructType, simple_string
from puredelta.schema.walk import types_in


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionPart:
    """A node of a resolved expression.

    Attributes:
        kind: the name of Spark's class for it.
        text: it and all below it, in SQL.
        is_deterministic: whether it returns the same value for the same row each time.
    """

    kind: str
    text: str
    is_deterministic: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What an expression resolves to.

    Attributes:
        data_type: the type of its values.
        parts: its nodes, each before those below it.
    """

    data_type: DataType
    parts: tuple[ExpressionPart, ...]


@dataclass(frozen=True, slots=True)
class UnknownExpression:
    """An expression that names a column which does not exist.

    Attributes:
        name: the column, in SQL as the expression spells it.
    """

    name: str


class Expressions(Interface):
    """Resolves expressions in SQL."""

    def read(self, text: str, schema: StructType) -> Facts | UnknownExpression:
        """Say what an expression resolves to.

        Args:
            text: the expression.
            schema: the columns that it may name.

        Raises:
            Exception: the error of the resolver for a text that is no expression.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A generated column.

    Attributes:
        name: the column.
        data_type: its type.
        text: its generation expression, in SQL.
    """

    name: str
    data_type: DataType
    text: str

    def check(self, found: Facts) -> None:
        """Refuse an expression that resolves to what no column may be generated from.

        Raises:
            DeltaAnalysisError: DELTA_UDF_IN_GENERATED_COLUMN,
                DELTA_NON_DETERMINISTIC_EXPRESSION_IN_GENERATED_COLUMN,
                DELTA_AGGREGATE_IN_GENERATED_COLUMN, DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN,
                DELTA_UNSUPPORTED_DATA_TYPE_IN_GENERATED_COLUMN,
                DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH.
        """
        self._check_comparable(found.data_type)
        for part in found.parts:
            self._check_part(part)
        # As text, types that differ in nullability alone are equal.
        if simple_string(found.data_type) != simple_string(self.data_type):
            raise self._mismatch(found.data_type)

    def _check_comparable(self, given: DataType) -> None:
        for data_type in (given, self.data_type):
            if VARIANT in types_in(data_type):
                raise DeltaAnalysisError(
                    "DELTA_UNSUPPORTED_DATA_TYPE_IN_GENERATED_COLUMN",
                    **self._parameters({"dataType": simple_string(data_type)}),
                )

    def _check_part(self, part: ExpressionPart) -> None:
        for is_wrong, condition, parameter in _WRONG_PARTS:
            if is_wrong(part):
                raise DeltaAnalysisError(condition, **self._parameters({parameter: part.text}))

    def _mismatch(self, given: DataType) -> DeltaAnalysisError:
        types = {
            "expressionType": simple_string(given),
            "columnType": simple_string(self.data_type),
        }
        return DeltaAnalysisError(
            "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH", **self._parameters(types)
        )

    def _parameters(self, more: Mapping[str, str]) -> dict[str, str]:
        return {"columnName": self.name, "generation": self.text, **more}


# ------------------------------------------------------ expressions that generated columns may have


# An allow list, as in delta-spark: a function that is not known to be stable is refused.
_ALLOWED = """
    Abs Acos Acosh Add AddMonths And ArrayContains ArrayDistinct ArrayExcept ArrayIntersect
    ArrayJoin ArrayMax ArrayMin ArrayPosition ArrayRemove ArrayRepeat ArrayUnion ArraysOverlap
    ArraysZip Ascii Asin Asinh Atan Atan2 Atanh AttributeReference BRound Base64 Bin BitLength
    BitwiseAnd BitwiseCount BitwiseNot BitwiseOr BitwiseXor CaseWhen Cast Cbrt Ceil Chr Coalesce
    Concat ConcatWs Conv Cos Cosh Cot Crc32 CreateArray CreateMap CreateNamedStruct CsvToStructs
    DateAdd DateDiff DateFormatClass DateSub DayOfMonth DayOfWeek DayOfYear Decode Divide
    ElementAt Elt Encode EqualNullSafe EqualTo EulerNumber Exp Expm1 Extract Factorial FindInSet
    Flatten Floor FormatNumber FormatString FromUTCTimestamp FromUnixTime GetArrayItem
    GetJsonObject GetStructField GreaterThan GreaterThanOrEqual Greatest Hex Hour Hypot If In
    InitCap IntegralDivide IsNaN IsNotNull IsNull JsonToStructs LastDay Least Left Length
    LessThan LessThanOrEqual Levenshtein Like Literal Log Log10 Log1p Log2 Logarithm Lower
    MakeDate MakeInterval MakeTimestamp MapConcat MapEntries MapFromArrays MapFromEntries
    MapKeys MapValues Md5 Minute Month MonthsBetween Multiply Murmur3Hash NaNvl NextDay Not Nvl
    Nvl2 OctetLength Or Overlay ParseToDate ParseToTimestamp ParseUrl Pi Pmod Pow Quarter RLike
    RegExpExtract RegExpReplace Remainder Reverse Right Rint Round SchemaOfCsv SchemaOfJson
    Second Sentences Sequence Sha1 Sha2 ShiftLeft ShiftRight ShiftRightUnsigned Signum Sin Sinh
    Size Slice SortArray SoundEx Sqrt StringInstr StringLPad StringLocate StringRPad
    StringRepeat StringReplace StringSpace StringSplit StringToMap StringTranslate StringTrim
    StringTrimLeft StringTrimRight StructsToCsv StructsToJson Substring SubstringIndex Subtract
    Tan Tanh TimestampAdd TimestampDiff ToDegrees ToRadians ToUTCTimestamp ToUnixTimestamp
    TruncDate TruncTimestamp TypeOf UnBase64 UnaryMinus UnaryPositive Unhex UnixTimestamp Upper
    WeekDay WeekOfYear XPathBoolean XPathDouble XPathFloat XPathInt XPathList XPathLong
    XPathShort XPathString XxHash64 Year
"""

ALLOWED = frozenset(_ALLOWED.split())

_AGGREGATES = frozenset({"AggregateExpression"})

_USER_FUNCTIONS = frozenset(
    {
        "HiveGenericUDF",
        "HiveSimpleUDF",
        "PythonUDAF",
        "PythonUDF",
        "ScalaAggregator",
        "ScalaUDAF",
        "ScalaUDF",
    }
)

# The first reason that applies is reported: the list of allowed functions comes last, since it
# would refuse all of the others too.
_WRONG_PARTS: tuple[tuple[Callable[[ExpressionPart], bool], str, str], ...] = (
    (lambda part: part.kind in _USER_FUNCTIONS, "DELTA_UDF_IN_GENERATED_COLUMN", "udfExpr"),
    (
        lambda part: not part.is_deterministic,
        "DELTA_NON_DETERMINISTIC_EXPRESSION_IN_GENERATED_COLUMN",
        "expr",
    ),
    (lambda part: part.kind in _AGGREGATES, "DELTA_AGGREGATE_IN_GENERATED_COLUMN", "sqlExpr"),
    (
        lambda part: part.kind not in ALLOWED,
        "DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN",
        "expression",
    ),
)
