package puredelta;

import py4j.*;
import scala.collection.immutable.*;

/** The connections over which threads of the JVM call Python. */
public final class Connections {
  /** The thread that calls Python now, its id and its connection; nothing where Python opened the connection. */
  public static Seq threadAndConnection(Py4JPythonClient client) {
    // Within a callback the JVM answers on the thread that called Python.
    ClientServerConnection connection = client instanceof PythonClient ? ((PythonClient) client).getPerThreadConnection() : null;
    if (connection == null || !connection.isInitiatedFromClient()) return (Seq) Nil$.MODULE$;
    Thread thread = Thread.currentThread();
    return ArraySeq.unsafeWrapArray(new Object[] {Long.valueOf(thread.getId()), thread, connection});
  }
}
