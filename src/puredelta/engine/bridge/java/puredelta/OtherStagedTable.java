package puredelta;

import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException;
import org.apache.spark.sql.connector.catalog.*;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;

/**
 * A table of another V2 provider made through our catalog: being a staging catalog, ours is asked to stage it too.
 * It is made at once and dropped when the statement fails, as Spark does for catalogs that cannot stage.
 */
final class OtherStagedTable implements StagedTable, SupportsWrite {
  private final Catalog catalog;
  private final Identifier identifier;
  private final Table made;

  private OtherStagedTable(Catalog catalog, Identifier identifier, Table made) {
    this.catalog = catalog;
    this.identifier = identifier;
    this.made = made;
  }

  static StagedTable of(Catalog catalog, String mode, Identifier i, Column[] columns, Transform[] partitions, Map p)
      throws NoSuchNamespaceException {
    try {
      if (!mode.equals("create") && catalog.tableExists(i)) catalog.dropTable(i);
      catalog.createTable(i, columns, partitions, p);
      return new OtherStagedTable(catalog, i, catalog.loadTable(i));
    } catch (TableAlreadyExistsException e) {
      throw new IllegalStateException(e);
    } catch (NoSuchTableException e) {
      throw new IllegalStateException(e);
    }
  }

  public String name() {
    return made.name();
  }

  public StructType schema() {
    return made.schema();
  }

  public Map properties() {
    return made.properties();
  }

  public Set capabilities() {
    return made.capabilities();
  }

  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    return ((SupportsWrite) made).newWriteBuilder(info);
  }

  public void commitStagedChanges() {}

  public void abortStagedChanges() {
    catalog.dropTable(identifier);
  }
}
