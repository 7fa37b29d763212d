package io.delta.sql;

/** The name that settings written for delta-spark give to spark.sql.extensions. */
public class DeltaSparkSessionExtension extends puredelta.Extension {}
