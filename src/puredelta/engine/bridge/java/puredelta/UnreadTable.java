package puredelta;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.types.StructType;

/** A table that says it can do nothing, so that Spark goes on to the relation interfaces of Source. */
final class UnreadTable implements Table {
  private final Map options;

  UnreadTable(Map options) {
    this.options = options;
  }

  public String name() {
    return "delta.`" + options.get("path") + "`";
  }

  public StructType schema() {
    return new StructType();
  }

  public Set capabilities() {
    return Collections.EMPTY_SET;
  }
}
