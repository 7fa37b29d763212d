package puredelta;

import java.util.*;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.datasources.*;
import org.apache.spark.sql.types.*;
import scala.Function1;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractPartialFunction;

/**
 * An optimizer rule: each table of a query is read at one version, the newest when the query starts. Python
 * ("scan.pin") names the version; a DataFrame run again later sees what was written in between. Where the version
 * has deletion vectors, rows that they mark are filtered out. Run last, it adds to filters what they say of partitions.
 */
public final class PinRule extends Rule {
  private final boolean isLast;

  public PinRule(boolean isLast) { this.isLast = isLast; }

  public TreeNode apply(TreeNode plan) { return ((LogicalPlan) plan).transformWithSubqueries(new Pinning()); }

  static TableFiles files(Object node) {
    Object relation = node instanceof LogicalRelation ? ((LogicalRelation) node).relation() : null;
    Object files = relation instanceof HadoopFsRelation ? ((HadoopFsRelation) relation).location() : null;
    return files instanceof TableFiles ? (TableFiles) files : null;
  }

  private TableFiles moving(Object node) {
    TableFiles files = isLast ? null : files(node);
    return files == null || files.isPinned() ? null : files;
  }

  /**
   * The version below a limit, or below an aggregate over all rows: the log may know enough. At last, that below a
   * filter, which may say something of partition columns that are generated.
   */
  private TableFiles below(Object node) {
    boolean asks = isLast ? node instanceof Filter : node instanceof LocalLimit
        || (node instanceof Aggregate && ((Aggregate) node).groupingExpressions().isEmpty());
    LogicalPlan plan = asks ? (LogicalPlan) ((UnaryNode) node).child() : null;
    while (!isLast && (plan instanceof Project || plan instanceof Filter)) plan = (LogicalPlan) ((UnaryNode) plan).child();
    TableFiles files = files(plan);
    // What the log says of one batch is not the answer of a stream, which has state.
    if (files == null || !files.isPinned() || (!isLast && plan.isStreaming())) return null;
    return !isLast || files.derives() ? files : null;
  }

  private final class Pinning extends AbstractPartialFunction {
    private final Map pinned = new HashMap();

    public boolean isDefinedAt(Object node) { return moving(node) != null || below(node) != null; }

    public Object applyOrElse(Object node, Function1 otherwise) {
      TableFiles known = below(node);
      Object answer = known == null ? null
          : Bridge.call(isLast ? "scan.derived" : "scan.shortcut", known.handle(), node, null);
      if (answer != null) return answer;
      TableFiles files = moving(node);
      if (files == null) return otherwise.apply(node);
      Object numbered = files.tracksRows() ? Bridge.call("scan.row_ids", null, node, null) : null;
      if (numbered != null) return numbered;
      TableFiles fixed = (TableFiles) pinned.get(files);
      if (fixed == null) {
        fixed = files.pin(((HadoopFsRelation) ((LogicalRelation) node).relation()).dataSchema());
        pinned.put(files, fixed);
      }
      LogicalRelation old = (LogicalRelation) node;
      HadoopFsRelation relation = fixed.in((HadoopFsRelation) old.relation());
      Seq output = old.output();
      if (!fixed.hasVectors()) return new LogicalRelation(relation, output, old.catalogTable(), old.isStreaming(), old.stream());
      AttributeReference mark = new AttributeReference(TableFormat.DELETED, DataTypes.LongType, false, Metadata.empty(),
          NamedExpression.newExprId(), (Seq) Nil$.MODULE$);
      LogicalPlan marked = new LogicalRelation(
          relation, (Seq) output.appended(mark), old.catalogTable(), old.isStreaming(), old.stream());
      return new Project(output, new Filter(new EqualTo(mark, new Literal(Long.valueOf(0), DataTypes.LongType)), marked));
    }
  }
}
