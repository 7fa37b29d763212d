package puredelta;

import org.apache.spark.scheduler.*;

/** Reports clients of Spark's servers that come and go to Python ("serve.client"), which logs them. */
public final class Clients extends SparkListener {
  public void onOtherEvent(SparkListenerEvent event) {
    String kind = event.getClass().getSimpleName();
    boolean isClient = kind.startsWith("SparkListenerThriftServerSession") || kind.startsWith("SparkListenerConnectSession");
    if (isClient) Bridge.call("serve.client", event.toString().replaceFirst("SparkListener", ""), null, null);
  }
}
