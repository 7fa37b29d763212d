package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.catalyst.util.CharVarcharUtils;
import org.apache.spark.sql.connector.catalog.CatalogV2Util;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.StagedTable;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;

/**
 * A StagedTable: CREATE, REPLACE and their AS SELECT. Python holds what is staged under the handle's number, makes it
 * one commit on "catalog.commit".
 */
public final class PreparedTable extends LoadedTable implements StagedTable {
  public PreparedTable(JsonNode description) { super(description); }

  /** Adds columns and partitioning to what Python is told of a statement. */
  static void describe(ObjectNode told, Column[] columns, Transform[] partitions) {
    StructType schema = CatalogV2Util.v2ColumnsToStructType(columns);
    told.put("schema", CharVarcharUtils.replaceCharVarcharWithStringInSchema(schema).json());
    told.put("savesTable", isSaveAsTable());
    for (int p = 0; p < partitions.length; p++) {
      ObjectNode transform = told.withArray("partitions").addObject().put("name", partitions[p].name());
      String[] names = partitions[p].references()[0].fieldNames();
      for (int n = 0; n < names.length; n++) transform.withArray("column").add(names[n]);
    }
  }

  /** Spark hands saveAsTable over as a replacement like any other; only the stack tells. */
  private static boolean isSaveAsTable() {
    StackTraceElement[] calls = new Throwable().getStackTrace();
    for (int c = 0; c < calls.length; c++) {
      if (calls[c].getClassName().equals("org.apache.spark.sql.classic.DataFrameWriter")) return true;
    }
    return false;
  }

  public void commitStagedChanges() { Bridge.call("catalog.commit", handle().toString(), null, null); }
  public void abortStagedChanges() { Bridge.call("catalog.abort", handle().toString(), null, null); }
}
