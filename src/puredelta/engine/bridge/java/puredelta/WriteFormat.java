package puredelta;

import java.util.Iterator;
import java.util.Map;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.types.StructType;

/** Spark's Parquet format, with settings of the files given by Python where Spark only asks the session's. */
final class WriteFormat extends ParquetFileFormat {
  private final Map fileConf;

  WriteFormat(Map fileConf) {
    this.fileConf = fileConf;
  }

  public OutputWriterFactory prepareWrite(SparkSession session, Job job, scala.collection.immutable.Map options,
      StructType schema) {
    OutputWriterFactory factory = super.prepareWrite(session, job, options, schema);
    Iterator entries = fileConf.entrySet().iterator();
    while (entries.hasNext()) {
      Map.Entry entry = (Map.Entry) entries.next();
      job.getConfiguration().set((String) entry.getKey(), (String) entry.getValue());
    }
    return factory;
  }
}
