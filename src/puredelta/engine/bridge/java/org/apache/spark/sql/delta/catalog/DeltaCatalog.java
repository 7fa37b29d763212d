package org.apache.spark.sql.delta.catalog;

/** The name that settings written for delta-spark give to spark.sql.catalog.spark_catalog. */
public class DeltaCatalog extends puredelta.Catalog {}
