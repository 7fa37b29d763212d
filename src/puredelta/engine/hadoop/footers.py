"""The ends of many Parquet files, read by executors side by side where a store answers late.

Executors only read bytes; what the bytes mean is found out on the driver.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from puredelta.conversion.footers import Tail
from puredelta.conversion.source_file import SourceFile
from puredelta.engine.bridge.classes import class_object, new, scala_object
from puredelta.engine.bridge.handles import sequence
from puredelta.engine.session.paths import hadoop_conf
from puredelta.engine.session.scala import copied, new_case_class
from puredelta.engine.session.spark_objects import column_of, expression_of, frame_of_rows
from puredelta.errors.classes import DeltaRuntimeError
from puredelta.storage.location import absolute
from puredelta.storage.store import ObjectNotFound

FILES_A_JOB = 4_096
"""So many footers are in the driver's memory at a time, or fewer where they are large."""

_FIRST_JOB = 64
_FILES_A_TASK = 256
_BYTES_A_JOB = 32 << 20
_TRAILER = 8
_FAILED = b"\x01"
_GONE = "java.io.FileNotFoundException"
_FILES = StructType(
    [
        StructField("place", IntegerType()),
        StructField("path", StringType()),
        StructField("size", LongType()),
    ]
)
_CALL = "org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke"
_LITERAL = "org.apache.spark.sql.catalyst.expressions.Literal"
_TYPES = "org.apache.spark.sql.types"


@dataclass(frozen=True, slots=True)
class SparkFooters:
    """Reads footers by Spark jobs, a few thousand files each.

    Attributes:
        session: runs the jobs.
        url: the folder that is converted.
    """

    session: SparkSession
    url: str

    def tails(self, files: Iterable[SourceFile]) -> Iterator[tuple[SourceFile, Tail]]:
        """Yield each file with its footer; see `Footers`."""
        rest = iter(files)
        footer = self._footer()
        # The first job is small, because no footer has shown yet how large they are.
        count, largest = _FIRST_JOB, 1
        while some := list(islice(rest, count)):
            tails = self._read(some, footer)
            sizes = (len(tail) for tail in tails if isinstance(tail, bytes))
            largest = max(largest, *sizes, 1)
            count = max(min(FILES_A_JOB, _BYTES_A_JOB // largest), 1)
            yield from zip(some, tails, strict=True)

    def _read(self, files: list[SourceFile], footer: Column) -> list[Tail]:
        rows = (
            {"place": place, "path": absolute(self.url, file.path), "size": file.size}
            for place, file in enumerate(files)
        )
        tasks = max(-(-len(files) // _FILES_A_TASK), 1)
        frame = frame_of_rows(self.session, rows, _FILES).repartition(tasks)
        # Tasks return their rows in any order.
        found = frame.select("place", footer.alias("footer")).toArrow().sort_by("place")
        tails = found["footer"].to_pylist()
        return [self._checked(file, tail) for file, tail in zip(files, tails, strict=True)]

    def _checked(self, file: SourceFile, tail: bytes) -> Tail:
        # Of a file without a footer, no more than the last bytes come back.
        if len(tail) <= _TRAILER or not tail.startswith(_FAILED):
            return tail
        path, reason = absolute(self.url, file.path), tail[1:].decode()
        if reason.startswith(_GONE):
            return ObjectNotFound("DELTA_FILE_OR_DIR_NOT_FOUND", path=path)
        raise DeltaRuntimeError(
            "DELTA_STORAGE_FAILURE", operation="read", path=path, reason=" ".join(reason.split())
        )

    def _footer(self) -> Column:
        conf = new("org.apache.spark.util.SerializableConfiguration", hadoop_conf(self.session))
        path, size = (expression_of(F.col(name)) for name in ("path", "size"))
        arguments = [path, size, scala_object(_LITERAL).fromObject(conf)]
        binary = scala_object(f"{_TYPES}.BinaryType")
        reader = class_object("puredelta.FilesCommitter")
        call = new_case_class(_CALL, reader, binary, "footer", sequence(arguments))
        # Spark would evaluate what always has the same result ahead of the job.
        return column_of(copied(call, isDeterministic=False))
