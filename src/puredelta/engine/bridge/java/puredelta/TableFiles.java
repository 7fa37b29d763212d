package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.hadoop.fs.*;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.*;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.types.*;
import scala.Option;
import scala.collection.immutable.ArraySeq;
import scala.collection.immutable.Map;
import scala.collection.immutable.Map$;
import scala.collection.immutable.Seq;

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
    StructType partitions = new StructType();
    JsonNode names = table.description().get("partitions");
    for (int i = 0; i < names.size(); i++) partitions = partitions.add(table.schema().apply(Bridge.item(names, i).asText()));
    String zone = session.sessionState().conf().sessionLocalTimeZone();
    long bytes = table.description().get("bytes").asLong();
    return new HadoopFsRelation(new TableFiles(table.handle(), partitions, zone, bytes), partitions, table.schema(),
        (Option) Option.empty(), new ParquetFileFormat(), Bridge.scalaMap(table.description().get("options")), session);
  }

  /** The relation at this version, with the mark of deleted rows as last column where some are. */
  HadoopFsRelation in(HadoopFsRelation old) {
    StructType data = hasVectors() ? old.dataSchema().add(TableFormat.DELETED, DataTypes.LongType, false) : old.dataSchema();
    FileFormat format = hasVectors() || handle.get("mapped").asBoolean() ? new TableFormat(handle) : old.fileFormat();
    return new HadoopFsRelation(
        this, old.partitionSchema(), data, old.bucketSpec(), format, old.options(), old.sparkSession());
  }

  boolean hasVectors() { return handle.get("vectors").asBoolean(); }
  String root() { return handle.get("root").asText(); }
  boolean isPinned() { return handle.get("pinned").asBoolean(); }

  /** This table at its newest version, for a query made for a schema. */
  TableFiles pin(StructType schema) {
    JsonNode answer = Bridge.ask("scan.pin", handle.toString(), schema.json(), null);
    return new TableFiles(answer.get("handle"), partitions, zone, answer.get("bytes").asLong());
  }

  public Seq listFiles(Seq partitionFilters, Seq dataFilters) {
    JsonNode groups = Bridge.ask("scan.partitions", handle.toString(), null, null);
    PartitionRows rows = new PartitionRows(partitions, zone, partitionFilters);
    ObjectNode told = Bridge.object();
    told.set("handle", handle);
    java.util.ArrayList kept = new java.util.ArrayList();
    for (int i = 0; i < groups.size(); i++) {
      InternalRow row = rows.row(Bridge.item(groups, i).get("values"));
      if (!rows.accepts(row)) continue;
      told.withArray("keep").add(i);
      kept.add(row);
    }
    String[] lines = kept.isEmpty() ? new String[0]
        : ((String) Bridge.call("scan.files", told.toString(), dataFilters, null)).split("\n");
    int line = 0;
    for (int i = 0; i < kept.size(); i++) {
      int count = Bridge.item(groups, Bridge.item(told.get("keep"), i).asInt()).get("files").asInt();
      kept.set(i, new PartitionDirectory((InternalRow) kept.get(i), statuses(lines, line, count)));
      line += count;
    }
    return (Seq) ArraySeq.unsafeWrapArray(kept.toArray(new PartitionDirectory[kept.size()]));
  }

  private static Seq statuses(String[] lines, int from, int count) {
    FileStatusWithMetadata[] found = new FileStatusWithMetadata[count];
    for (int i = 0; i < count; i++) {
      String[] parts = lines[from + i].split("\t", 4);
      Path path = new Path(parts[3]);
      FileStatus file = new FileStatus(Long.parseLong(parts[0]), false, 1, 134217728L, Long.parseLong(parts[1]), path);
      Map metadata = (Map) Map$.MODULE$.empty();
      if (!parts[2].isEmpty()) metadata = (Map) metadata.updated(TableFormat.DELETED, parts[2]);
      found[i] = new FileStatusWithMetadata(file, metadata);
    }
    return (Seq) ArraySeq.unsafeWrapArray(found);
  }

  public Seq rootPaths() { return (Seq) ArraySeq.unsafeWrapArray(new Path[] {new Path(root())}); }

  public String[] inputFiles() {
    String listing = (String) Bridge.call("scan.input_files", handle.toString(), null, null);
    return listing.isEmpty() ? new String[0] : listing.split("\n");
  }

  public void refresh() {}
  public long sizeInBytes() { return bytes; }
  public StructType partitionSchema() { return partitions; }
  public Option metadataOpsTimeNs() { return (Option) Option.empty(); }

  public boolean equals(Object other) {
    return other instanceof TableFiles && ((TableFiles) other).handle.equals(handle);
  }

  public int hashCode() { return handle.hashCode(); }

  public String toString() {
    JsonNode version = handle.get("version");
    return "DeltaFiles(version=" + (isPinned() && version != null ? version.asText() : "latest") + ")";
  }
}
