package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.*;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.ExplainMode$;
import org.apache.spark.sql.execution.command.ExplainCommand;

/**
 * Spark's ParserInterface, by a proxy so that methods a newer Spark adds are passed on.
 * Python ("sql.parse") says which texts are Delta statements; all others are Spark's.
 */
public final class StatementParser implements InvocationHandler {
  private static final String CATALOG = "spark.sql.catalog.spark_catalog";

  private final SparkSession session;
  private final ParserInterface delegate;
  private boolean hasCatalog;

  private StatementParser(SparkSession session, ParserInterface delegate) {
    this.session = session;
    this.delegate = delegate;
  }

  public static ParserInterface wrap(SparkSession session, ParserInterface delegate) {
    return (ParserInterface) Proxy.newProxyInstance(
        delegate.getClass().getClassLoader(), new Class[] {ParserInterface.class}, new StatementParser(session, delegate));
  }

  /** A session with our extension and no setting of a catalog gets ours before its first name is looked up. */
  private void setCatalog() {
    if (!session.sessionState().conf().contains(CATALOG)) session.sessionState().conf().setConfString(CATALOG, "puredelta.Catalog");
    hasCatalog = true;
  }

  public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
    if (!hasCatalog) setCatalog();
    if (method.getName().startsWith("parsePlan")) {
      JsonNode statement = Bridge.ask("sql.parse", (String) args[0], null, null);
      if (statement != null && !statement.has("text")) {
        Command command = Command.of(
            "sql.run", Bridge.textOrNull(statement, "statement"), Bridge.textOrNull(statement, "schema"));
        if (!statement.has("explain")) return command;
        return new ExplainCommand(command, ExplainMode$.MODULE$.fromString(statement.get("explain").asText()));
      }
      if (statement != null) args[0] = statement.get("text").asText();
    }
    try {
      return method.invoke(delegate, args);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }
}
