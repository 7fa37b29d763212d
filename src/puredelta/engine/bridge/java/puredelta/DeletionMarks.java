package puredelta;

import java.io.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.vectorized.*;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.*;
import org.apache.spark.util.SerializableConfiguration;
import scala.Function1;
import scala.Option;
import scala.collection.*;
import scala.runtime.AbstractFunction1;

/** On executors: reads files by Spark's reader and sets the mark of each row that a deletion vector takes away. */
final class DeletionMarks extends AbstractFunction1 implements Serializable {
  private final Function1 reader;
  private final int mark, index;
  private final Broadcast conf;
  private final String table;

  /** The place of the mark in a row, and of the row's index in its file; both may be the same. */
  DeletionMarks(Function1 reader, int mark, int index, SparkSession session, Configuration conf, String table) {
    this.table = table;
    this.reader = reader;
    this.mark = mark;
    this.index = index;
    this.conf = new JavaSparkContext(session.sparkContext()).broadcast(new SerializableConfiguration(conf));
  }

  public Object apply(Object file) {
    Option vector = ((PartitionedFile) file).otherConstantMetadataColumnValues().get(TableFormat.DELETED);
    Configuration hadoop = ((SerializableConfiguration) conf.value()).value();
    String place = table + "\t" + ((PartitionedFile) file).filePath();
    DeletedRows deleted = vector.isEmpty() ? null : DeletedRows.read((String) vector.get(), hadoop, place);
    return new Marked((Iterator) reader.apply(file), deleted);
  }

  private final class Marked extends AbstractIterator implements Closeable {
    private final Iterator rows;
    private final DeletedRows deleted;
    private WritableColumnVector marks;

    Marked(Iterator rows, DeletedRows deleted) {
      this.rows = rows;
      this.deleted = deleted;
    }

    public boolean hasNext() { return rows.hasNext(); }

    public Object next() {
      Object next = rows.next();
      if (next instanceof ColumnarBatch) return marked((ColumnarBatch) next);
      // Without generated code, Spark's reader shows the rows of its batches, which cannot be changed.
      InternalRow row = next instanceof UnsafeRow ? (UnsafeRow) next : ((InternalRow) next).copy();
      row.setLong(mark, deleted != null && deleted.has(row.getLong(index)) ? 1L : 0L);
      return row;
    }

    private ColumnarBatch marked(ColumnarBatch batch) {
      ColumnVector[] columns = new ColumnVector[batch.numCols()];
      for (int i = 0; i < columns.length; i++) columns[i] = batch.column(i);
      int size = batch.numRows();
      if (marks == null) {
        // The generated code expects the kind of vector that Spark's reader makes.
        marks = columns[index] instanceof OffHeapColumnVector ? (WritableColumnVector) new OffHeapColumnVector(size, DataTypes.LongType)
            : new OnHeapColumnVector(size, DataTypes.LongType);
      }
      marks.reserve(size);
      marks.putLongs(0, size, 0L);
      if (deleted != null) deleted.mark(columns[index], marks, size);
      columns[mark] = marks;
      return new ColumnarBatch(columns, size);
    }

    public void close() throws IOException {
      if (marks != null) marks.close();
      if (rows instanceof Closeable) ((Closeable) rows).close();
    }
  }
}
