"""The nodes of an expression that generated columns are computed with."""

ALLOWED = frozenset("""
    Abs Acos Acosh Add AddMonths And ArrayContains ArrayDistinct ArrayExcept ArrayIntersect
    ArrayJoin ArrayMax ArrayMin ArrayPosition ArrayRemove ArrayRepeat ArrayUnion ArraysOverlap
    ArraysZip Ascii Asin Asinh Atan Atan2 Atanh AttributeReference BRound Base64 Bin BitLength
    BitwiseAnd BitwiseCount BitwiseXor CaseWhen Cast Cbrt Ceil Chr Coalesce Concat ConcatWs Conv
    Cos Cosh Cot Crc32 CreateArray CreateMap CreateNamedStruct CsvToStructs DateAdd DateDiff
    DateFormatClass DateSub DayOfMonth DayOfWeek DayOfYear Decode Divide ElementAt Elt Encode
    EqualNullSafe EqualTo EulerNumber Exp Expm1 Extract Factorial FindInSet Flatten Floor
    FormatNumber FormatString FromUTCTimestamp FromUnixTime GetJsonObject GreaterThan
    GreaterThanOrEqual Greatest Hex Hour Hypot If In InitCap IntegralDivide IsNaN IsNotNull
    IsNull JsonToStructs LastDay Least Left Length LessThan LessThanOrEqual Levenshtein Like
    Literal Log Log10 Log1p Log2 Logarithm Lower MakeDate MakeInterval MakeTimestamp MapConcat
    MapEntries MapFromArrays MapFromEntries MapKeys MapValues Md5 Minute Month MonthsBetween
    Multiply Murmur3Hash NaNvl NextDay Not Now Nvl Nvl2 OctetLength Or Overlay ParseToDate
    ParseUrl Pi Pmod Remainder ShiftLeft ShiftRight ShiftRightUnsigned Size StringInstr
    StringLPad StringLocate StringTrimLeft Subtract ToDegrees TruncTimestamp UnaryMinus
    WeekOfYear Year
    """.split())

AGGREGATES = frozenset({"AggregateExpression"})

USER_FUNCTIONS = frozenset({"PythonUDF", "ScalaUDF", "HiveSimpleUDF", "HiveGenericUDF"})
