package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.spark.SparkThrowable;

/**
 * An exception that Python raised inside a callback, on its way back to Python, where
 * puredelta.engine.bridge.failures puts the original in its place (found by the number).
 */
public final class PythonFailure extends RuntimeException implements SparkThrowable {
  private final String number, condition, sqlState, kind;
  private final java.util.Map parameters;

  public PythonFailure(JsonNode failure) {
    super(Bridge.textOrNull(failure, "message"));
    number = Bridge.textOrNull(failure, "number");
    condition = Bridge.textOrNull(failure, "condition");
    sqlState = Bridge.textOrNull(failure, "sqlState");
    kind = Bridge.textOrNull(failure, "class");
    parameters = failure.hasNonNull("parameters") ? Bridge.toMap(failure.get("parameters")) : new java.util.HashMap();
  }

  public String getNumber() { return number; }
  public String getCondition() { return condition; }
  public String getErrorClass() { return condition; }
  public String getSqlState() { return sqlState; }
  public java.util.Map getMessageParameters() { return parameters; }

  /** The name of Python's class. */
  public String getKind() { return kind; }
}
