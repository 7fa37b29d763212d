package puredelta;

import java.lang.reflect.*;
import java.util.*;
import org.apache.commons.lang3.ArrayUtils;
import org.apache.commons.lang3.reflect.MethodUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.*;
import org.apache.spark.sql.execution.datasources.*;
import org.apache.spark.sql.types.*;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.util.SerializableConfiguration;
import scala.Option;
import scala.collection.immutable.ArraySeq;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction0;

/**
 * Writes a DataFrame with Spark's own FileFormatWriter and our commit protocol; rows that are on the driver already
 * go through the same task code here, without a job. Called by puredelta.engine.write.file_writer, which gives every choice.
 */
public final class FilesWriter {
  private static final Seq NONE = (Seq) Nil$.MODULE$;

  /** Writes under the names and ids of `inFiles` (JSON); FilesCommitter.describe() reports what was written. */
  public static FilesCommitter write(SparkSession session, Dataset frame, String root, List partitionBy, Map options,
      Map fileConf, int localRows, String inFiles) throws java.io.IOException {
    StructType schema = (StructType) DataType.fromJson(inFiles);
    QueryExecution execution = ((org.apache.spark.sql.classic.Dataset) frame).queryExecution();
    FilesCommitter committer = new FilesCommitter(root);
    TableFormat format = new TableFormat(fileConf);
    scala.collection.immutable.Map scalaOptions =
        scala.collection.immutable.Map$.MODULE$.from(scala.jdk.javaapi.CollectionConverters.asScala(options));
    Object plan = execution.optimizedPlan();
    if (plan instanceof LocalRelation && ((LocalRelation) plan).data().size() <= localRows) {
      LocalRelation rows = (LocalRelation) plan;
      local(session, rows, named(rows.output(), schema), committer, format, root, partitionBy, options, scalaOptions);
    } else {
      Seq output = named(execution.analyzed().output(), schema);
      job(session, execution, output, committer, format, root, partitionBy, scalaOptions);
    }
    return committer;
  }

  /** The same attributes under other names. */
  private static Seq named(Seq output, StructType schema) {
    Attribute[] named = new Attribute[output.size()];
    for (int i = 0; i < named.length; i++) {
      Attribute from = (Attribute) output.apply(i);
      StructField to = schema.fields()[i];
      named[i] = new AttributeReference(
          to.name(), to.dataType(), from.nullable(), to.metadata(), from.exprId(), from.qualifier());
    }
    return (Seq) ArraySeq.unsafeWrapArray(named);
  }

  private static void job(final SparkSession session, final QueryExecution execution, final Seq output,
      final FilesCommitter committer, final TableFormat format, final String root, final List partitionBy,
      final scala.collection.immutable.Map options) {
    SQLExecution$.MODULE$.withNewExecutionId(execution, new scala.Some("Delta write"), new AbstractFunction0() {
      public Object apply() {
        FileFormatWriter$OutputSpec spec = new FileFormatWriter$OutputSpec(
            root, (scala.collection.immutable.Map) scala.collection.immutable.Map$.MODULE$.empty(), output);
        Configuration conf = session.sessionState().newHadoopConf();
        Object[] given = {session, execution.executedPlan(), format, committer, spec, conf,
            chosen(output, partitionBy, true), Option.empty(), NONE, options, Integer.valueOf(0)};
        // Some patches of Spark, in every line, have one parameter more.
        Method last = MethodUtils.getAccessibleMethod(FileFormatWriter$.class, "write$default$12", new Class[0]);
        try {
          if (last != null) given = ArrayUtils.add(given, last.invoke(FileFormatWriter$.MODULE$, new Object[0]));
          return MethodUtils.invokeMethod(FileFormatWriter$.MODULE$, "write", given);
        } catch (Exception e) {
          Platform.throwException(e instanceof InvocationTargetException ? e.getCause() : e);
          return null;
        }
      }
    });
  }

  private static void local(SparkSession session, LocalRelation rows, Seq output, FilesCommitter committer,
      TableFormat format, String root, List partitionBy, Map options, scala.collection.immutable.Map scalaOptions)
      throws java.io.IOException {
    if (rows.data().isEmpty()) return;
    Seq partitions = chosen(output, partitionBy, true);
    Seq data = chosen(output, partitionBy, false);
    Job job = Job.getInstance(session.sessionState().newHadoopConf());
    job.setOutputKeyClass(Void.class);
    job.setOutputValueClass(InternalRow.class);
    OutputWriterFactory factory = format.prepareWrite(session, job, scalaOptions,
        org.apache.spark.sql.catalyst.types.DataTypeUtils.fromAttributes(data));
    Object most = options.get("maxRecordsPerFile");
    WriteJobDescription description = new WriteJobDescription(UUID.randomUUID().toString(),
        new SerializableConfiguration(job.getConfiguration()), factory, output, data, partitions,
        (Option) Option.empty(), root,
        (scala.collection.immutable.Map) scala.collection.immutable.Map$.MODULE$.empty(),
        most == null ? session.sessionState().conf().maxRecordsPerFile() : Long.parseLong((String) most),
        (String) options.get("timeZone"), NONE);
    scala.collection.Iterator sorted = grouped(rows, partitions);
    WriteTaskResult result = FileFormatWriter$.MODULE$.executeTask(
        description, "20000101000000", 0, 0, 0, committer, sorted, (Option) Option.empty());
    committer.commitJob(null, (Seq) ArraySeq.unsafeWrapArray(
        new org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage[] {result.commitMsg()}));
  }

  /** Rows of one partition follow each other, as the partition writer needs them. */
  private static scala.collection.Iterator grouped(LocalRelation rows, Seq partitions) {
    SortOrder[] order = new SortOrder[partitions.size()];
    for (int i = 0; i < order.length; i++) {
      order[i] = new SortOrder(
          (Expression) partitions.apply(i), Ascending$.MODULE$, Ascending$.MODULE$.defaultNullOrdering(), NONE);
    }
    InterpretedOrdering ordering = new InterpretedOrdering((Seq) ArraySeq.unsafeWrapArray(order), rows.output());
    return ((Seq) rows.data().sorted(ordering)).iterator();
  }

  /** The attributes named (in that order), or all the others. */
  private static Seq chosen(Seq output, List names, boolean named) {
    Attribute[] found = new Attribute[named ? names.size() : output.size() - names.size()];
    int next = 0;
    for (int i = 0; i < output.size(); i++) {
      Attribute attribute = (Attribute) output.apply(i);
      int place = names.indexOf(attribute.name());
      if (named && place >= 0) found[place] = attribute;
      if (!named && place < 0) found[next++] = attribute;
    }
    return (Seq) ArraySeq.unsafeWrapArray(found);
  }
}
