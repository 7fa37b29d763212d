package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.types.*;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Function1;
import scala.Some;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractPartialFunction;

/** Partition values as Spark rows: text cast by Spark's own Cast, filters evaluated by its own Predicate. */
final class PartitionRows {
  private final StructType schema;
  private final Expression[] values;
  private final BasePredicate[] filters;

  PartitionRows(StructType schema, String zone, Seq filters) {
    this.schema = schema;
    values = new Expression[schema.length()];
    for (int i = 0; i < values.length; i++) {
      DataType type = schema.apply(i).dataType();
      Expression text = new BoundReference(i, DataTypes.StringType, true);
      values[i] = type instanceof StringType ? text : Cast$.MODULE$.apply(text, type, new Some(zone), true);
    }
    this.filters = new BasePredicate[filters.size()];
    for (int i = 0; i < this.filters.length; i++) {
      this.filters[i] = Predicate$.MODULE$.createInterpreted(bind((Expression) filters.apply(i)));
      this.filters[i].initialize(0);
    }
  }

  /** The conjunction of filters; null when there are none. */
  static Expression all(Seq filters) {
    Expression all = null;
    for (int i = 0; i < filters.size(); i++) all = i == 0 ? (Expression) filters.apply(i) : new And(all, (Expression) filters.apply(i));
    return all;
  }

  InternalRow row(JsonNode texts) {
    Object[] row = new Object[values.length];
    for (int i = 0; i < row.length; i++) {
      JsonNode text = Bridge.item(texts, i);
      if (!text.isNull()) row[i] = UTF8String.fromString(text.asText());
    }
    InternalRow given = new GenericInternalRow(row);
    Object[] typed = new Object[row.length];
    for (int i = 0; i < row.length; i++) typed[i] = values[i].eval(given);
    return new GenericInternalRow(typed);
  }

  boolean accepts(InternalRow row) {
    for (int i = 0; i < filters.length; i++) if (!filters[i].eval(row)) return false;
    return true;
  }

  private Expression bind(Expression filter) {
    return (Expression) filter.transform(new AbstractPartialFunction() {
      public boolean isDefinedAt(Object node) { return node instanceof AttributeReference; }

      public Object applyOrElse(Object node, Function1 otherwise) {
        if (!(node instanceof AttributeReference)) return otherwise.apply(node);
        int index = schema.fieldIndex(((AttributeReference) node).name());
        return new BoundReference(index, schema.apply(index).dataType(), true);
      }
    });
  }
}
