package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.apache.spark.*;
import org.apache.spark.sql.AnalysisException;
import scala.Option;

/** Exceptions of the classes that clients of Spark know, each caused by the PythonFailure that it stands for. */
final class Failures {
  private static final QueryContext[] NOWHERE = new QueryContext[0];

  /** Throws what Python reported, of the kind that Python names. Its class may be a checked one. */
  static RuntimeException of(JsonNode reported) {
    PythonFailure cause = new PythonFailure(reported);
    String kind = Bridge.textOrNull(reported, "kind");
    if (kind == null) return cause;
    if (kind.equals("argument")) return new Argument(cause);
    if (kind.equals("unsupported")) return new Unsupported(cause);
    if (kind.equals("arithmetic")) return new Arithmetic(cause);
    if (kind.equals("analysis")) new scala.util.Failure(new Analysis(cause)).get();
    return new Runtime(cause);
  }

  /** What Spark asks of an exception, answered by the one that it stands for. */
  interface Reported extends SparkThrowable {
    PythonFailure failure();
    default String getCondition() { return failure().getCondition(); }
    default String getErrorClass() { return failure().getCondition(); }
    default String getSqlState() { return failure().getSqlState(); }
    default Map getMessageParameters() { return failure().getMessageParameters(); }
  }

  static final class Analysis extends AnalysisException {
    private final PythonFailure failure;
    Analysis(PythonFailure cause) {
      super(cause.getMessage(), Option.empty(), Option.empty(), Option.apply(cause), Option.apply(cause.getCondition()), Bridge.scalaMap(cause.getMessageParameters()), NOWHERE);
      failure = cause;
    }
    public String getSqlState() { return failure.getSqlState(); }
  }

  static final class Argument extends IllegalArgumentException implements Reported {
    private final PythonFailure failure;
    Argument(PythonFailure cause) { super(cause.getMessage(), cause); failure = cause; }
    public PythonFailure failure() { return failure; }
  }

  static final class Unsupported extends UnsupportedOperationException implements Reported {
    private final PythonFailure failure;
    Unsupported(PythonFailure cause) { super(cause.getMessage(), cause); failure = cause; }
    public PythonFailure failure() { return failure; }
  }

  static final class Arithmetic extends ArithmeticException implements Reported {
    private final PythonFailure failure;
    Arithmetic(PythonFailure cause) { super(cause.getMessage()); initCause(cause); failure = cause; }
    public PythonFailure failure() { return failure; }
  }

  static final class Runtime extends SparkRuntimeException {
    private final PythonFailure failure;
    Runtime(PythonFailure cause) {
      // Spark has texts for its own conditions only; the text here is the one that Python made.
      super("INTERNAL_ERROR", new scala.collection.immutable.Map.Map1("message", ""), cause, NOWHERE, "");
      failure = cause;
    }
    public String getMessage() { return failure.getMessage(); }
    public String getCondition() { return failure.getCondition(); }
    public String getErrorClass() { return failure.getCondition(); }
    public String getSqlState() { return failure.getSqlState(); }
    public Map getMessageParameters() { return failure.getMessageParameters(); }
  }
}
