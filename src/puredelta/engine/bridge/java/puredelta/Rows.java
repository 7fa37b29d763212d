package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.*;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.*;
import scala.collection.immutable.ArraySeq;
import scala.jdk.javaapi.CollectionConverters;

/** Rows told as JSON, a line each, as Spark's own values: no plan is made and no job is run for them. */
public final class Rows {
  private Rows() {}

  /** Rows of texts, numbers, booleans, timestamps (ISO texts), and maps, lists and structs of them. */
  public static List of(String lines, String schema) {
    DataType type = DataType.fromJson(schema);
    String[] each = lines.isEmpty() ? new String[0] : lines.split("\n");
    ArrayList rows = new ArrayList();
    for (int i = 0; i < each.length; i++) rows.add(value(Bridge.parse(each[i]), type));
    return rows;
  }

  public static Dataset frame(SparkSession session, String lines, String schema) {
    return session.createDataFrame(of(lines, schema), (StructType) DataType.fromJson(schema));
  }

  private static Object value(JsonNode node, DataType type) {
    if (node == null || node.isNull()) return null;
    if (type instanceof StructType) {
      StructField[] fields = ((StructType) type).fields();
      Object[] values = new Object[fields.length];
      for (int i = 0; i < values.length; i++) values[i] = value(node.get(fields[i].name()), fields[i].dataType());
      return RowFactory.create(values);
    }
    if (type instanceof ArrayType) {
      Object[] items = new Object[node.size()];
      for (int i = 0; i < items.length; i++) items[i] = value(Bridge.item(node, i), ((ArrayType) type).elementType());
      return ArraySeq.unsafeWrapArray(items);
    }
    if (type instanceof MapType) {
      Map entries = new HashMap();
      Iterator fields = node.fields();
      while (fields.hasNext()) {
        Map.Entry field = (Map.Entry) fields.next();
        entries.put(field.getKey(), value((JsonNode) field.getValue(), ((MapType) type).valueType()));
      }
      return scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(entries));
    }
    if (type.equals(DataTypes.LongType)) return Long.valueOf(node.asLong());
    if (type.equals(DataTypes.IntegerType)) return Integer.valueOf(node.asInt());
    if (type.equals(DataTypes.BooleanType)) return Boolean.valueOf(node.asBoolean());
    if (!type.equals(DataTypes.TimestampType)) return node.asText();
    return java.sql.Timestamp.from(java.time.Instant.parse(node.asText()));
  }
}
