package puredelta;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import scala.Function1;
import scala.runtime.AbstractPartialFunction;

/**
 * An optimizer rule: each table of a query is read at one version, the newest when the query starts. Python
 * ("scan.pin") names the version; a DataFrame run again later sees what was written in between.
 */
public final class PinRule extends Rule {
  public TreeNode apply(TreeNode plan) {
    return ((LogicalPlan) plan).transformWithSubqueries(new Pinning());
  }

  private static final class Pinning extends AbstractPartialFunction {
    private final Map pinned = new HashMap();

    private static TableFiles moving(Object node) {
      if (!(node instanceof LogicalRelation)) return null;
      Object relation = ((LogicalRelation) node).relation();
      Object files = relation instanceof HadoopFsRelation ? ((HadoopFsRelation) relation).location() : null;
      return files instanceof TableFiles && !((TableFiles) files).isPinned() ? (TableFiles) files : null;
    }

    public boolean isDefinedAt(Object node) {
      return moving(node) != null;
    }

    public Object applyOrElse(Object node, Function1 otherwise) {
      TableFiles files = moving(node);
      if (files == null) return otherwise.apply(node);
      TableFiles fixed = (TableFiles) pinned.get(files);
      if (fixed == null) {
        fixed = files.pin(((HadoopFsRelation) ((LogicalRelation) node).relation()).dataSchema());
        pinned.put(files, fixed);
      }
      LogicalRelation old = (LogicalRelation) node;
      HadoopFsRelation relation = TableFiles.over(fixed, (HadoopFsRelation) old.relation());
      return new LogicalRelation(relation, old.output(), old.catalogTable(), old.isStreaming(), old.stream());
    }
  }
}
