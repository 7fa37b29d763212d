package puredelta;

import java.lang.reflect.*;
import java.util.Map;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.connector.catalog.*;
import org.apache.spark.sql.connector.expressions.Transform;

/**
 * A table of another V2 provider made through our catalog: being a staging catalog, ours is asked to stage it too.
 * It is made at once and dropped when the statement fails, as Spark does for catalogs that cannot stage.
 */
final class OtherStagedTable implements InvocationHandler {
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
      Class[] faces = {StagedTable.class, SupportsWrite.class};
      OtherStagedTable table = new OtherStagedTable(catalog, i, catalog.loadTable(i));
      return (StagedTable) Proxy.newProxyInstance(StagedTable.class.getClassLoader(), faces, table);
    } catch (AnalysisException e) {
      throw new IllegalStateException(e);
    }
  }

  public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
    if (method.getName().equals("commitStagedChanges")) return null;
    if (method.getName().equals("abortStagedChanges")) return Boolean.valueOf(catalog.dropTable(identifier));
    try {
      return method.invoke(made, args);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }
}
