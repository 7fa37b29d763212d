package puredelta;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.*;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.streaming.Sink;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.unsafe.Platform;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/**
 * Where writeStream.format("delta") puts its batches. Python checks the request when the query starts ("stream.sink")
 * and writes each batch ("stream.batch").
 */
final class StreamSink implements Sink {
  private final ObjectNode request;
  private final String path;

  StreamSink(SQLContext context, Map options, Seq partitionColumns, OutputMode mode) {
    request = Bridge.object().put("mode", mode.toString());
    request.set("options", Bridge.fromMap(options));
    for (scala.collection.Iterator names = partitionColumns.iterator(); names.hasNext();) {
      request.withArray("partitionBy").add((String) names.next());
    }
    path = (String) Bridge.call("stream.sink", request.toString(), context.sparkSession(), null);
  }

  /** A query that is stopped ends with an interrupt, as Spark expects. */
  public void addBatch(long batch, Dataset data) {
    SparkSession session = (SparkSession) data.sparkSession();
    ObjectNode asked = request.deepCopy().put("batch", batch);
    asked.put("query", session.sparkContext().getLocalProperty("sql.streaming.queryId"));
    Object interrupted = Bridge.call("stream.batch", asked.toString(), session, data);
    if (interrupted != null) Platform.throwException(new InterruptedException((String) interrupted));
  }

  public String toString() { return "DeltaSink[" + path + "]"; }
}
