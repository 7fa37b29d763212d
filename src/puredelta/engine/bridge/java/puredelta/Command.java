package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.catalyst.types.DataTypeUtils;
import org.apache.spark.sql.execution.command.RunnableCommand;
import org.apache.spark.sql.types.*;
import scala.collection.immutable.*;

/**
 * A RunnableCommand whose run() is a callback: the topic says which, the text carries its values as JSON, the query
 * and the expression stay the JVM objects they are. Rows come back as JSON (see Rows).
 */
public final class Command extends LogicalPlan implements RunnableCommand {
  private static final Seq NONE = (Seq) Nil$.MODULE$;
  private final String topic, text, schema;
  private final java.util.List parts;
  private final Seq output;
  private Seq patterns = NONE;

  /** Query and expression are in a Java list, so that Spark does not take them for parts of this plan. */
  public Command(String topic, String text, String schema, java.util.List parts) {
    this.topic = topic;
    this.text = text;
    this.schema = schema == null ? "" : schema;
    this.parts = parts;
    output = this.schema.isEmpty() ? NONE : (Seq) DataTypeUtils.toAttributes((StructType) DataType.fromJson(this.schema));
  }

  static Command of(String topic, String text, String schema) { return new Command(topic, text, schema, parts(null, null)); }

  static java.util.List parts(LogicalPlan query, Object expression) {
    return java.util.Arrays.asList(new Object[] {query, expression});
  }

  public Seq run(SparkSession session) {
    String answer = (String) Bridge.call(topic, text, session, this);
    return answer == null ? NONE : (Seq) ArraySeq.unsafeWrapArray(Rows.of(answer, schema).toArray());
  }

  public LogicalPlan query() { return (LogicalPlan) parts.get(0); }
  public Object expression() { return parts.get(1); }
  public Seq children() { return NONE; }

  /** What EXPLAIN shows below: the query, or else the statement as Spark resolved it. */
  public Seq innerChildren() {
    Object shown = query() == null ? expression() : query();
    return shown == null ? NONE : (Seq) ArraySeq.unsafeWrapArray(new LogicalPlan[] {(LogicalPlan) shown});
  }

  public Seq output() { return output; }
  public Seq nodePatterns() { return patterns == null ? NONE : patterns; }

  public void org$apache$spark$sql$catalyst$plans$logical$Command$_setter_$nodePatterns_$eq(Seq given) { patterns = given; }

  public Map metrics() { return (Map) scala.collection.immutable.Map$.MODULE$.empty(); }
  public Statistics stats() { return org.apache.spark.sql.catalyst.plans.logical.Command.stats$(this); }
  public AttributeSet producedAttributes() { return outputSet(); }
  public LogicalPlan withNewChildrenInternal(IndexedSeq children) { return this; }

  public String nodeName() {
    JsonNode request = Bridge.parse(text);
    return "Delta " + request.get(request.has("kind") ? "kind" : "statement").asText();
  }

  /** What EXPLAIN shows beside the name: the statement's text, or its table. */
  public scala.collection.Iterator stringArgs() {
    JsonNode request = Bridge.parse(text);
    JsonNode handle = request.get("handle");
    String name = request.has("text") ? Bridge.textOrNull(request, "text") : Bridge.textOrNull(handle, "name");
    String shown = name == null ? handle.get("root").asText() : name;
    return ArraySeq.unsafeWrapArray(new Object[] {shown}).iterator();
  }

  public Object productElement(int index) {
    return index == 0 ? topic : index == 1 ? text : index == 2 ? (Object) schema : parts;
  }

  public int productArity() { return 4; }
  public boolean canEqual(Object other) { return other instanceof Command; }
}
