package puredelta;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.apache.spark.sql.*;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.*;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.execution.streaming.Sink;
import org.apache.spark.sql.sources.*;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * format("delta"), found by Spark through the service file in our jar. Python answers load() with "source.load" and save() with
 * "source.save"; paths come in as the user wrote them.
 */
public final class Source
    implements TableProvider, CreatableRelationProvider, RelationProvider, StreamSourceProvider, StreamSinkProvider,
    DataSourceRegister {
  public String shortName() { return "delta"; }

  /** Spark asks for a schema only to decide between its two interfaces; the relation brings the real one. */
  public StructType inferSchema(CaseInsensitiveStringMap options) { return new StructType(); }

  public Table getTable(StructType schema, Transform[] partitions, Map options) {
    refuseSparksCatalog();
    return new UnreadTable();
  }

  /** Asked for a table that is made with columns: Spark's own refusal would not say what is missing. */
  public boolean supportsExternalMetadata() {
    refuseSparksCatalog();
    return false;
  }

  private static void refuseSparksCatalog() {
    if (isNamedInSparksCatalog()) Bridge.call("source.named", "", null, null);
  }

  /** Whether a session asks whose catalog is Spark's own: it takes this table for all there is to know. */
  private static boolean isNamedInSparksCatalog() {
    boolean found = false;
    StackTraceElement[] stack = new Throwable().getStackTrace();
    for (int i = 0; i < stack.length; i++) {
      String name = stack[i].getClassName();
      if (name.equals("puredelta.Catalog")) return false;
      found = found || name.equals("org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog");
    }
    return found;
  }

  public BaseRelation createRelation(SQLContext context, scala.collection.immutable.Map options) {
    SparkSession session = (SparkSession) context.sparkSession();
    return TableFiles.relation(new LoadedTable(Bridge.ask("source.load", Bridge.fromMap(options).toString(), session, null)), session);
  }

  public BaseRelation createRelation(SQLContext context, SaveMode mode, scala.collection.immutable.Map options,
      Dataset frame) {
    ObjectNode request = Bridge.object().put("mode", mode.name());
    request.set("options", Bridge.fromMap(options));
    Bridge.call("source.save", request.toString(), context.sparkSession(), frame);
    return createRelation(context, options);
  }

  public scala.Tuple2 sourceSchema(SQLContext context, scala.Option schema, String provider, scala.collection.immutable.Map options) {
    return new scala.Tuple2("delta", StreamSource.schema(context, schema, options));
  }

  public org.apache.spark.sql.execution.streaming.Source createSource(SQLContext context, String checkpoint, scala.Option schema,
      String provider, scala.collection.immutable.Map options) {
    return new StreamSource(context, checkpoint, options);
  }

  public Sink createSink(SQLContext context, scala.collection.immutable.Map options,
      scala.collection.immutable.Seq partitionColumns, OutputMode mode) {
    return new StreamSink(context, options, partitionColumns, mode);
  }

  /** A table that says it can do nothing, so that Spark goes on to the relation interfaces above. */
  private static final class UnreadTable implements Table {
    public String name() { return "delta"; }
    public StructType schema() { return new StructType(); }
    public java.util.Set capabilities() { return java.util.Collections.EMPTY_SET; }
  }
}
