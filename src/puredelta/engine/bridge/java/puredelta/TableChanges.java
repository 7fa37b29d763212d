package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.connector.catalog.TableChange;

/** Spark's TableChange objects told as JSON, for "catalog.alter". What Python does not know it refuses by kind. */
final class TableChanges {
  private TableChanges() {}

  static String describe(JsonNode handle, TableChange[] changes) {
    ObjectNode told = Bridge.object();
    told.set("handle", handle);
    told.withArray("changes");
    for (int i = 0; i < changes.length; i++) {
      ObjectNode change = told.withArray("changes").addObject().put("kind", changes[i].getClass().getSimpleName());
      if (changes[i] instanceof TableChange.SetProperty) {
        TableChange.SetProperty set = (TableChange.SetProperty) changes[i];
        change.put("property", set.property()).put("value", set.value());
      } else if (changes[i] instanceof TableChange.RemoveProperty) {
        change.put("property", ((TableChange.RemoveProperty) changes[i]).property());
      }
    }
    return told.toString();
  }
}
