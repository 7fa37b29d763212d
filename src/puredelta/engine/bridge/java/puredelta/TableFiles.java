package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.hadoop.fs.*;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.*;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.*;
import scala.Option;
import scala.collection.immutable.*;

/**
 * Spark's FileIndex over a table. Python ("scan.partitions", "scan.files") lists what can hold rows; Spark's own
 * evaluation of the partition filters says which partitions do, and only their files cross over.
 */
public final class TableFiles implements FileIndex {
  private final JsonNode handle;
  private final StructType partitions;
  private final String zone;
  private final long bytes;

  private TableFiles(JsonNode handle, StructType partitions, String zone, long bytes) {
    this.handle = handle;
    this.partitions = partitions;
    this.zone = zone;
    this.bytes = bytes;
  }

  /** The Parquet relation of a table; partition columns keep their place in the schema. */
  public static HadoopFsRelation relation(LoadedTable table, SparkSession session) {
    StructType partitions = named(table.description().get("partitions"), table.schema());
    String zone = session.sessionState().conf().sessionLocalTimeZone();
    long bytes = table.description().get("bytes").asLong();
    return new HadoopFsRelation(new TableFiles(table.handle(), partitions, zone, bytes), partitions, table.schema(),
        (Option) Option.empty(), new TableFormat(table.handle()),
        Bridge.scalaMap(table.description().get("options")), session);
  }

  private static StructType named(JsonNode names, StructType schema) {
    StructType found = new StructType();
    for (int i = 0; i < names.size(); i++) found = found.add(schema.apply(Bridge.item(names, i).asText()));
    return found;
  }

  /** The relation at this version, with the mark of deleted rows as last column where some are. */
  HadoopFsRelation in(HadoopFsRelation old) {
    StructType data = hasVectors() ? old.dataSchema().add(TableFormat.DELETED, DataTypes.LongType, false) : old.dataSchema();
    return new HadoopFsRelation(this, partitions, data, old.bucketSpec(), new TableFormat(handle),
        old.options(), old.sparkSession());
  }

  boolean readsChanges() { return handle.has("changeFeed"); }
  boolean derives() { return Bridge.isTrue(handle, "derives"); }
  boolean tracksRows() { return handle.has("rowIds"); }
  boolean hasVectors() { return Bridge.isTrue(handle, "vectors"); }
  public String handle() { return handle.toString(); }
  public String root() { return handle.get("root").asText(); }
  boolean isPinned() { return Bridge.isTrue(handle, "pinned"); }

  /** This table at its newest version, for a query made for a schema. */
  TableFiles pin(StructType schema) {
    JsonNode answer = Bridge.ask("scan.pin", handle.toString(), schema.json(), null);
    return new TableFiles(answer.get("handle"), named(answer.get("partitions"), schema), zone, answer.get("bytes").asLong());
  }

  public Seq listFiles(Seq partitionFilters, Seq dataFilters) {
    ObjectNode request = Bridge.object();
    java.util.ArrayList kept = kept(partitionFilters, request, SQLConf.get());
    String[] lines = kept.isEmpty() ? new String[0]
        : ((String) ask("scan.files", request, dataFilters)).split("\n");
    for (int i = 0, line = kept.size(); i < kept.size(); i++) {
      int count = Integer.parseInt(lines[i]);
      kept.set(i, new PartitionDirectory((InternalRow) kept.get(i), statuses(lines, line, count)));
      line += count;
    }
    return (Seq) ArraySeq.unsafeWrapArray(kept.toArray(new PartitionDirectory[kept.size()]));
  }

  /** What "scan.files" is asked when these filters of a plan with these settings select partitions. */
  public String question(Seq partitionFilters, SQLConf conf) {
    ObjectNode request = Bridge.object();
    kept(partitionFilters, request, conf);
    return request.toString();
  }

  /** The partitions that filters select; `request` gets their places in Python's list. */
  private java.util.ArrayList kept(Seq partitionFilters, ObjectNode request, SQLConf conf) {
    request.put("skips", conf.getConfString("spark.databricks.delta.stats.skipping", "true")).set("handle", handle);
    JsonNode found = partitions.isEmpty() ? Bridge.parse("{\"places\": [0], \"values\": [[]]}")
        : Bridge.parse((String) ask("scan.partitions", request, partitionFilters));
    JsonNode groups = found.get("values");
    request.putArray("keep");
    PartitionRows rows = new PartitionRows(partitions, zone, partitionFilters);
    java.util.ArrayList kept = new java.util.ArrayList();
    for (int i = 0; i < groups.size(); i++) {
      InternalRow row = rows.row(Bridge.item(groups, i));
      if (!rows.accepts(row)) continue;
      request.withArray("keep").add(Bridge.item(found.get("places"), i));
      kept.add(row);
    }
    return kept;
  }

  private static Object ask(String topic, ObjectNode request, Seq filters) {
    Expression condition = PartitionRows.all(filters);
    request.remove("filters");
    try {
      if (condition != null) request.put("filters", condition.toJSON());
    } catch (RuntimeException unwritable) {
      // Expressions of other extensions need not have a JSON; Python asks again then, and says why.
    }
    return Bridge.call(topic, request.toString(), condition, null);
  }

  /** Another choice of the same table's files. */
  public TableFiles chosen(String handle) { return new TableFiles(Bridge.parse(handle), partitions, zone, bytes); }

  private static Seq statuses(String[] lines, int from, int count) {
    FileStatusWithMetadata[] found = new FileStatusWithMetadata[count];
    for (int i = 0; i < count; i++) {
      String[] parts = lines[from + i].split("\t", 6);
      Path path = new Path(parts[5]);
      FileStatus file = new FileStatus(Long.parseLong(parts[0]), false, 1, 134217728L, Long.parseLong(parts[1]), path);
      Map metadata = (Map) Map$.MODULE$.empty();
      if (!parts[2].isEmpty()) metadata = (Map) metadata.updated(TableFormat.DELETED, parts[2]);
      if (!parts[3].isEmpty()) metadata = (Map) metadata.updated("base_row_id", Long.valueOf(parts[3]));
      if (!parts[4].isEmpty()) metadata = (Map) metadata.updated("default_row_commit_version", Long.valueOf(parts[4]));
      found[i] = new FileStatusWithMetadata(file, metadata);
    }
    return (Seq) ArraySeq.unsafeWrapArray(found);
  }

  /** None for an old version: a write to the table leaves what is cached of it alone. */
  public Seq rootPaths() {
    boolean isOld = !isPinned() && handle.hasNonNull("version");
    return (Seq) ArraySeq.unsafeWrapArray(isOld ? new Path[0] : new Path[] {new Path(root())});
  }

  public String[] inputFiles() {
    String listing = (String) Bridge.call("scan.input_files", handle.toString(), null, null);
    return listing.isEmpty() ? new String[0] : listing.split("\n");
  }

  public void refresh() {}
  public long sizeInBytes() { return bytes; }
  public StructType partitionSchema() { return partitions; }
  public Option metadataOpsTimeNs() { return (Option) Option.empty(); }

  public boolean equals(Object other) { return other instanceof TableFiles && ((TableFiles) other).handle.equals(handle); }
  public int hashCode() { return handle.hashCode(); }

  public String toString() {
    return "DeltaFiles(version=" + (isPinned() ? Bridge.textOrNull(handle, "version") : "latest") + ")";
  }
}
