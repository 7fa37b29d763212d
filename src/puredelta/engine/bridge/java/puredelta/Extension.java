package puredelta;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.classic.SparkSession;
import scala.runtime.*;

/** spark.sql.extensions: adds our parser, our functions, our analysis rule and the rule that pins versions, which runs twice. */
public class Extension extends AbstractFunction1 {
  private static volatile boolean isApplied;

  /** Whether a session of this JVM has what this adds. */
  static boolean isApplied() { return isApplied; }

  public Object apply(Object extensions) {
    SparkSessionExtensions e = (SparkSessionExtensions) extensions;
    isApplied = true;
    e.injectParser(new AbstractFunction2() { public Object apply(Object s, Object parser) { return StatementParser.wrap((SparkSession) s, (ParserInterface) parser); } });
    e.injectResolutionRule(new AbstractFunction1() { public Object apply(Object s) { return new AnalysisRule((SparkSession) s); } });
    e.injectOptimizerRule(always(new PinRule(false)));
    e.injectPreCBORule(always(new PinRule(true)));
    e.injectTableFunction(changes("table_changes"));
    e.injectTableFunction(changes("table_changes_by_path"));
    return scala.runtime.BoxedUnit.UNIT;
  }

  private static AbstractFunction1 always(final Object rule) {
    return new AbstractFunction1() { public Object apply(Object session) { return rule; } };
  }

  private static scala.Tuple3 changes(final String name) {
    return new scala.Tuple3(new FunctionIdentifier(name), new ExpressionInfo("puredelta", name), new AbstractFunction1() {
      public Object apply(Object arguments) { return Bridge.call("changes.function", name, arguments, null); }
    });
  }
}
