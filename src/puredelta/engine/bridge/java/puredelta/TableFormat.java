package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.*;
import scala.Function1;
import scala.Product;
import scala.collection.immutable.*;

/**
 * Spark's Parquet format. Files may know columns by other names or lack those of type void ("scan.format" says which).
 * Where deletion vectors take rows away, the column DELETED of each row says whether one does, and PinRule filters on it.
 */
public final class TableFormat extends ParquetFileFormat {
  static final String DELETED = "__puredelta_deleted";
  private static final String ROW_INDEX = "_tmp_metadata_row_index";
  private final String handle;
  private final java.util.Map fileConf;

  /** To read the table at a handle. */
  TableFormat(JsonNode handle) { this(handle.toString(), null); }

  /** To write files with settings for which Spark asks only the session. */
  TableFormat(java.util.Map fileConf) { this(null, fileConf); }

  private TableFormat(String handle, java.util.Map fileConf) {
    this.handle = handle;
    this.fileConf = fileConf;
  }

  /** Where rows have ids, `_metadata` has them. */
  public Seq metadataSchemaFields() {
    JsonNode ids = handle == null ? null : Bridge.parse(handle).get("rowIds");
    Seq fields = super.metadataSchemaFields();
    return ids == null ? fields : (Seq) fields.appendedAll((Seq) DataType.fromJson(ids.asText()));
  }

  /** Void, too, which Spark 4.0 refuses: no file has it, and "scan.format" reads it as another type. */
  public boolean supportDataType(DataType type) { return type instanceof NullType || super.supportDataType(type); }

  public OutputWriterFactory prepareWrite(SparkSession session, Job job, Map options, StructType schema) {
    OutputWriterFactory factory = super.prepareWrite(session, job, options, schema);
    Object[] keys = fileConf.keySet().toArray();
    for (int i = 0; i < keys.length; i++) job.getConfiguration().set((String) keys[i], (String) fileConf.get(keys[i]));
    return factory;
  }

  public Function1 buildReaderWithPartitionValues(SparkSession session, StructType data, StructType partitions,
      StructType required, Seq filters, Map options, Configuration conf) {
    JsonNode mapped = Bridge.parse(handle).get("mapped");
    if (mapped != null && !mapped.asBoolean() && indexOf(required.fields(), DELETED) < 0) {
      return new LastParts(super.buildReaderWithPartitionValues(
          session, data, partitions, required, filters, options, conf));
    }
    JsonNode answer = Bridge.ask("scan.format", handle, required.json(), null);
    StructField[] fields = ((StructType) DataType.fromJson(answer.get("schema").asText())).fields();
    conf.setBoolean("spark.sql.parquet.fieldId.read.enabled", answer.get("byId").asBoolean());
    int mark = indexOf(fields, DELETED);
    int index = indexOf(fields, ROW_INDEX);
    // Spark fills in one row index: the query's own, or else the one that is to become the mark.
    String name = mark >= 0 && index < 0 ? ROW_INDEX : DELETED;
    if (mark >= 0) fields[mark] = new StructField(name, DataTypes.LongType, true, Metadata.empty());
    Function1 reader = new LastParts(super.buildReaderWithPartitionValues(session, data, partitions,
        new StructType(fields), renamed(filters, answer.get("names")), options, conf));
    String root = Bridge.textOrNull(Bridge.parse(handle), "root");
    return mark < 0 ? reader : new DeletionMarks(reader, mark, index < 0 ? mark : index, session, conf, root);
  }

  private static int indexOf(StructField[] fields, String name) {
    for (int i = 0; i < fields.length; i++) if (fields[i].name().equals(name)) return i;
    return -1;
  }

  private static Seq renamed(Seq filters, JsonNode names) {
    java.util.ArrayList kept = new java.util.ArrayList();
    for (int i = 0; i < filters.size(); i++) {
      Object filter = renamed(filters.apply(i), names);
      if (filter != null) kept.add(filter);
    }
    return (Seq) ArraySeq.unsafeWrapArray(kept.toArray());
  }

  /** The filter over the names of the files; null when it names what they do not have. */
  private static Object renamed(Object filter, JsonNode names) {
    Object[] parts = new Object[((Product) filter).productArity()];
    for (int i = 0; i < parts.length; i++) {
      Object part = ((Product) filter).productElement(i);
      parts[i] = part instanceof Filter ? renamed(part, names)
          : i == 0 ? Bridge.textOrNull(names, (String) part) : part;
      if (parts[i] == null && part != null) return null;
    }
    try {
      return parts.length == 0 ? filter : filter.getClass().getConstructors()[0].newInstance(parts);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
