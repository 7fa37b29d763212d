package puredelta;

import java.io.Serializable;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import scala.Function1;
import scala.runtime.AbstractFunction1;

/**
 * On executors: the last part of each file reaches to the true end of the file. Spark cuts files into parts by their
 * sizes in the log, and reads the row groups whose middles lie in a part.
 */
final class LastParts extends AbstractFunction1 implements Serializable {
  private static final int LENGTH = 3;
  private final Function1 reader;

  LastParts(Function1 reader) { this.reader = reader; }

  public Object apply(Object file) {
    PartitionedFile part = (PartitionedFile) file;
    boolean isLast = part.start() + part.length() >= part.fileSize();
    return reader.apply(isLast ? toTheEnd(part) : part);
  }

  /** Its class has more fields in later releases of Spark. */
  private static Object toTheEnd(PartitionedFile part) {
    Object[] values = new Object[part.productArity()];
    for (int i = 0; i < values.length; i++) values[i] = part.productElement(i);
    values[LENGTH] = Long.valueOf(Long.MAX_VALUE - part.start());
    try {
      return PartitionedFile.class.getConstructors()[0].newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
