package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.catalyst.analysis.ResolvedTable;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.streaming.WriteToStream;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.execution.datasources.DataSource;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import scala.Function1;
import scala.Option;
import scala.Product;
import scala.collection.immutable.Map;
import scala.runtime.AbstractPartialFunction;

/**
 * A resolution rule: statements whose target is ours become a Command for Python as soon as their query is resolved,
 * and a relation of ours becomes Spark's own Parquet relation over a file list that Python plans.
 */
public final class AnalysisRule extends Rule {
  private final SparkSession session;

  public AnalysisRule(SparkSession session) { this.session = session; }

  /** Statements first, from the top down: below, their target would be a scan already. MERGE waits for its source. */
  public TreeNode apply(TreeNode plan) {
    if (plan instanceof WriteToStream) checkSources((WriteToStream) plan);
    if (plan instanceof InsertIntoHadoopFsRelationCommand) checkFolder((InsertIntoHadoopFsRelationCommand) plan);
    LogicalPlan replaced = ((LogicalPlan) plan).resolveOperatorsDown(new Replacing(true));
    boolean waits = replaced instanceof MergeIntoTable && handle((LogicalPlan) replaced.children().head()) != null;
    return waits ? replaced : replaced.resolveOperatorsUp(new Replacing(false));
  }

  /** A query that is about to start; Python refuses what its sources must not share. */
  private void checkSources(WriteToStream plan) {
    ObjectNode request = Bridge.object().put("checkpoint", plan.resolvedCheckpointLocation());
    ArrayNode sources = request.putArray("sources");
    for (scala.collection.Iterator leaves = plan.inputQuery().collectLeaves().iterator(); leaves.hasNext();) {
      Object leaf = leaves.next();
      // Its package is another one from 4.1 on.
      if (!leaf.getClass().getSimpleName().equals("StreamingRelation")) continue;
      DataSource source = (DataSource) ((Product) leaf).productElement(0);
      if (source.className().equalsIgnoreCase("delta")) sources.add(Bridge.fromMap(source.options()));
    }
    if (sources.size() > 0) Bridge.call("stream.check", request.toString(), session, null);
  }

  /** Files of another format; Python refuses folders of tables. */
  private void checkFolder(InsertIntoHadoopFsRelationCommand plan) {
    if (plan.catalogTable().isDefined()) return;
    ObjectNode request = Bridge.object().put("path", plan.outputPath().toString()).put("mode", plan.mode().name());
    Bridge.call("files.check", request.put("format", plan.fileFormat().toString()).toString(), session, null);
  }

  private final class Replacing extends AbstractPartialFunction {
    private final boolean statements;

    Replacing(boolean statements) { this.statements = statements; }

    public boolean isDefinedAt(Object node) {
      if (!statements) return node instanceof DataSourceV2Relation || PinRule.files(node) != null && PinRule.files(node).readsChanges();
      return node instanceof org.apache.spark.sql.catalyst.plans.logical.Command || node instanceof InsertIntoStatement;
    }

    public Object applyOrElse(Object node, Function1 otherwise) {
      LogicalPlan replaced = !isDefinedAt(node) ? null : !statements ? read((LogicalPlan) node)
          : node instanceof InsertIntoStatement ? insert((InsertIntoStatement) node)
          : node instanceof V2WriteCommand ? write((V2WriteCommand) node) : statement((LogicalPlan) node);
      return replaced == null ? otherwise.apply(node) : replaced;
    }
  }

  private static LoadedTable ours(Object relation) {
    Table table = relation instanceof DataSourceV2Relation ? ((DataSourceV2Relation) relation).table()
        : relation instanceof ResolvedTable ? ((ResolvedTable) relation).table() : null;
    return table instanceof LoadedTable ? (LoadedTable) table : null;
  }

  private LogicalPlan read(LogicalPlan plan) {
    if (plan instanceof LogicalRelation) return (LogicalPlan) Bridge.call("changes.plan", PinRule.files(plan).handle(), plan, null);
    DataSourceV2Relation relation = (DataSourceV2Relation) plan;
    LoadedTable table = ours(relation);
    if (table == null || table instanceof PreparedTable) return null;
    Option none = (Option) Option.empty();
    Object changes = relation.options().isEmpty() ? null
        : Bridge.call("table.read_options", Bridge.fromMap(relation.options()).toString(), table.handle().toString(), plan);
    if (changes != null) return (LogicalPlan) changes;
    return new LogicalRelation(TableFiles.relation(table, session), relation.output(), table.entry(), false, none);
  }

  private LogicalPlan write(V2WriteCommand plan) {
    LoadedTable table = ours(plan.table());
    if (table == null || !plan.resolved() || plan instanceof RowLevelWrite) return null;
    ObjectNode request = Bridge.object().put("statement", plan.getClass().getSimpleName()).put("byName", plan.isByName());
    request.set("handle", table.handle());
    request.put("fromSql", ((TreeNode) plan).origin().sqlText().isDefined());
    request.set("tableOptions", Bridge.fromMap(((DataSourceV2Relation) plan.table()).options().asCaseSensitiveMap()));
    scala.collection.Iterator parts = ((Product) plan).productIterator();
    while (parts.hasNext()) {
      Object part = parts.next();
      if (part instanceof Map) request.set("options", Bridge.fromMap((Map) part));
    }
    return new Command("table.write", request.toString(), null, Command.parts(plan.query(), plan));
  }

  /** INSERT into a view that is a table of ours; Spark would write files past the log. */
  private LogicalPlan insert(InsertIntoStatement plan) {
    TableFiles files = PinRule.files(unaliased(plan.table()));
    if (files == null || !plan.query().resolved()) return null;
    ObjectNode request = Bridge.object().put("statement", "InsertIntoStatement").put("byName", plan.byName());
    request.set("handle", Bridge.parse(files.handle()));
    return new Command("table.write", request.toString(), null, Command.parts(plan.query(), plan));
  }

  /** Statements that Spark resolves against a table, or a view of one, and Python answers. */
  private LogicalPlan statement(LogicalPlan plan) {
    JsonNode handle = plan.children().isEmpty() ? null : handle((LogicalPlan) plan.children().head());
    if (handle == null) return null;
    ObjectNode request = Bridge.object().put("statement", plan.getClass().getSimpleName());
    request.set("handle", handle);
    JsonNode answer = Bridge.ask("table.statement", request.toString(), plan, null);
    return answer == null ? null : new Command(
        "table.run", request.toString(), Bridge.textOrNull(answer, "schema"), Command.parts(null, plan));
  }

  private static JsonNode handle(LogicalPlan plan) {
    if (plan instanceof UnaryNode) return handle((LogicalPlan) ((UnaryNode) plan).child());
    TableFiles files = PinRule.files(plan);
    LoadedTable table = ours(plan);
    return table != null ? table.handle() : files == null ? null : Bridge.parse(files.handle());
  }

  private static LogicalPlan unaliased(LogicalPlan plan) {
    return plan instanceof SubqueryAlias ? unaliased(((SubqueryAlias) plan).child()) : plan;
  }
}
