package puredelta;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.execution.*;
import org.apache.spark.sql.execution.adaptive.*;
import org.apache.spark.sql.execution.datasources.*;
import org.apache.spark.sql.sources.BaseRelation;
import scala.collection.Iterator;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** The scans of our tables in a plan and in the subqueries of its expressions. */
public final class TableScans {
  /** In a physical plan, those that adaptive execution hides in a leaf without children among them. */
  public static scala.collection.Iterable of(SparkPlan plan) {
    List found = new ArrayList();
    collect(plan, found);
    return CollectionConverters.asScala((Iterable) found);
  }

  private static void collect(SparkPlan plan, List found) {
    if (plan instanceof AdaptiveSparkPlanExec) collect(((AdaptiveSparkPlanExec) plan).executedPlan(), found);
    else if (plan instanceof QueryStageExec) collect(((QueryStageExec) plan).plan(), found);
    else if (plan instanceof FileSourceScanExec) {
      if (((FileSourceScanExec) plan).relation().location() instanceof TableFiles) found.add(plan);
    } else {
      for (Iterator rest = plan.children().iterator(); rest.hasNext();) collect((SparkPlan) rest.next(), found);
      for (Iterator rest = plan.subqueries().iterator(); rest.hasNext();) collect((SparkPlan) rest.next(), found);
    }
  }

  /** A scan of a table over the files of another scan of it; what lies upon it is aliases, views and projections. */
  public static LogicalPlan rebound(LogicalPlan plan, LogicalPlan files) {
    if (!plan.children().isEmpty()) {
      LogicalPlan inner = rebound((LogicalPlan) plan.children().head(), files);
      // A view hides the columns that name a row's file.
      if (plan instanceof View) return inner;
      LogicalPlan made = (LogicalPlan) plan.withNewChildren((Seq) ((Seq) Nil$.MODULE$).appended(inner));
      return made instanceof SubqueryAlias ? seenThrough((SubqueryAlias) made) : made;
    }
    LogicalRelation old = (LogicalRelation) plan;
    BaseRelation relation = ((LogicalRelation) leaf(files)).relation();
    return new LogicalRelation(relation, old.output(), old.catalogTable(), old.isStreaming(), old.stream());
  }

  /**
   * An alias below which the hidden columns of files are still found. Before Spark 4.2 an alias hides them where a
   * projection lies below it: one that pads CHAR columns, or that of a view. A projection gives the same columns under
   * the same qualifier.
   */
  private static LogicalPlan seenThrough(SubqueryAlias alias) {
    if (!alias.metadataOutput().isEmpty() || alias.child().metadataOutput().isEmpty()) return alias;
    return new Project(alias.output(), alias.child());
  }

  /** The columns of the table that a plan scans: names and types. */
  public static String columns(LogicalPlan plan) {
    return ((HadoopFsRelation) ((LogicalRelation) leaf(plan)).relation()).dataSchema().catalogString();
  }

  private static LogicalPlan leaf(LogicalPlan plan) {
    return plan.children().isEmpty() ? plan : leaf((LogicalPlan) plan.children().head());
  }

  /** The folders of the tables that a resolved plan reads. */
  public static scala.collection.Iterable rootsIn(LogicalPlan plan) {
    Set found = new HashSet();
    collect(plan, found);
    return CollectionConverters.asScala((Iterable) found);
  }

  // Subqueries are in the expressions of a plan, where `collectLeaves` does not look.
  private static void collect(LogicalPlan plan, Set found) {
    for (Iterator rest = plan.collectLeaves().iterator(); rest.hasNext();) {
      TableFiles files = PinRule.files(rest.next());
      if (files != null) found.add(files.root());
    }
    for (Iterator rest = plan.subqueriesAll().iterator(); rest.hasNext();) collect((LogicalPlan) rest.next(), found);
  }
}
