package puredelta;

import java.util.*;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.catalyst.*;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.*;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Function1;
import scala.Some;

/** Rows given as JSON, a line each, read by Spark's own parser: no plan is made and no job is run for them. */
public final class Rows {
  public static List of(String lines, String schema) {
    DataType type = DataType.fromJson(schema);
    Function1 shown = CatalystTypeConverters$.MODULE$.createToScalaConverter(type);
    Expression parser = new JsonToStructs(type, Bridge.scalaMap(Bridge.object().put("mode", "FAILFAST")),
        new BoundReference(0, DataTypes.StringType, false), new Some("UTC"), false);
    String[] each = lines.isEmpty() ? new String[0] : lines.split("\n");
    ArrayList rows = new ArrayList();
    for (int i = 0; i < each.length; i++) {
      rows.add(shown.apply(parser.eval(new GenericInternalRow(new Object[] {UTF8String.fromString(each[i])}))));
    }
    return rows;
  }

  public static Dataset frame(SparkSession session, String lines, String schema) {
    return session.createDataFrame(of(lines, schema), (StructType) DataType.fromJson(schema));
  }
}
