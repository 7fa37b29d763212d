package puredelta;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.io.Serializable;
import java.nio.*;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.*;
import org.apache.hadoop.mapreduce.*;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.io.*;
import org.apache.spark.mapred.SparkHadoopMapRedUtil;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.util.SerializableConfiguration;
import scala.Option;
import scala.collection.immutable.Seq;

/**
 * Spark's FileCommitProtocol, run by executors: files get their final names (no reader sees them before the log does),
 * and a task that commits reports what it wrote, with raw footers, of which puredelta.engine.write.footers makes statistics.
 */
public final class FilesCommitter extends FileCommitProtocol implements Serializable {
  private static final int TRAILER = 8, MOST = 1 << 28;
  private final String root;
  private transient ArrayList open, committed;

  public FilesCommitter(String root) { this.root = root; }

  /** One file a task wrote; travels from the executor to the driver. */
  static final class Written implements Serializable {
    String name, partition;
    long size, modified;
    byte[] footer;
  }

  /** By this Spark's own helper asks the driver whether an attempt may commit. */
  private static final class Permission extends OutputCommitter {
    public void setupJob(JobContext context) {}
    public void setupTask(TaskAttemptContext context) {}
    public boolean needsTaskCommit(TaskAttemptContext context) { return true; }
    public void commitTask(TaskAttemptContext context) {}
    public void abortTask(TaskAttemptContext context) {}
  }

  public void setupJob(JobContext context) { committed = new ArrayList(); }
  public void setupTask(TaskAttemptContext context) { open = new ArrayList(); }

  /** Rows of the virtual partition `__puredelta_is_change=true` are changes, which have a folder of their own. */
  public String newTaskTempFile(TaskAttemptContext context, Option dir, FileNameSpec spec) {
    Written file = new Written();
    int task = context.getTaskAttemptID().getTaskID().getId();
    String below = dir.isDefined() ? dir.get() + "/" : "";
    boolean isChange = below.startsWith("__puredelta_is_change=true/");
    if (below.startsWith("__puredelta_is_change=")) below = below.substring(below.indexOf('/') + 1);
    file.partition = below.isEmpty() ? "" : below.substring(0, below.length() - 1);
    file.name = (isChange ? "_change_data/" : "") + below + spec.prefix() + (isChange ? "cdc-" : "part-")
        + String.format("%05d", new Object[] {Integer.valueOf(task)}) + "-" + UUID.randomUUID() + spec.suffix();
    open.add(file);
    return root + "/" + file.name;
  }

  public String newTaskTempFile(TaskAttemptContext task, Option dir, String suffix) { return newTaskTempFile(task, dir, new FileNameSpec("", suffix)); }

  public String newTaskTempFileAbsPath(TaskAttemptContext c, String dir, String s) { throw new IllegalArgumentException(dir); }

  /** One attempt of a task commits, and none once the job is over; Spark aborts the others, which removes their files. */
  public FileCommitProtocol.TaskCommitMessage commitTask(TaskAttemptContext context) {
    TaskID task = context.getTaskAttemptID().getTaskID();
    if (TaskContext.get() != null) {
      SparkHadoopMapRedUtil.commitTask(new Permission(), context, task.getJobID().getId(), task.getId());
    }
    try {
      for (int i = 0; i < open.size(); i++) finish((Written) open.get(i), context.getConfiguration());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return new FileCommitProtocol.TaskCommitMessage(open);
  }

  /** Size, time and footer as they lie in storage, read back before the task says that it is done. */
  private void finish(Written file, Configuration conf) throws IOException {
    Path path = new Path(root + "/" + file.name);
    FileStatus status = path.getFileSystem(conf).getFileStatus(path);
    file.size = status.getLen();
    file.modified = status.getModificationTime();
    file.footer = footer(path, file.size, conf);
  }

  private static byte[] footer(Path path, long size, Configuration conf) throws IOException {
    FSDataInputStream in = path.getFileSystem(conf).open(path);
    try {
      byte[] end = new byte[(int) Math.min(TRAILER, size)];
      in.readFully(size - end.length, end);
      int said = new String(end).endsWith("PAR1") ? ByteBuffer.wrap(end).order(ByteOrder.LITTLE_ENDIAN).getInt() : 0;
      byte[] footer = new byte[said <= 0 || said > Math.min(size - TRAILER, MOST) ? end.length : said + TRAILER];
      in.readFully(size - footer.length, footer);
      return footer;
    } finally {
      in.close();
    }
  }

  /** The footer of any file, for tasks; what is in the way comes as its text, after a byte 1. */
  public static byte[] footer(UTF8String path, long size, SerializableConfiguration conf) {
    try {
      return footer(new Path(path.toString()), size, conf.value());
    } catch (IOException e) {
      return ("\u0001" + e).getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }
  }

  public void abortTask(TaskAttemptContext context) { if (open != null) remove(open, context.getConfiguration()); }

  public void onTaskCommit(FileCommitProtocol.TaskCommitMessage message) {
    if (committed != null) committed.addAll((ArrayList) message.obj());
  }
  public void abortJob(JobContext context) { if (committed != null) remove(committed, context.getConfiguration()); }

  private void remove(ArrayList files, Configuration conf) {
    for (int i = 0; i < files.size(); i++) {
      Path path = new Path(root + "/" + ((Written) files.get(i)).name);
      try {
        path.getFileSystem(conf).delete(path, false);
      } catch (IOException e) {
        log().warn("Left behind by a failed write: " + path, e);
      }
    }
  }

  public void commitJob(JobContext context, Seq messages) {
    committed = new ArrayList();
    for (int i = 0; i < messages.size(); i++) onTaskCommit((FileCommitProtocol.TaskCommitMessage) messages.apply(i));
  }

  public int size() { return committed == null ? 0 : committed.size(); }
  /** JSON: a list of {name, partition, size, modified, footer (base64)} of some of the files. */
  public String describe(int from, int to) {
    ArrayNode reports = Bridge.object().putArray("files");
    for (int i = from; i < Math.min(to, size()); i++) {
      Written file = (Written) committed.get(i);
      reports.addObject().put("name", file.name).put("partition", file.partition).put("size", file.size)
          .put("modified", file.modified).put("footer", file.footer);
    }
    return reports.toString();
  }
}
