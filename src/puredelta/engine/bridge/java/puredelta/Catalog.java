package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.*;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.analysis.*;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.connector.catalog.*;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.internal.SQLConf;

/**
 * spark.sql.catalog.spark_catalog: a delegating catalog that is a staging catalog too. Tables of another provider are
 * the delegate's; what a Delta table is and how it is made is Python's ("catalog.*").
 */
public class Catalog extends DelegatingCatalogExtension implements StagingTableCatalog {
  private static boolean isDelta(Map properties) {
    Object provider = properties.get(TableCatalog.PROP_PROVIDER);
    if (provider == null) provider = SQLConf.get().defaultDataSourceName();
    return "delta".equalsIgnoreCase(provider.toString());
  }

  private static boolean isPath(Identifier i) {
    return i.namespace().length == 1 && i.namespace()[0].equalsIgnoreCase("delta") && new Path(i.name()).isAbsolute();
  }

  public boolean tableExists(Identifier i) {
    return isPath(i) ? load(i, Bridge.object()) != null : super.tableExists(i);
  }

  public Table loadTable(Identifier i) throws NoSuchTableException { return loadAt(i, Bridge.object()); }

  public Table loadTable(Identifier i, String version) throws NoSuchTableException {
    return loadAt(i, Bridge.object().put("version", version));
  }

  public Table loadTable(Identifier i, long micros) throws NoSuchTableException {
    return loadAt(i, Bridge.object().put("micros", micros));
  }

  /** For writers, who make a table that is not there. */
  public Table loadTable(Identifier i, java.util.Set privileges) throws NoSuchTableException {
    if (!isPath(i)) return loadTable(i);
    Table found = load(i, Bridge.object().put("must", !PreparedTable.isSaveAsTable()));
    if (found == null) throw new NoSuchTableException(i);
    return found;
  }

  private Table loadAt(Identifier i, ObjectNode at) throws NoSuchTableException {
    if (isPath(i)) return load(i, at.put("must", true));
    Table entry = super.loadTable(i);
    if (isDelta(entry.properties())) {
      ObjectNode request = describe(i, entry.properties());
      request.setAll(at);
      CatalogTable known = entry instanceof V1Table ? ((V1Table) entry).v1Table() : null;
      return new LoadedTable(Bridge.ask("catalog.load", request.toString(), null, null), known);
    }
    if (at.has("version")) return super.loadTable(i, at.get("version").asText());
    return at.has("micros") ? super.loadTable(i, at.get("micros").asLong()) : entry;
  }

  /** The table at a path, or null where there is none. */
  private Table load(Identifier i, ObjectNode at) {
    ObjectNode request = describe(i, new HashMap());
    request.setAll(at);
    JsonNode description = Bridge.ask("catalog.load", request.toString(), null, null);
    return description == null ? null : new LoadedTable(description);
  }

  /** Each table of ours is described before Python is asked for it. */
  private ObjectNode describe(Identifier i, Map properties) {
    if (!Extension.isApplied()) Bridge.call("catalog.alone", "", null, null);
    ObjectNode request = Bridge.object();
    if (isPath(i)) request.put("path", i.name());
    else request.put("catalog", name()).put("namespace", String.join(".", i.namespace())).put("table", i.name());
    request.set("properties", Bridge.fromMap(properties));
    return request;
  }

  public Table createTable(Identifier i, Column[] columns, Transform[] partitions, Map properties)
      throws TableAlreadyExistsException, NoSuchNamespaceException {
    if (!isDelta(properties)) return super.createTable(i, columns, partitions, properties);
    StagedTable staged = stage("create", i, columns, partitions, properties);
    staged.commitStagedChanges();
    return staged;
  }

  public StagedTable stageCreate(Identifier i, Column[] columns, Transform[] partitions, Map properties)
      throws NoSuchNamespaceException {
    return stage("create", i, columns, partitions, properties);
  }

  public StagedTable stageReplace(Identifier i, Column[] columns, Transform[] partitions, Map properties)
      throws NoSuchNamespaceException {
    return stage("replace", i, columns, partitions, properties);
  }

  public StagedTable stageCreateOrReplace(Identifier i, Column[] columns, Transform[] partitions, Map properties)
      throws NoSuchNamespaceException {
    return stage("createOrReplace", i, columns, partitions, properties);
  }

  private StagedTable stage(String mode, Identifier i, Column[] columns, Transform[] partitions, Map properties)
      throws NoSuchNamespaceException {
    if (!isDelta(properties)) return another(mode, i, columns, partitions, properties);
    if (!isPath(i) && !namespaceExists(i.namespace())) throw new NoSuchNamespaceException(i.namespace());
    ObjectNode request = describe(i, properties).put("mode", mode);
    request.put("savesTable", PreparedTable.isSaveAsTable());
    try {
      if (!isPath(i) && super.tableExists(i)) {
        request.set("existing", Bridge.fromMap(super.loadTable(i).properties()));
      }
    } catch (NoSuchTableException e) {
      request.remove("existing");
    }
    return new PreparedTable(Bridge.ask("catalog.stage", request.toString(), columns, partitions));
  }

  /** A table of another V2 provider is made at once; for null, Spark loads it, and drops it when the statement fails. */
  private StagedTable another(String mode, Identifier i, Column[] columns, Transform[] partitions, Map properties)
      throws NoSuchNamespaceException {
    try {
      if (!mode.equals("create") && tableExists(i)) dropTable(i);
      createTable(i, columns, partitions, properties);
      return null;
    } catch (TableAlreadyExistsException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Spark's own statement refuses views; its catalog just drops. */
  public boolean dropTable(Identifier i) {
    try {
      if ("VIEW".equals(super.loadTable(i).properties().get("table_type"))) {
        Bridge.call("catalog.refuse_view", i.toString(), null, null);
      }
    } catch (NoSuchTableException e) {
      return false;
    }
    return super.dropTable(i);
  }

  public Table alterTable(Identifier i, TableChange[] changes) throws NoSuchTableException {
    Table table = loadTable(i);
    if (!(table instanceof LoadedTable)) return super.alterTable(i, changes);
    Bridge.call("catalog.alter", ((LoadedTable) table).handle().toString(), changes, null);
    return loadTable(i);
  }
}
