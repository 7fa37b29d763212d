package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.*;
import org.apache.spark.sql.connector.read.streaming.*;
import org.apache.spark.sql.types.*;
import scala.Option;
import scala.collection.immutable.Map;

/**
 * A table that a streaming query reads. Python keeps the state of the source under a number ("stream.open") and plans
 * the batches; offsets pass through here as the texts that the checkpoint has.
 */
final class StreamSource implements org.apache.spark.sql.execution.streaming.Source, SupportsTriggerAvailableNow {
  private final JsonNode source;
  private final SQLContext context;

  StreamSource(SQLContext context, String checkpoint, Map options) {
    ObjectNode request = Bridge.object().put("checkpoint", checkpoint);
    request.set("options", Bridge.fromMap(options));
    source = Bridge.ask("stream.open", request.toString(), context.sparkSession(), null);
    this.context = context;
  }

  /** What analysis needs to know, before there is a source. */
  static StructType schema(SQLContext context, Option given, Map options) {
    ObjectNode request = Bridge.object();
    request.set("options", Bridge.fromMap(options));
    if (given.isDefined()) request.put("schema", ((StructType) given.get()).json());
    return (StructType) DataType.fromJson((String) Bridge.call("stream.schema", request.toString(), context.sparkSession(), null));
  }

  public StructType schema() { return (StructType) DataType.fromJson(source.get("schema").asText()); }

  public ReadLimit getDefaultReadLimit() {
    boolean files = source.hasNonNull("maxFiles");
    ReadLimit bytes = source.hasNonNull("maxBytes") ? ReadLimit.maxBytes(source.get("maxBytes").asLong()) : null;
    if (!files) return bytes;
    ReadLimit most = ReadLimit.maxFiles(source.get("maxFiles").asInt());
    return bytes == null ? most : ReadLimit.compositeLimit(new ReadLimit[] {most, bytes});
  }

  public void prepareForTriggerAvailableNow() { Bridge.call("stream.fix_end", request().toString(), null, null); }

  public org.apache.spark.sql.connector.read.streaming.Offset latestOffset(
      org.apache.spark.sql.connector.read.streaming.Offset start, ReadLimit limit) {
    ObjectNode request = request();
    if (start != null) request.put("start", start.json());
    addLimit(request.putObject("limit"), limit);
    return offset((String) Bridge.call("stream.latest", request.toString(), context.sparkSession(), null));
  }

  private static void addLimit(ObjectNode request, ReadLimit limit) {
    if (limit instanceof ReadMaxFiles) request.put("files", ((ReadMaxFiles) limit).maxFiles());
    else if (limit instanceof ReadMaxBytes) request.put("bytes", ((ReadMaxBytes) limit).maxBytes());
    else if (limit instanceof CompositeReadLimit) {
      ReadLimit[] parts = ((CompositeReadLimit) limit).getReadLimits();
      for (int i = 0; i < parts.length; i++) addLimit(request, parts[i]);
    } else if (!(limit instanceof ReadAllAvailable)) request.put("unknown", limit.toString());
  }

  public Dataset getBatch(Option start, org.apache.spark.sql.execution.streaming.Offset end) {
    ObjectNode request = request().put("end", end.json());
    if (start.isDefined()) request.put("start", ((org.apache.spark.sql.execution.streaming.Offset) start.get()).json());
    return (Dataset) Bridge.call("stream.rows", request.toString(), context.sparkSession(), null);
  }

  public void commit(org.apache.spark.sql.execution.streaming.Offset end) {
    Bridge.call("stream.commit", request().put("end", end.json()).toString(), context.sparkSession(), null);
  }

  /** Also when the driver ends, and Python with it. */
  public void stop() {
    try {
      Bridge.call("stream.close", request().toString(), null, null);
    } catch (RuntimeException e) {
      return;
    }
  }

  public Option getOffset() { throw new UnsupportedOperationException("latestOffset(start, limit) is asked instead"); }

  private ObjectNode request() { return Bridge.object().put("source", source.get("number").asInt()); }

  private static StreamOffset offset(String json) { return json == null ? null : new StreamOffset(json); }

  public String toString() { return "DeltaSource[" + source.get("root").asText() + "]"; }
}
