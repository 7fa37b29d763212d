package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.*;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.connector.catalog.*;
import org.apache.spark.sql.connector.expressions.*;
import org.apache.spark.sql.connector.write.*;
import org.apache.spark.sql.types.*;
import scala.Option;
import scala.collection.immutable.ArraySeq;
import scala.collection.immutable.Seq;

/**
 * What Spark sees of a table (connector Table). Everything in it is Python's description ("catalog.load"). Reads are
 * turned into a file scan and writes into a Command by AnalysisRule, before Spark would ask for a builder.
 */
public class LoadedTable implements SupportsWrite, V2TableWithV1Fallback {
  private final JsonNode description;
  private final StructType schema;
  private final Option entry;

  public LoadedTable(JsonNode description) { this(description, null); }

  /** With the session catalog's entry, which Spark looks for in a scan of a named table. */
  LoadedTable(JsonNode description, CatalogTable entry) {
    this.entry = (Option) Option.apply(entry);
    this.description = description;
    schema = (StructType) DataType.fromJson(description.get("schema").asText());
  }

  public JsonNode description() { return description; }
  Option entry() { return entry; }

  /** Asked for by streams only: they read and write by the relation interfaces of Source, given the entry's location. */
  public CatalogTable v1Table() {
    return entry.isDefined() ? (CatalogTable) entry.get() : (CatalogTable) Bridge.call("table.entry", handle().toString(), null, null);
  }

  /** What Python needs to find this table again. */
  public JsonNode handle() { return description.get("handle"); }
  public String name() { return description.get("name").asText(); }
  public StructType schema() { return schema; }

  public Transform[] partitioning() {
    JsonNode names = description.get("partitions");
    JsonNode clustered = description.has("clusterBy") ? description.get("clusterBy") : Bridge.parse("[]");
    Transform[] transforms = new Transform[clustered.size() == 0 ? names.size() : 1];
    for (int i = 0; i < names.size(); i++) {
      transforms[i] = Expressions.identity("`" + Bridge.item(names, i).asText().replace("`", "``") + "`");
    }
    NamedReference[] columns = new NamedReference[clustered.size()];
    for (int i = 0; i < columns.length; i++) columns[i] = Expressions.column(Bridge.item(clustered, i).asText());
    if (columns.length > 0) transforms[0] = new ClusterByTransform((Seq) ArraySeq.unsafeWrapArray(columns));
    return transforms;
  }

  public Map properties() { return Bridge.toMap(description.get("properties")); }

  public Set capabilities() {
    return new HashSet(Arrays.asList(new Object[] {
        TableCapability.BATCH_READ, TableCapability.V1_BATCH_WRITE, TableCapability.TRUNCATE, TableCapability.OVERWRITE_BY_FILTER,
        TableCapability.OVERWRITE_DYNAMIC, TableCapability.ACCEPT_ANY_SCHEMA}));
  }

  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) { throw new UnsupportedOperationException("AnalysisRule replaces all writes"); }

  /** One table at one handle is one table: the analyser compares relations of self joins and cached plans. */
  public boolean equals(Object other) { return other instanceof LoadedTable && ((LoadedTable) other).handle().equals(handle()); }
  public int hashCode() { return handle().hashCode(); }
}
