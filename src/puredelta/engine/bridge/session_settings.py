"""The settings by which a session loads the adapters, with our names and those of delta-spark."""

EXTENSIONS = "spark.sql.extensions"
CATALOG = "spark.sql.catalog.spark_catalog"
JARS = "spark.jars"
# Hive closes the loader of the classes in `spark.jars` when a JDBC client leaves; it leaves the one
# of this path alone. Executors get the adapters by `spark.jars`.
DRIVER_CLASSES = "spark.driver.extraClassPath"

OUR_EXTENSION = "puredelta.Extension"
OUR_CATALOG = "puredelta.Catalog"
# Adapters of ours, too, for settings that were written for delta-spark.
THEIR_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
THEIR_CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
