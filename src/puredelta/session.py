"""Sessions that speak Delta: a builder for new ones, `enable` for one that is there already."""

import logging
from typing import Any

from puredelta.errors.packages import without_spark

try:
    from pyspark.sql import SparkSession
except ModuleNotFoundError as missing:
    raise without_spark(missing) from None

from puredelta.api.connect.server import answer_calls
from puredelta.engine.bridge import patches
from puredelta.engine.bridge.jvm_parts import SparkContext
from puredelta.engine.bridge.session_settings import (
    CATALOG,
    EXTENSIONS,
    JARS,
    OUR_CATALOG,
    OUR_EXTENSION,
    THEIR_CATALOG,
    THEIR_EXTENSION,
)
from puredelta.engine.exceptions import public
from puredelta.engine.session.sessions import is_enabled, jvm_of
from puredelta.errors.classes import DeltaRuntimeError
from puredelta.frontend import answering
from puredelta.frontend.sql.statements.method_call import answer_calls_with

__all__ = ["configure", "configure_spark_with_delta_pip", "enable"]

logger = logging.getLogger(__name__)

answer_calls_with(answer_calls)

_DELTA_PACKAGE = "io.delta:delta-"


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Return a builder whose session speaks Delta.

    Everything else set on the builder stays, before and after this call. If a session exists
    already, `getOrCreate()` gives one that shares its context, as `enable` does.

    Examples:
        >>> builder = SparkSession.builder.master("local[2]")
        >>> spark = configure(builder).getOrCreate()  # doctest: +SKIP

    Args:
        builder: as from `SparkSession.builder`.

    Raises:
        DeltaRuntimeException: on `getOrCreate()`, with the remedy, where Java is missing or too old
            or delta-spark's JARs are in the way.
    """
    if not isinstance(builder, SparkSession.Builder):
        raise TypeError(
            "This function must be called with a SparkSession builder as the argument, such as "
            f"SparkSession.builder. The argument found is of type {type(builder)}."
        )
    if isinstance(builder, _DeltaBuilder):
        return builder
    return _DeltaBuilder(builder)


def configure_spark_with_delta_pip(
    spark_session_builder: SparkSession.Builder, extra_packages: list[str] | None = None
) -> SparkSession.Builder:
    """Do what `configure` does, under the name that delta-spark's users know.

    Args:
        spark_session_builder: as from `SparkSession.builder`.
        extra_packages: Maven coordinates for `spark.jars.packages`.
    """
    builder = configure(spark_session_builder)
    if extra_packages:
        builder = builder.config("spark.jars.packages", ",".join(extra_packages))
    return builder


def enable(spark: SparkSession) -> SparkSession:
    """Return a session that speaks Delta and shares everything with one that exists.

    A session's rules are fixed when it starts, so this is another session: a clone, with the same
    context, catalog, temporary views and settings as they are now. What is set on one of the two
    later does not show in the other. It becomes the active session and what
    `SparkSession.builder.getOrCreate()` gives.

    Args:
        spark: a classic session, not one of Spark Connect.
    """
    answering.refuse_connect(spark)
    if _speaks_delta(spark):
        answering.join()
        return spark
    jar = answering.answer({})
    jsession = spark._jsparkSession
    jvm = jvm_of(spark)
    spark.sparkContext._jsc.addJar(str(jar))
    jvm.puredelta.Extension().apply(jsession.extensions())
    clone = jsession.cloneSession()
    clone.conf().set(CATALOG, OUR_CATALOG)
    session = SparkSession(spark.sparkContext, clone)
    jvm.org.apache.spark.sql.classic.SparkSession.setDefaultSession(clone)
    jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(clone)
    patches.make_default(session)
    return session


class _DeltaBuilder(SparkSession.Builder):
    """A builder that opens the gateway and puts the adapters in place before it builds."""

    def __init__(self, builder: SparkSession.Builder) -> None:
        super().__init__()
        self._options = dict(builder._options)

    def getOrCreate(self) -> SparkSession:
        """Give the session that exists, speaking Delta, or a new one."""
        options = self._given()
        if "spark.remote" in options:
            raise public(DeltaRuntimeError("PUREDELTA_CONNECT_SESSION"))
        if SparkContext._active_spark_context is not None:
            return enable(super().getOrCreate())
        # Something else than Python may have stopped the last context.
        answering.forget_stopped()
        jar = answering.answer(options)
        self._options = options | _ours(options, str(jar))
        return super().getOrCreate()

    def _given(self) -> dict[str, Any]:
        """Return the options, without the JARs of delta-spark that a script may ask for."""
        options = dict(self._options)
        packages = str(options.get("spark.jars.packages", ""))
        if _DELTA_PACKAGE in packages:
            kept = [p for p in packages.split(",") if not p.strip().startswith(_DELTA_PACKAGE)]
            options["spark.jars.packages"] = ",".join(kept)
            logger.info("left out of spark.jars.packages, for puredelta needs no JAR: %s", packages)
        if not options.get("spark.jars.packages", "unset"):
            del options["spark.jars.packages"]
        return options


def _ours(options: dict[str, Any], jar: str) -> dict[str, Any]:
    extensions = [e for e in str(options.get(EXTENSIONS, "")).split(",") if e]
    if OUR_EXTENSION not in extensions and THEIR_EXTENSION not in extensions:
        extensions.append(OUR_EXTENSION)
    jars = [j for j in str(options.get(JARS, "")).split(",") if j and j != jar]
    return {
        EXTENSIONS: ",".join(extensions),
        CATALOG: options.get(CATALOG, OUR_CATALOG),
        JARS: ",".join([*jars, jar]),
    }


def _speaks_delta(spark: SparkSession) -> bool:
    """Say whether a session has our rules and our catalog; settings may name what is missing."""
    return is_enabled(spark._jsparkSession) and spark.conf.get(CATALOG, "") in (
        OUR_CATALOG,
        THEIR_CATALOG,
        # The extension names the catalog at the first statement.
        "",
    )
