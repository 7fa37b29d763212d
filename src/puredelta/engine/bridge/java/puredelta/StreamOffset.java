package puredelta;

/** How far a stream has read; Spark compares the texts. */
final class StreamOffset extends org.apache.spark.sql.execution.streaming.Offset {
  private final String json;

  StreamOffset(String json) { this.json = json; }

  public String json() { return json; }
}
