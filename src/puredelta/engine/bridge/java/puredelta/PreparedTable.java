package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.spark.sql.connector.catalog.*;

/**
 * A StagedTable: CREATE, REPLACE and their AS SELECT. Python holds what is staged under the handle's number, makes it
 * one commit on "catalog.commit".
 */
public final class PreparedTable extends LoadedTable implements StagedTable {
  public PreparedTable(JsonNode description) { super(description); }

  /** Spark hands saveAsTable over as a replacement like any other; only the stack shows the difference. */
  static boolean isSaveAsTable() {
    return java.util.Arrays.toString(new Throwable().getStackTrace()).contains("sql.classic.DataFrameWriter.");
  }

  public void commitStagedChanges() { Bridge.call("catalog.commit", handle().toString(), null, null); }
  public void abortStagedChanges() { Bridge.call("catalog.abort", handle().toString(), null, null); }
}
